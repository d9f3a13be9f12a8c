// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/record_table.h"

#include "gui/view/object_words.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSpinBox>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr double kReadAgain = 0.5;       // seconds between two readings of a page that changes
constexpr double kAskAgain = 6;          // seconds after which an unanswered page is asked for again
constexpr std::size_t kBytesShown = 64;
enum DataColumn { Rank, Key, Length, Version, Hex, Text, DataColumns };

} // namespace

QString hexOf(const std::string& bytes, std::size_t bytesMax)
{
    const std::size_t shown = std::min(bytes.size(), bytesMax);
    QString text = QString::fromLatin1(QByteArray(bytes.data(), qsizetype(shown)).toHex(' '));
    if (shown < bytes.size())
        text += QStringLiteral(" …");
    return text;
}

QString textOf(const std::string& bytes, std::size_t bytesMax)
{
    QString text;
    for (std::size_t i = 0; i < std::min(bytes.size(), bytesMax); ++i)
        text += bytes[i] >= 0x20 && bytes[i] < 0x7f ? QLatin1Char(bytes[i]) : QLatin1Char('.');
    return bytes.size() > bytesMax ? text + QStringLiteral("…") : text;
}

// ---- the rows

RecordModel::RecordModel(const Pacer& pacer, ContentsSource& source, QObject* parent)
    : QAbstractTableModel(parent), m_pacer(pacer), m_source(source)
{
}

ProcessId RecordModel::process() const
{
    const ClusterState& state = m_pacer.state();
    if (isParity()) {
        const auto found = state.parity.find({ std::uint32_t(m_bucket.a), std::uint32_t(m_bucket.b) });
        return found == state.parity.end() ? 0 : found->second.process;
    }
    const auto found = state.data.find(std::uint32_t(m_bucket.a));
    return m_bucket.kind != ObjectKind::Data || found == state.data.end() ? 0 : found->second.process;
}

// A number that grows with each change of the bucket.
std::uint64_t RecordModel::stamp() const
{
    const ClusterState& state = m_pacer.state();
    if (isParity()) {
        const auto found = state.parity.find({ std::uint32_t(m_bucket.a), std::uint32_t(m_bucket.b) });
        std::uint64_t sum = 0;
        if (found != state.parity.end()) {
            for (const std::uint64_t applied : found->second.applied)
                sum += applied;
        }
        return sum;
    }
    const auto found = state.data.find(std::uint32_t(m_bucket.a));
    return found == state.data.end() ? 0 : found->second.sequence;
}

std::uint32_t RecordModel::rankMax() const
{
    const ClusterState& state = m_pacer.state();
    if (isParity()) {
        const auto found = state.parity.find({ std::uint32_t(m_bucket.a), std::uint32_t(m_bucket.b) });
        return found == state.parity.end() ? 0 : found->second.ranks.rankMax();
    }
    const auto found = state.data.find(std::uint32_t(m_bucket.a));
    return m_bucket.kind != ObjectKind::Data || found == state.data.end() ? 0 : found->second.ranks.rankMax();
}

void RecordModel::setBucket(ObjectRef bucket)
{
    if (bucket.kind != ObjectKind::Data && bucket.kind != ObjectKind::Parity)
        bucket = {};
    if (bucket == m_bucket)
        return;
    beginResetModel();
    m_bucket = bucket;
    m_process = process();
    m_pages.clear();
    m_wanted.clear();
    m_trouble.clear();
    m_readAt = 0;
    ++m_generation;
    m_rows = int(rankMax());
    m_columns = !m_bucket ? 0 : isParity() ? int(positions()) + 2 : int(DataColumns);
    endResetModel();
}

void RecordModel::refresh(double now)
{
    m_now = now;
    if (!m_bucket)
        return;
    const int columns = isParity() ? int(positions()) + 2 : int(DataColumns);
    if (process() != m_process || columns != m_columns) {
        const ObjectRef bucket = m_bucket;
        setBucket({});
        setBucket(bucket);
    }
    const auto rows = int(rankMax());
    if (rows > m_rows) {
        beginInsertRows({}, m_rows, rows - 1);
        m_rows = rows;
        endInsertRows();
    } else if (rows < m_rows) {
        beginRemoveRows({}, rows, m_rows - 1);
        m_rows = rows;
        endRemoveRows();
    }
    // Keys and ranks are those of the shown state: views look again, and so ask for the pages that changed.
    const std::uint64_t newest = stamp();
    if (newest != m_stamp && m_rows > 0)
        emit dataChanged(index(0, 0), index(m_rows - 1, m_columns - 1));
    m_stamp = newest;
    for (auto& [number, page] : m_pages) {
        if (page.isAsked && now - page.askedAt > kAskAgain)
            page.isAsked = false;
    }
    for (const std::uint32_t number : std::exchange(m_wanted, {})) {
        Page& page = m_pages[number];
        const bool isStale = !page.isHere || page.stamp != newest;
        if (!isStale || page.isAsked)
            continue;
        if (page.askedAt == 0 || now - page.askedAt > kReadAgain)
            ask(number);
        else
            m_wanted.insert(number); // changed again since it was read: in a moment
    }
}

void RecordModel::want(std::uint32_t page) const
{
    m_wanted.insert(page);
}

void RecordModel::ask(std::uint32_t number)
{
    Page& page = m_pages[number];
    page.isAsked = true;
    page.askedAt = std::max(m_now, 1e-3);
    page.stamp = stamp();
    if (m_process == 0)
        return;
    m_source.readContents(m_process, number * kPage + 1, kPage, this, [this, number, generation = m_generation](ContentsAnswer answer) {
        if (generation != m_generation)
            return; // of another bucket
        Page& here = m_pages[number];
        here.isAsked = false;
        if (!answer.isOk) {
            m_trouble = answer.why;
            return;
        }
        m_trouble.clear();
        here.isHere = true;
        here.data.clear();
        here.parity.clear();
        for (const auto& record : answer.page.data())
            here.data[record.rank()] = record;
        for (const auto& record : answer.page.parity())
            here.parity[record.rank()] = record;
        m_readAt = answer.page.sequence();
        for (const std::uint64_t applied : answer.page.applied())
            m_readAt += applied;
        const int first = int(number * kPage), last = std::min(m_rows, int((number + 1) * kPage)) - 1;
        if (first <= last)
            emit dataChanged(index(first, 0), index(last, m_columns - 1));
    });
}

QString RecordModel::headline() const
{
    if (!m_bucket)
        return {};
    if (!m_trouble.isEmpty())
        return tr("The bytes could not be read: %1").arg(m_trouble);
    if (m_readAt == 0)
        return m_rows == 0 ? QString() : tr("reading the bytes from the process …");
    return isParity() ? tr("bytes read after %1 applied changes").arg(grouped(m_readAt)) : tr("bytes read at sequence %1").arg(grouped(m_readAt));
}

int RecordModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : m_rows;
}

int RecordModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : m_columns;
}

QVariant RecordModel::dataCell(std::uint32_t rank, int column) const
{
    const auto bucket = m_pacer.state().data.find(std::uint32_t(m_bucket.a));
    if (column == Rank)
        return rank;
    if (bucket == m_pacer.state().data.end() || !bucket->second.ranks.has(rank))
        return column == Key ? QVariant(tr("free rank")) : QVariant();
    if (column == Key)
        return QString::number(bucket->second.ranks.at(rank));
    const std::uint32_t number = (rank - 1) / kPage;
    want(number);
    const auto page = m_pages.find(number);
    if (page == m_pages.end() || !page->second.isHere)
        return QStringLiteral("…");
    const auto record = page->second.data.find(rank);
    if (record == page->second.data.end())
        return QStringLiteral("…");
    switch (DataColumn(column)) {
    case Length: return record->second.length();
    case Version: return QVariant::fromValue<qulonglong>(record->second.version());
    case Hex: return hexOf(record->second.value(), kBytesShown);
    case Text: return textOf(record->second.value(), kBytesShown);
    case Rank:
    case Key:
    case DataColumns: break;
    }
    return {};
}

QVariant RecordModel::parityCell(std::uint32_t rank, int column) const
{
    if (column == 0)
        return rank;
    const auto bucket = m_pacer.state().parity.find({ std::uint32_t(m_bucket.a), std::uint32_t(m_bucket.b) });
    if (bucket == m_pacer.state().parity.end() || !bucket->second.ranks.has(rank))
        return column == 1 ? QVariant(tr("no record")) : QVariant();
    const std::uint32_t number = (rank - 1) / kPage;
    want(number);
    const auto page = m_pages.find(number);
    if (page == m_pages.end() || !page->second.isHere)
        return QStringLiteral("…");
    const auto record = page->second.parity.find(rank);
    if (record == page->second.parity.end())
        return QStringLiteral("…");
    if (column == m_columns - 1)
        return hexOf(record->second.parity(), kBytesShown);
    const auto position = std::uint32_t(column) - 1;
    for (const auto& member : record->second.members()) {
        if (member.position() == position)
            return tr("%1 (%2 B)").arg(member.key()).arg(member.length());
    }
    return QStringLiteral("–");
}

QVariant RecordModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (role == Qt::TextAlignmentRole) {
        const bool isNumber = index.column() == 0 || (!isParity() && (index.column() == Length || index.column() == Version));
        return int((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::AccessibleTextRole)
        return {};
    const std::uint32_t rank = rankOfRow(index.row());
    return isParity() ? parityCell(rank, index.column()) : dataCell(rank, index.column());
}

QVariant RecordModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const char* const kTitles[] = { "rank", "key", "length", "version", "bytes (hex)", "bytes (text)" };
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal || section < 0 || section >= m_columns)
        return {};
    if (!isParity())
        return QString::fromLatin1(kTitles[section]);
    if (section == 0)
        return QStringLiteral("rank");
    if (section == m_columns - 1)
        return tr("parity bytes (hex)");
    return tr("bucket %1").arg(m_bucket.a * positions() + std::uint64_t(section) - 1);
}

// ---- the panel

RecordTable::RecordTable(const Pacer& pacer, ContentsSource& source, Selection& selection, QWidget* parent)
    : QWidget(parent), m_pacer(pacer), m_selection(selection), m_model(new RecordModel(pacer, source, this)), m_table(new QTableView(this)),
      m_title(new QLabel(this)), m_details(new QLabel(this)), m_headline(new QLabel(this)), m_nothing(new QLabel(this)), m_goTo(new QSpinBox(this))
{
    setObjectName(QStringLiteral("recordTable"));
    m_table->setModel(m_model);
    m_table->setObjectName(QStringLiteral("records"));
    m_table->setAccessibleName(tr("Records of the selected bucket"));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->setMouseTracking(true);
    m_title->setObjectName(QStringLiteral("recordTitle"));
    m_details->setWordWrap(true);
    m_headline->setWordWrap(true);
    m_nothing->setWordWrap(true);
    m_nothing->setAlignment(Qt::AlignCenter);
    m_goTo->setPrefix(tr("go to rank "));
    m_goTo->setRange(1, 1);
    m_goTo->setAccessibleName(tr("Go to rank"));
    m_goTo->setKeyboardTracking(false);

    auto* head = new QHBoxLayout;
    head->addWidget(m_title, 1);
    head->addWidget(m_goTo);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(6, 6, 6, 6);
    box->setSpacing(4);
    box->addLayout(head);
    box->addWidget(m_details);
    box->addWidget(m_table, 1);
    box->addWidget(m_nothing, 1);
    box->addWidget(m_headline);

    connect(&m_selection, &Selection::selectionChanged, this, &RecordTable::follow);
    connect(m_model, &QAbstractItemModel::modelReset, this, &RecordTable::fitColumns);
    connect(m_table, &QTableView::entered, this, [this](const QModelIndex& index) { m_selection.setRank(m_model->rankOfRow(index.row())); });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
        [this](const QModelIndex& current) { m_selection.setRank(current.isValid() ? m_model->rankOfRow(current.row()) : 0); });
    connect(m_table, &QAbstractItemView::activated, this, [this](const QModelIndex& index) { emit groupRequested(m_model->bucket(), m_model->rankOfRow(index.row())); });
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QWidget::customContextMenuRequested, this, [this](QPoint at) {
        // With the menu key, the current row's.
        const QModelIndex pointed = m_table->indexAt(at), row = pointed.isValid() ? pointed : m_table->currentIndex();
        if (row.isValid())
            emit menuRequested(m_model->bucket(), m_model->rankOfRow(row.row()), m_table->viewport()->mapToGlobal(m_table->visualRect(row).bottomLeft()));
    });
    connect(m_goTo, &QSpinBox::valueChanged, this, [this](int rank) {
        const QModelIndex row = m_model->index(rank - 1, 0);
        m_table->scrollTo(row, QAbstractItemView::PositionAtCenter);
        m_table->setCurrentIndex(row);
    });
    follow();
}

void RecordTable::follow()
{
    const ObjectRef selected = m_selection.selected();
    m_model->setBucket(selected);
    m_selection.setRank(0);
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
    m_details->setText(lines.mid(1).join(QStringLiteral("\n")));
    m_details->setVisible(lines.size() > 1);
    const bool hasRows = m_model->rowCount() > 0;
    m_table->setVisible(hasRows);
    m_goTo->setVisible(hasRows);
    m_nothing->setVisible(!hasRows);
    m_goTo->setMaximum(std::max(1, m_model->rowCount()));
    m_headline->setText(m_model->headline());
    m_headline->setVisible(!m_headline->text().isEmpty());
    if (!hasRows) {
        m_nothing->setText(m_model->bucket() ? tr("The bucket holds no record yet.")
                : selected                   ? tr("This is no bucket: it has no records.")
                                             : tr("Choose a bucket in the picture, with the mouse or the arrow keys. Its records are listed here."));
    }
    return false;
}

void RecordTable::fitColumns()
{
    const TextStyle style { TextSize::Small, false, true };
    const auto wide = [&](const char* text) { return int(m_theme.metrics(style).horizontalAdvance(QString::fromLatin1(text)) + m_theme.px(12)); };
    const int columns = m_model->columnCount();
    for (int column = 0; column < columns; ++column) {
        const QString title = m_model->headerData(column, Qt::Horizontal).toString();
        const int least = int(m_theme.metrics({ TextSize::Small }).horizontalAdvance(title) + m_theme.px(14));
        const bool isBytes = title.startsWith(QLatin1String("bytes")) || title.startsWith(QLatin1String("parity"));
        m_table->setColumnWidth(column, std::max(least, column == 0 ? wide("12345") : isBytes ? wide("00 11 22 33 44 55 66 77 88 99 aa bb") : wide("12345 (100 B)")));
    }
    if (m_model->bucket().kind == ObjectKind::Data) {
        m_table->setColumnWidth(Length, int(m_theme.metrics({ TextSize::Small }).horizontalAdvance(tr("length")) + m_theme.px(16)));
        m_table->setColumnWidth(Version, int(m_theme.metrics({ TextSize::Small }).horizontalAdvance(tr("version")) + m_theme.px(16)));
        m_table->setColumnWidth(Key, wide("12345678901"));
    }
}

void RecordTable::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_table->setFont(theme.font({ TextSize::Small, false, true }));
    m_table->horizontalHeader()->setFont(theme.font({ TextSize::Small }));
    m_table->verticalHeader()->setDefaultSectionSize(int(theme.lineHeight({ TextSize::Small, false, true }) + theme.px(4)));
    m_table->setMinimumHeight(int(theme.px(20))); // of a low window the text around it keeps its room
    m_title->setFont(theme.font({ TextSize::Title, true }));
    m_details->setFont(theme.font({ TextSize::Small }));
    m_headline->setFont(theme.font({ TextSize::Small }));
    m_nothing->setFont(theme.font({ TextSize::Strong }));
    fitColumns();
}

} // namespace lhrs::gui
