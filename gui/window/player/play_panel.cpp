// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/player/play_panel.h"

#include "gui/window/widgets/actions.h"
#include "gui/window/player/player.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListView>
#include <QPushButton>
#include <QScrollBar>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace lhrs::gui {

namespace {

QTableView* tableOf(QAbstractItemModel* model, const char* id, const QString& name, QWidget* parent)
{
    auto* made = new QTableView(parent);
    made->setObjectName(QLatin1String(id));
    made->setAccessibleName(name);
    made->setModel(model);
    made->setSelectionBehavior(QAbstractItemView::SelectRows);
    made->setSelectionMode(QAbstractItemView::SingleSelection);
    made->setEditTriggers(QAbstractItemView::NoEditTriggers);
    made->verticalHeader()->hide();
    made->setShowGrid(false);
    made->setAlternatingRowColors(true);
    made->setTabKeyNavigation(false);
    return made;
}

QLabel* emptyLabel(const QString& words, QWidget* parent)
{
    auto* made = new QLabel(words, parent);
    made->setWordWrap(true);
    made->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    made->setMargin(8);
    made->setBackgroundRole(QPalette::Base);
    made->setAutoFillBackground(true);
    return made;
}

} // namespace

PlayPanel::PlayPanel(Player& player, Actions& actions, QWidget* parent)
    : QWidget(parent), m_player(player), m_tabs(new QTabWidget(this)), m_steps(new StepModel(this)),
      m_results(new ResultModel(this)), m_stepView(tableOf(m_steps, "steps", tr("Steps of the scenario"), this)),
      m_resultView(tableOf(m_results, "results", tr("Rows of the measurement"), this)), m_said(new QListView(this)),
      m_table(new QComboBox(this)),
      m_noSteps(emptyLabel(tr("The scenario has no steps yet. A step is a line lab.step('a', 'A title'): PgDn goes "
                              "from one to the next."),
          this)),
      m_noRows(
          emptyLabel(tr("No rows yet. lab.measure and lab.row make them; they appear here as they arrive."), this)),
      m_export(new QPushButton(tr("Export CSV"), this))
{
    setObjectName(QStringLiteral("playPanel"));
    m_tabs->setObjectName(QStringLiteral("playTabs"));
    m_tabs->setDocumentMode(true);
    m_said->setObjectName(QStringLiteral("said"));
    m_said->setAccessibleName(tr("What the scenario said"));
    m_said->setModel(&player.story());
    m_said->setWordWrap(true);
    m_said->setSelectionMode(QAbstractItemView::NoSelection);
    m_table->setObjectName(QStringLiteral("resultTable"));
    m_table->setAccessibleName(tr("Table of the measurement"));
    m_export->setObjectName(QStringLiteral("exportTablesHere"));
    m_labels = { m_noSteps, m_noRows };

    m_stepView->horizontalHeader()->setStretchLastSection(false);
    m_stepView->horizontalHeader()->setHighlightSections(false);

    auto* steps = new QWidget(m_tabs);
    auto* stepColumn = new QVBoxLayout(steps);
    stepColumn->setContentsMargins(0, 0, 0, 0);
    stepColumn->addWidget(m_noSteps, 1);
    stepColumn->addWidget(m_stepView, 1);
    auto* results = new QWidget(m_tabs);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(6, 4, 6, 4);
    bar->addWidget(m_table, 1);
    bar->addWidget(m_export);
    auto* resultColumn = new QVBoxLayout(results);
    resultColumn->setContentsMargins(0, 0, 0, 0);
    resultColumn->setSpacing(0);
    resultColumn->addLayout(bar);
    resultColumn->addWidget(m_noRows, 1);
    resultColumn->addWidget(m_resultView, 1);
    m_tabs->addTab(steps, tr("Steps"));
    m_tabs->addTab(results, tr("Results"));
    m_tabs->addTab(m_said, tr("Said"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_tabs);
    setFocusPolicy(Qt::StrongFocus);
    setFocusProxy(m_stepView);

    QAction* action = actions.get("exportTables");
    const auto follow = [this, action] {
        m_export->setEnabled(action->isEnabled());
        m_export->setToolTip(action->toolTip());
    };
    follow();
    connect(action, &QAction::changed, this, follow);
    connect(m_export, &QPushButton::clicked, action, &QAction::trigger);
    connect(m_table, &QComboBox::currentIndexChanged, this, &PlayPanel::chooseTable);
    const auto choose = [this](const QModelIndex& index) {
        if (index.isValid())
            emit lineChosen(m_steps->rows()[std::size_t(index.row())].line);
    };
    connect(m_stepView, &QTableView::clicked, this, choose);
    connect(m_stepView, &QTableView::activated, this, choose);
    connect(
        &player.story(), &QAbstractItemModel::rowsInserted, m_said, &QListView::scrollToBottom, Qt::QueuedConnection);
    showRows();
}

void PlayPanel::showSteps(const std::vector<PlannedStep>& plan, const PlayState& play)
{
    m_steps->show(plan, play);
    m_noSteps->setVisible(m_steps->rows().empty());
    m_stepView->setVisible(!m_steps->rows().empty());
    for (std::size_t row = 0; row < m_steps->rows().size(); ++row)
        if (m_steps->rows()[row].state == StepModel::State::Now && m_stepView->isVisible() && !m_stepView->hasFocus())
            m_stepView->scrollTo(m_steps->index(int(row), StepModel::Title));
}

void PlayPanel::showRows()
{
    const QStringList names = m_player.run().engine().tables().names();
    QStringList shown;
    for (int i = 0; i < m_table->count(); ++i)
        shown << m_table->itemData(i).toString();
    if (names != shown) {
        const QString chosen = m_table->currentData().toString();
        const QSignalBlocker quiet(m_table);
        m_table->clear();
        for (const QString& name : names)
            m_table->addItem(name, name);
        // A table that has just begun becomes the visible one.
        m_table->setCurrentIndex(names.size() > shown.size() || !names.contains(chosen) ? int(names.size()) - 1
                                                                                        : int(names.indexOf(chosen)));
        if (shown.isEmpty() && !names.isEmpty())
            m_tabs->setCurrentIndex(1);
    }
    m_table->setVisible(!names.isEmpty());
    m_export->setVisible(!names.isEmpty());
    m_noRows->setVisible(names.isEmpty());
    m_resultView->setVisible(!names.isEmpty());
    chooseTable();
}

void PlayPanel::chooseTable()
{
    const QString name = m_table->currentData().toString();
    const int columns = m_results->columnCount();
    const QScrollBar* bar = m_resultView->verticalScrollBar();
    const bool isAtEnd = bar->value() == bar->maximum();
    m_results->show(m_player.run().engine().identity().run, name, m_player.run().engine().tables().table(name));
    if (m_results->columnCount() != columns)
        m_resultView->resizeColumnsToContents();
    if (isAtEnd)
        m_resultView->scrollToBottom();
}

void PlayPanel::clear() { showSteps({}, {}); }

void PlayPanel::setTheme(const Theme& theme)
{
    m_steps->setTheme(theme);
    m_results->setTheme(theme);
    for (QLabel* label : m_labels)
        label->setFont(theme.font({ TextSize::Small }));
    for (QTableView* view : { m_stepView, m_resultView }) {
        view->setFont(theme.font({ TextSize::Small }));
        view->verticalHeader()->setDefaultSectionSize(int(theme.lineHeight({ TextSize::Small }) + theme.px(5)));
        view->verticalHeader()->setMinimumSectionSize(1);
    }
    QHeaderView* header = m_stepView->horizontalHeader();
    header->setMinimumSectionSize(int(theme.px(22)));
    header->setSectionResizeMode(StepModel::Mark, QHeaderView::Fixed);
    header->setSectionResizeMode(StepModel::Title, QHeaderView::Stretch);
    header->setSectionResizeMode(StepModel::Time, QHeaderView::Fixed);
    header->resizeSection(StepModel::Mark, int(theme.px(26)));
    header->resizeSection(
        StepModel::Time, int(theme.width({ TextSize::Small }, QStringLiteral("1234.5 s")) + theme.px(16)));
    m_said->setFont(theme.font({ TextSize::Small }));
    m_resultView->resizeColumnsToContents();
}

} // namespace lhrs::gui
