// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/panels/gate_panel.h"

#include "gui/lab/words/process/process_words.h"
#include "gui/view/paint/flow_layout.h"
#include "gui/show/words/quantity_words.h"
#include "gui/view/systems/view_systems.h"
#include "gui/window/widgets/action_button.h"
#include "gui/window/widgets/actions.h"

#include <QEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr double kAskGateEvery = 0.5; // seconds

// The name as in other views; an unknown process sent from outside the cluster.
QString partyWords(const ClusterState& state, ProcessId id)
{
    if (const ObjectRef object = wordsOf(state).objectOf(state, id))
        return wordsOf(state).nameOf(state, object);
    return state.processes.contains(id) ? QString::fromStdString(processShown(id, state))
                                        : QStringLiteral("an unknown sender");
}

} // namespace

QString heldWords(const ClusterState& state, const pb::HeldMessage& message)
{
    const QString words = QStringLiteral("%1 from %2")
                              .arg(QString::fromStdString(message.kind()).replace(QLatin1Char('_'), QLatin1Char(' ')),
                                  partyWords(state, message.from()));
    const std::string operation = operationShown(message.operation(), state);
    return operation.empty() ? words : QStringLiteral("%1 (%2)").arg(words, QString::fromStdString(operation));
}

// ---- the rows

bool HeldModel::show(const std::vector<HeldAt>& held, const ClusterState& state, std::int64_t now)
{
    std::vector<Row> rows;
    for (const HeldAt& one : held) {
        Row row;
        row.held = one;
        row.what = heldWords(state, one.message);
        row.to = partyWords(state, one.process);
        const std::int64_t waitsNs = std::max<std::int64_t>(0, now - one.message.since_ns());
        if (one.message.since_ns() > 0)
            row.since = QStringLiteral("%1 s").arg(double(waitsNs) / 1e9, 0, 'f', 1);
        QStringList more { QStringLiteral("number %1 at its gate").arg(one.message.number()),
            countedWords(one.message.bytes(), "byte", "bytes"),
            one.message.transport() == pb::STREAM          ? QStringLiteral("by TCP")
                : one.message.transport() == pb::MULTICAST ? QStringLiteral("by multicast")
                                                           : QStringLiteral("by UDP") };
        row.more = more.join(QStringLiteral(", "));
        rows.push_back(std::move(row));
    }
    const bool isSame = rows.size() == m_rows.size()
        && std::equal(rows.begin(), rows.end(), m_rows.begin(), [](const Row& x, const Row& y) { return x.isSame(y); });
    if (isSame) {
        m_rows = std::move(rows);
        if (!m_rows.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, Columns - 1));
        return false;
    }
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
    return true;
}

int HeldModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(m_rows.size()); }

int HeldModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(Columns); }

QVariant HeldModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Row& row = m_rows[std::size_t(index.row())];
    if (role == Qt::ToolTipRole)
        return row.more;
    if (role == Qt::TextAlignmentRole)
        return int((index.column() == Since ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole)
        return {};
    return index.column() == What ? row.what : index.column() == To ? row.to : row.since;
}

QVariant HeldModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == What ? tr("Message") : section == To ? tr("Waits at") : tr("For");
}

// ---- the panel

GatePanel::GatePanel(
    const Pacer& pacer, ClusterCommands& cluster, Selection& selection, Actions& actions, QWidget* parent)
    : QWidget(parent), m_pacer(pacer), m_commands(cluster), m_selection(selection),
      m_release(actions.get("releaseHere")), m_drop(actions.get("dropHere")), m_model(new HeldModel(this)),
      m_table(new QTableView(this)), m_summary(new QLabel(this)), m_line(new QLabel(this))
{
    setObjectName(QStringLiteral("gatePanel"));
    m_summary->setObjectName(QStringLiteral("heldSummary"));
    m_summary->setWordWrap(true);
    m_table->setObjectName(QStringLiteral("heldMessages"));
    m_table->setAccessibleName(tr("Messages that are held, the oldest first"));
    m_table->setModel(m_model);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTabKeyNavigation(false);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setSectionResizeMode(HeldModel::What, QHeaderView::Stretch);
    for (const int column : { int(HeldModel::To), int(HeldModel::Since) })
        m_table->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_table->addActions({ m_release, m_drop });
    m_table->installEventFilter(this);
    m_line->setObjectName(QStringLiteral("heldLine"));
    m_line->setWordWrap(true);
    m_line->setTextFormat(Qt::PlainText);
    m_line->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_line->setAccessibleName(tr("The line of a scenario that lets the chosen message through"));

    auto* buttons = new FlowLayout(nullptr, 6);
    const auto button = [&](const char* id, const QString& words) {
        auto* made = makeActionButton(actions, id, words, QLatin1String(id) + QStringLiteral("Listed"), this);
        buttons->addWidget(made);
        return made;
    };
    button("releaseHere", tr("Let it through"));
    button("dropHere", tr("Lose it"));
    button("virtualStepMessage", tr("The oldest one"));
    m_gate = button("gate", tr("Close the gate"));

    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(8, 6, 8, 6);
    all->setSpacing(5);
    all->addWidget(m_summary);
    all->addLayout(buttons);
    all->addWidget(m_line);
    all->addWidget(m_table, 1);
    all->addStretch(0);

    setFocusProxy(m_table);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (const int row = chosenRow(); row >= 0 && !m_isChoosing) {
            const QScopedValueRollback guard(m_isChoosing, true);
            if (const ObjectRef object = wordsOf(m_pacer.state())
                                             .objectOf(m_pacer.state(), m_model->rows()[std::size_t(row)].held.process))
                m_selection.select(object);
        }
        showState();
    });
    connect(m_table, &QTableView::activated, this, [this] { m_release->trigger(); });
    connect(&m_selection, &Selection::selectionChanged, this, &GatePanel::followSelection);
    connect(&m_commands.gate(), &ClusterGate::listed, this, &GatePanel::take);
    showState();
}

int GatePanel::chosenRow() const
{
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    return rows.isEmpty() || rows.front().row() >= m_model->rowCount() ? -1 : rows.front().row();
}

std::optional<HeldAt> GatePanel::chosen() const
{
    const int row = isVisible() ? chosenRow() : -1;
    return row < 0 ? std::nullopt : std::optional(m_model->rows()[std::size_t(row)].held);
}

void GatePanel::choose(int row)
{
    if (row >= 0 && row < m_model->rowCount())
        m_table->selectRow(row);
}

// Chooses the oldest message of the process that was selected elsewhere. A message of that process that is chosen
// already stays chosen.
void GatePanel::followSelection()
{
    if (m_isChoosing)
        return;
    const QScopedValueRollback guard(m_isChoosing, true);
    const ClusterState& state = m_pacer.state();
    const ObjectRef selected = m_selection.selected();
    const auto isOfIt = [&](const HeldModel::Row& row) {
        return wordsOf(state).objectOf(state, row.held.process) == selected;
    };
    const std::vector<HeldModel::Row>& rows = m_model->rows();
    if (const int row = chosenRow(); row >= 0 && isOfIt(rows[std::size_t(row)]))
        return;
    if (const auto first = std::find_if(rows.begin(), rows.end(), isOfIt); first != rows.end())
        choose(int(first - rows.begin()));
    else
        m_table->clearSelection();
    showState();
}

void GatePanel::take()
{
    // The chosen message stays chosen; if it is gone, the one after it takes its place.
    const int former = chosenRow();
    const std::optional<HeldModel::Row> row = former < 0 ? std::nullopt
                                                         : std::optional(m_model->rows()[std::size_t(former)]);
    if (m_model->show(m_commands.gate().held(), m_pacer.state(), m_commands.gate().nowNs()) && row) {
        const std::vector<HeldModel::Row>& rows = m_model->rows();
        const auto again = std::find_if(
            rows.begin(), rows.end(), [&](const HeldModel::Row& other) { return other.isSame(*row); });
        choose(again != rows.end() ? int(again - rows.begin()) : std::min(former, m_model->rowCount() - 1));
    }
    showState();
}

// Shows how many messages are held, or why none are, and what to do then.
void GatePanel::showState()
{
    const bool isClosed = !m_isRecorded && m_commands.session().control().isGated();
    const int count = m_model->rowCount();
    QString words;
    if (m_isRecorded)
        words = tr("A recording shows how many messages were held (at the processes, and in the status line). Which of "
                   "them goes on is chosen while it happens.");
    else if (!isClosed)
        words = m_commands.session().control().simulation()
            ? tr("The gate is open: messages are delivered as they come. Closed, it holds them at their receivers.")
            : tr("The gate is open: messages are delivered as they come. Closed, it holds them at their receivers, if "
                 "the "
                 "processes were started with one.");
    else if (!m_commands.gate().trouble().isEmpty())
        words = m_commands.gate().trouble();
    else if (count == 0)
        words = tr(
            "No message is held, and all clocks stand still. “The oldest one” lets time go on to the next timer.");
    else
        words = tr(
            "%1 held, the oldest first; all clocks stand still. Choose one: Enter lets it through, Del loses it.")
                    .arg(countedWords(std::uint64_t(count), "message is", "messages are"));
    m_summary->setText(words);
    m_gate->setText(m_gate->isChecked() ? tr("Open the gate") : tr("Close the gate"));
    m_table->setVisible(isClosed && count > 0);
    const int row = chosenRow();
    m_line->setVisible(m_table->isVisibleTo(this));
    m_line->setText(row < 0 ? tr("lab.held(); tells a scenario the same")
                            : m_commands.gate().lineOf(m_model->rows()[std::size_t(row)].held, false));
}

bool GatePanel::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_table && event->type() == QEvent::KeyPress
        && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Delete)) {
        m_drop->trigger();
        return true;
    }
    // The row with the focus is not chosen by that, and a key that would move to this row has no effect: choose it
    // here.
    if (watched == m_table && event->type() == QEvent::KeyPress && chosenRow() < 0 && m_model->rowCount() > 0) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Down || key == Qt::Key_Up || key == Qt::Key_Home || key == Qt::Key_End) {
            choose(std::max(0, m_table->currentIndex().row()));
            return key == Qt::Key_Down || key == Qt::Key_Up;
        }
    }
    return QWidget::eventFilter(watched, event);
}

// ---- frames

bool GatePanel::refresh(double seconds)
{
    m_time += seconds;
    if (m_time - m_askedAt < kAskGateEvery)
        return false;
    m_askedAt = m_time;
    m_commands.gate().ask();
    showState();
    return false;
}

void GatePanel::setTheme(const Theme& theme)
{
    m_summary->setFont(theme.font({ TextSize::Body }));
    m_line->setFont(theme.font({ TextSize::Small, false, true }));
    m_table->setFont(theme.font({ TextSize::Small }));
    m_table->horizontalHeader()->setFont(theme.font({ TextSize::Small, true }));
    m_table->verticalHeader()->setDefaultSectionSize(int(theme.lineHeight({ TextSize::Small }) + theme.px(6)));
}

} // namespace lhrs::gui
