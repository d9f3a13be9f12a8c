// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/records/record_table.h"

#include "gui/show/lhrs/bucket_group.h"
#include "gui/view/paint/number_box.h"
#include "gui/view/lhrs/words/object_words.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <climits>
#include <numeric>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr qreal kHeightForTools = 490; // pixels at 100 %
constexpr int kKeyColumn = 1, kLengthColumn = 2, kVersionColumn = 3; // of data buckets

} // namespace

RecordTable::RecordTable(const Pacer& pacer, ContentsSource& source, Selection& selection, QWidget* parent)
    : QWidget(parent), m_pacer(pacer), m_selection(selection), m_model(new RecordModel(pacer, source, this)),
      m_table(new QTableView(this)), m_title(new QLabel(this)), m_details(new QLabel(this)),
      m_headline(new QLabel(this)), m_nothing(new QLabel(this)), m_goTo(new WholeBox(this)), m_tools(new QWidget(this)),
      m_filter(new QLineEdit(m_tools))
{
    setObjectName(QStringLiteral("recordTable"));
    prepareTable();
    prepareControls();
    auto* head = new QHBoxLayout;
    head->addWidget(m_title, 1);
    head->addWidget(m_goTo);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(6, 6, 6, 6);
    box->setSpacing(4);
    box->addLayout(head);
    box->addWidget(m_details);
    box->addWidget(m_tools);
    box->addWidget(m_table, 1);
    box->addWidget(m_nothing, 1);
    box->addWidget(m_headline);
    connectTable();
    follow();
}

void RecordTable::prepareTable()
{
    m_table->setModel(m_model);
    m_table->setObjectName(QStringLiteral("records"));
    m_table->setAccessibleName(tr("Records of the selected bucket"));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->horizontalHeader()->setSectionsClickable(true);
    m_table->horizontalHeader()->setSortIndicatorShown(true);
    m_table->horizontalHeader()->setSortIndicator(0, Qt::AscendingOrder);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->setMouseTracking(true);
    m_table->viewport()->setMouseTracking(true);
    m_table->viewport()->installEventFilter(this);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
}

void RecordTable::prepareControls()
{
    m_title->setObjectName(QStringLiteral("recordTitle"));
    m_title->setWordWrap(true); // a long title must not take the picture's room
    m_details->setWordWrap(true);
    m_headline->setWordWrap(true);
    m_nothing->setWordWrap(true);
    m_nothing->setAlignment(Qt::AlignCenter);
    m_goTo->setPrefix(tr("go to rank "));
    m_goTo->setRange(1, 1);
    m_goTo->setAccessibleName(tr("Go to rank"));
    m_goTo->setKeyboardTracking(false);

    m_filter->setObjectName(QStringLiteral("recordFilter"));
    m_filter->setPlaceholderText(tr("key, rank or text"));
    m_filter->setAccessibleName(tr("Only records with this key, rank or text"));
    m_filter->setToolTip(
        tr("17: key or rank; rank 10-40; key 4711; anything else: bytes, as text or in hexadecimal pairs"));
    m_filter->setClearButtonEnabled(true);
}

void RecordTable::connectTable()
{
    connect(&m_selection, &Selection::selectionChanged, this, &RecordTable::follow);
    connect(m_model, &QAbstractItemModel::modelReset, this, &RecordTable::fitColumns);
    connect(m_model, &QAbstractItemModel::modelReset, this, &RecordTable::keepCurrent);
    connect(m_filter, &QLineEdit::textChanged, m_model, &RecordModel::setFilter);
    connect(m_table->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this,
        [this, shown = std::pair(0, Qt::AscendingOrder)](int column, Qt::SortOrder order) mutable {
            if (m_model->canSortBy(column)) {
                shown = { column, order };
                m_model->sort(column, order);
                return;
            }
            const QSignalBlocker quiet(m_table->horizontalHeader());
            m_table->horizontalHeader()->setSortIndicator(shown.first, shown.second);
        });
    connect(m_table, &QTableView::entered, this, [this](const QModelIndex& index) {
        m_selection.point({ m_model->bucket(), { 0, 0 }, m_model->rankOfRow(index.row()) });
    });
    connect(&m_selection, &Selection::hoverChanged, this, &RecordTable::mark);
    connect(&m_selection, &Selection::selectionChanged, this, &RecordTable::mark);
    connect(
        m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
            m_selection.setPart(current.isValid() ? m_model->rankOfRow(current.row()) : 0);
            if (current.isValid())
                m_current = m_model->rankOfRow(current.row());
        });
    connect(m_table, &QAbstractItemView::activated, this,
        [this](const QModelIndex& index) { emit groupRequested(m_model->bucket(), m_model->rankOfRow(index.row())); });
    connect(m_table, &QWidget::customContextMenuRequested, this, [this](QPoint at) {
        // The menu key uses the current row.
        const QModelIndex pointed = m_table->indexAt(at), row = pointed.isValid() ? pointed : m_table->currentIndex();
        if (row.isValid())
            emit menuRequested(m_model->bucket(), m_model->rankOfRow(row.row()),
                m_table->viewport()->mapToGlobal(m_table->visualRect(row).bottomLeft()));
    });
    connect(m_goTo, &QSpinBox::valueChanged, this, [this](int rank) {
        const QModelIndex row = m_model->index(m_model->rowOfRank(std::uint32_t(rank)), 0);
        if (!row.isValid())
            return; // the filter hides it
        m_table->scrollTo(row, QAbstractItemView::PositionAtCenter);
        m_table->setCurrentIndex(row);
    });
}

bool RecordTable::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_table->viewport() && event->type() == QEvent::Leave)
        m_selection.point({});
    return QWidget::eventFilter(watched, event);
}

// A record of another member of the group has the same rank, so the row of that rank is marked.
void RecordTable::mark()
{
    const std::uint32_t m = m_pacer.state().m();
    const bool isHere = m_model->bucket()
        && bucketGroupOf(m_selection.partObject(), m) == bucketGroupOf(m_model->bucket(), m);
    m_model->setMark(isHere ? m_selection.part() : 0, m_theme.selection);
}

std::vector<int> RecordTable::rowsChosen() const
{
    std::vector<int> rows;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
        rows.push_back(index.row());
    std::sort(rows.begin(), rows.end());
    if (rows.empty()) {
        rows.resize(std::size_t(m_model->rowCount()));
        std::iota(rows.begin(), rows.end(), 0);
    }
    return rows;
}

// After the rows are computed again, the current record stays current.
void RecordTable::keepCurrent()
{
    const int row = m_current > 0 ? m_model->rowOfRank(m_current) : -1;
    if (row >= 0)
        m_table->setCurrentIndex(m_model->index(row, 0));
}

void RecordTable::follow()
{
    const ObjectRef selected = m_selection.selected();
    m_current = 0;
    m_model->setBucket(selected);
    m_selection.setPart(0);
    m_saidAt = -1;
    refresh(0);
}

bool RecordTable::refresh(double seconds)
{
    m_time += seconds;
    m_model->refresh(m_time);
    if (m_saidAt >= 0 && m_time - m_saidAt < 0.1)
        return false;
    m_saidAt = m_time;
    const ObjectRef selected = m_selection.selected();
    const QStringList lines = selected ? detailsOf(m_pacer.state(), selected) : QStringList();
    m_title->setText(lines.value(0, tr("No bucket selected")));
    // In a low window with large text the records have priority: one line of details, and the strip only on request.
    const bool hasRoom = window()->height() >= m_theme.px(kHeightForTools);
    m_details->setText(lines.mid(1, hasRoom ? -1 : 1).join(QStringLiteral("\n")));
    m_details->setVisible(lines.size() > 1);
    m_title->setToolTip(lines.join(QStringLiteral("\n")));
    // The reason why nothing can be read is shown in place of the records.
    const QString absence = m_model->absence();
    const bool hasRows = m_model->rowCount() > 0 && absence.isEmpty();
    m_table->setVisible(hasRows);
    m_goTo->setVisible(hasRows);
    m_tools->setVisible(
        (hasRows && (hasRoom || m_tools->isAncestorOf(QApplication::focusWidget()))) || m_model->isFiltered());
    m_nothing->setVisible(!hasRows);
    m_goTo->setMaximum(std::max(1, m_model->isFiltered() ? INT_MAX / 2 : m_model->rowCount()));
    m_headline->setText(m_model->headline());
    m_headline->setVisible(!m_headline->text().isEmpty());
    if (!hasRows) {
        m_nothing->setText(!absence.isEmpty() ? absence
                : m_model->isFiltered()
                ? tr("None of %1 matches “%2”. Clear the field to see them all.")
                      .arg(countedWords(m_model->recordsInAll(), "record", "records"), m_filter->text())
                : m_model->bucket() ? tr("The bucket holds no record yet.")
                : selected
                ? tr("This is not a bucket: it has no records.")
                : tr("Choose a bucket in the picture, with the mouse or the arrow keys. Its records are listed here."));
    }
    return false;
}

void RecordTable::fitColumns()
{
    const TextStyle style { TextSize::Small, false, true };
    const auto wide = [&](const char* text) {
        return int(m_theme.metrics(style).horizontalAdvance(QString::fromLatin1(text)) + m_theme.px(12));
    };
    const int columns = m_model->columnCount();
    for (int column = 0; column < columns; ++column) {
        const QString title = m_model->headerData(column, Qt::Horizontal).toString();
        const int least = int(m_theme.metrics({ TextSize::Small }).horizontalAdvance(title) + m_theme.px(14));
        if (title == tr("witness")) {
            m_table->setColumnWidth(column, std::max(least, wide("changed")));
            continue;
        }
        const bool isBytes = title.startsWith(QLatin1String("bytes")) || title.startsWith(QLatin1String("parity"));
        m_table->setColumnWidth(column,
            std::max(least,
                column == 0   ? wide("12345")
                    : isBytes ? wide("00 11 22 33 44 55 66 77 88 99 aa bb")
                              : wide("12345 (100 B)")));
    }
    if (m_model->bucket().kind == ObjectKind::Data) {
        m_table->setColumnWidth(
            kLengthColumn, int(m_theme.metrics({ TextSize::Small }).horizontalAdvance(tr("length")) + m_theme.px(16)));
        m_table->setColumnWidth(kVersionColumn,
            int(m_theme.metrics({ TextSize::Small }).horizontalAdvance(tr("version")) + m_theme.px(16)));
        m_table->setColumnWidth(kKeyColumn, wide("12345678901"));
    }
}

void RecordTable::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_table->setFont(theme.font({ TextSize::Small, false, true }));
    m_table->horizontalHeader()->setFont(theme.font({ TextSize::Small }));
    m_table->verticalHeader()->setDefaultSectionSize(
        int(theme.lineHeight({ TextSize::Small, false, true }) + theme.px(4)));
    m_table->setMinimumHeight(int(theme.px(20))); // in a low window the text around it keeps its room
    m_title->setFont(theme.font({ TextSize::Title, true }));
    m_details->setFont(theme.font({ TextSize::Small }));
    m_headline->setFont(theme.font({ TextSize::Small }));
    m_nothing->setFont(theme.font({ TextSize::Strong }));
    mark();
    fitColumns();
}

} // namespace lhrs::gui
