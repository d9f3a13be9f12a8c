// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/records/record_model.h"

#include "gui/view/lhrs/words/file_words.h"
#include "gui/view/lhrs/words/object_words.h"

#include <QBrush>

#include <algorithm>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr double kReadAgain = 0.5; // seconds between two readings of a page that changes
constexpr double kAskAgain = 6; // seconds after which an unanswered request for a page is repeated
constexpr double kOrderAgain = 0.3; // seconds between two sorts of rows that change
constexpr std::size_t kBytesShown = 64;
enum DataColumn { RankColumn, KeyColumn, LengthColumn, VersionColumn, HexColumn, TextColumn, DataColumns };

} // namespace

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

const RankMap* RecordModel::ranks() const
{
    const ClusterState& state = m_pacer.state();
    if (isParity()) {
        const auto found = state.parity.find({ std::uint32_t(m_bucket.a), std::uint32_t(m_bucket.b) });
        return found == state.parity.end() ? nullptr : &found->second.ranks;
    }
    const auto found = state.data.find(std::uint32_t(m_bucket.a));
    return m_bucket.kind != ObjectKind::Data || found == state.data.end() ? nullptr : &found->second.ranks;
}

std::uint32_t RecordModel::recordsInAll() const
{
    const RankMap* known = ranks();
    return known ? known->count() : 0;
}

QString RecordModel::absence() const
{
    const ClusterState& state = m_pacer.state();
    if (!m_bucket)
        return {};
    const QString name = fileWords().nameOf(state, m_bucket);
    const auto served = state.processes.find(process());
    if (process() == 0 || served == state.processes.end())
        return tr("No process serves %1 now.").arg(name);
    const Condition condition = lookOf(state, m_bucket, nullptr).condition;
    if (served->second.hasEnded)
        return tr("The process of %1 has ended (%2): what it held cannot be read.")
            .arg(name, QString::fromStdString(served->second.endReason));
    if (condition == Condition::Lost)
        return tr("%1 is lost: more members of its group failed than the parity replaces.").arg(name);
    if (condition == Condition::Failed)
        return tr("%1 was declared failed: its process no longer answers as this bucket.").arg(name);
    if (condition == Condition::Rebuilding)
        return tr("%1 is being rebuilt; its records can be read when it is back.").arg(name);
    return {};
}

int RecordModel::columnsWanted() const
{
    if (!m_bucket)
        return 0;
    return (isParity() ? int(positions()) + 2 : int(DataColumns)) + (m_isCompared ? 1 : 0);
}

void RecordModel::setBucket(ObjectRef bucket)
{
    if (bucket.kind != ObjectKind::Data && bucket.kind != ObjectKind::Parity)
        bucket = {};
    if (bucket == m_bucket)
        return;
    beginResetModel();
    const bool wasReading = m_readsAll;
    m_bucket = bucket;
    m_process = process();
    m_pages.clear();
    m_wanted.clear();
    m_trouble.clear();
    m_readAt = 0;
    ++m_generation;
    m_isCompared = m_mustCompare = m_readsAll = false;
    m_toRead.clear();
    m_verdicts.clear();
    m_isOrdered = false;
    m_order.clear();
    m_isOrderOld = isOrderWanted();
    if (m_sortColumn >= columnsWanted())
        m_sortColumn = 0;
    m_rows = int(rankMax());
    m_columns = columnsWanted();
    endResetModel();
    if (wasReading)
        endReading(tr("another bucket was chosen, or another process serves it now"));
}

void RecordModel::refresh(double now)
{
    m_now = now;
    if (!m_bucket)
        return;
    if (process() != m_process || columnsWanted() != m_columns) {
        const ObjectRef bucket = m_bucket;
        setBucket({});
        setBucket(bucket);
    }
    const auto rows = int(rankMax());
    if (m_isOrdered || isOrderWanted()) {
        // The rows are computed again below.
    } else if (rows > m_rows) {
        beginInsertRows({}, m_rows, rows - 1);
        m_rows = rows;
        endInsertRows();
    } else if (rows < m_rows) {
        beginRemoveRows({}, rows, m_rows - 1);
        m_rows = rows;
        endRemoveRows();
    }
    // Keys and ranks are those of the shown state: the views read them again, and thereby request the pages that
    // changed.
    const std::uint64_t newest = stamp();
    m_isOrderOld = m_isOrderOld || newest != m_stamp;
    if (newest != m_stamp && m_rows > 0)
        emit dataChanged(index(0, 0), index(m_rows - 1, m_columns - 1));
    m_stamp = newest;
    if (m_isOrderOld && (m_isOrdered || isOrderWanted()) && (m_orderedAt < 0 || now - m_orderedAt >= kOrderAgain))
        arrangeRows();
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
            m_wanted.insert(number); // it has changed since it was read: it is requested again a moment later
    }
    readOn();
}

// ---- order

// Sorts by what is known of every rank without reading it. Rows with the same key, and parity records, are sorted by
// rank.
void RecordModel::arrangeRows()
{
    m_orderedAt = m_now;
    m_isOrderOld = false;
    std::vector<std::uint32_t> found;
    const RankMap* known = ranks();
    const bool wantsOrder = isOrderWanted();
    if (wantsOrder && known) {
        const std::uint32_t last = std::max(known->rankMax(), m_verdicts.empty() ? 0 : m_verdicts.rbegin()->first);
        for (std::uint32_t rank = 1; rank <= last; ++rank) {
            const bool isMissing = m_verdicts.contains(rank) && m_verdicts.at(rank) == WitnessVerdict::Missing;
            if ((known->has(rank) || isMissing || !isFiltered())
                && (!isFiltered() || m_filter.takes(rank, keysOf(rank), bytesOf(rank))))
                found.push_back(rank);
        }
        const auto verdictOf = [this](std::uint32_t rank) {
            const auto verdict = m_verdicts.find(rank);
            return verdict == m_verdicts.end() ? -1 : int(verdict->second);
        };
        if (m_isCompared && m_sortColumn == m_columns - 1) // differing rows come first
            std::stable_sort(found.begin(), found.end(),
                [&](std::uint32_t x, std::uint32_t y) { return verdictOf(x) > verdictOf(y); });
        else if (m_sortColumn == KeyColumn && !isParity())
            std::stable_sort(found.begin(), found.end(), [&](std::uint32_t x, std::uint32_t y) {
                return std::pair(!known->has(x), known->has(x) ? known->at(x) : 0)
                    < std::pair(!known->has(y), known->has(y) ? known->at(y) : 0);
            });
        if (m_sortOrder == Qt::DescendingOrder)
            std::reverse(found.begin(), found.end());
    }
    if (wantsOrder == m_isOrdered && found == m_order)
        return;
    beginResetModel();
    m_isOrdered = wantsOrder;
    m_order = std::move(found);
    m_rows = m_isOrdered ? int(m_order.size()) : int(rankMax());
    endResetModel();
}

int RecordModel::rowOfRank(std::uint32_t rank) const
{
    if (!m_isOrdered)
        return rank >= 1 && int(rank) <= m_rows ? int(rank) - 1 : -1;
    const auto found = std::find(m_order.begin(), m_order.end(), rank);
    return found == m_order.end() ? -1 : int(found - m_order.begin());
}

bool RecordModel::canSortBy(int column) const
{
    return column == 0 || (column == KeyColumn && !isParity()) || (m_isCompared && column == m_columns - 1);
}

void RecordModel::sort(int column, Qt::SortOrder order)
{
    if (!canSortBy(column))
        return;
    m_sortColumn = column;
    m_sortOrder = order;
    arrangeRows();
}

void RecordModel::setFilter(const QString& words)
{
    m_filter = RecordFilter::of(words);
    if (m_filter.needsBytes() && !m_readsAll)
        readAll();
    arrangeRows();
}

const std::string* RecordModel::bytesOf(std::uint32_t rank) const
{
    const auto page = m_pages.find((rank - 1) / kPage);
    if (page == m_pages.end())
        return nullptr;
    if (isParity()) {
        const auto record = page->second.parity.find(rank);
        return record == page->second.parity.end() ? nullptr : &record->second.parity();
    }
    const auto record = page->second.data.find(rank);
    return record == page->second.data.end() ? nullptr : &record->second.value();
}

// The keys in the list of a parity record, if its page has been read.
QStringList RecordModel::keysOf(std::uint32_t rank) const
{
    if (!isParity()) {
        const RankMap* known = ranks();
        return known && known->has(rank) ? QStringList { QString::number(known->at(rank)) } : QStringList();
    }
    QStringList keys;
    if (const auto page = m_pages.find((rank - 1) / kPage); page != m_pages.end()) {
        if (const auto record = page->second.parity.find(rank); record != page->second.parity.end()) {
            for (const auto& member : record->second.members())
                keys << QString::number(member.key());
        }
    }
    return keys;
}

// ---- pages

void RecordModel::want(std::uint32_t page) const { m_wanted.insert(page); }

void RecordModel::ask(std::uint32_t number)
{
    Page& page = m_pages[number];
    page.isAsked = true;
    page.askedAt = std::max(m_now, 1e-3);
    page.stamp = stamp();
    if (m_process == 0)
        return;
    m_source.readContents(m_process, number * kPage + 1, kPage, this,
        [this, number, generation = m_generation](const ContentsAnswer& answer) {
            if (generation == m_generation) // otherwise it is of another bucket
                take(number, answer);
        });
}

void RecordModel::take(std::uint32_t number, const ContentsAnswer& answer)
{
    Page& here = m_pages[number];
    here.isAsked = false;
    if (!answer.isOk) {
        m_trouble = answer.why;
        if (m_readsAll)
            endReading(answer.why);
        return;
    }
    m_trouble.clear();
    here.isHere = true;
    here.data.clear();
    here.parity.clear();
    here.bytes = answer.page.ByteSizeLong();
    for (const auto& record : answer.page.data())
        here.data[record.rank()] = record;
    for (const auto& record : answer.page.parity())
        here.parity[record.rank()] = record;
    m_readAt = answer.page.sequence();
    for (const std::uint64_t applied : answer.page.applied())
        m_readAt += applied;
    m_toRead.erase(number);
    m_isOrderOld = m_isOrderOld || m_filter.kind != RecordFilter::Kind::All;
    if (m_isOrdered) {
        if (m_rows > 0)
            emit dataChanged(index(0, 0), index(m_rows - 1, m_columns - 1));
        return;
    }
    const int first = int(number * kPage), last = std::min(m_rows, int((number + 1) * kPage)) - 1;
    if (first <= last)
        emit dataChanged(index(first, 0), index(last, m_columns - 1));
}

QString RecordModel::headline() const
{
    if (!m_bucket)
        return {};
    if (!m_trouble.isEmpty())
        return tr("The bytes could not be read: %1").arg(m_trouble);
    QStringList words;
    if (isFiltered())
        words << tr("%1 of %2 listed")
                     .arg(grouped(std::uint64_t(m_rows)))
                     .arg(countedWords(recordsInAll(), "record", "records"));
    if (m_readsAll)
        words << tr("reading the whole bucket: %1 of %2")
                     .arg(pagesInAll() - std::min(pagesInAll(), m_toRead.size()))
                     .arg(countedWords(pagesInAll(), "page", "pages"));
    else if (m_readAt == 0 && m_rows > 0)
        words << tr("reading the bytes from the process …");
    if (m_readAt != 0)
        words << (isParity() ? tr("bytes read after %1 applied changes").arg(grouped(m_readAt))
                             : tr("bytes read at sequence %1").arg(grouped(m_readAt)));
    if (m_isCompared)
        words << comparisonWords();
    return words.join(QStringLiteral("; "));
}

int RecordModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : m_rows; }

int RecordModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : m_columns; }

QVariant RecordModel::dataCell(std::uint32_t rank, int column) const
{
    const auto bucket = m_pacer.state().data.find(std::uint32_t(m_bucket.a));
    if (column == RankColumn)
        return rank;
    if (bucket == m_pacer.state().data.end() || !bucket->second.ranks.has(rank))
        return column == KeyColumn ? QVariant(tr("free rank")) : QVariant();
    if (column == KeyColumn)
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
    case LengthColumn: return record->second.length();
    case VersionColumn: return QVariant::fromValue<qulonglong>(record->second.version());
    case HexColumn: return hexOf(record->second.value(), kBytesShown);
    case TextColumn: return textOf(record->second.value(), kBytesShown);
    case RankColumn:
    case KeyColumn:
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
    if (column == int(positions()) + 1)
        return hexOf(record->second.parity(), kBytesShown);
    const auto position = std::uint32_t(column) - 1;
    for (const auto& member : record->second.members()) {
        if (member.position() == position)
            return tr("%1 (%2 B)").arg(member.key()).arg(member.length());
    }
    return QStringLiteral("–");
}

void RecordModel::setMark(std::uint32_t rank, QColor colour)
{
    if (rank == m_marked && colour == m_markColour)
        return;
    const std::uint32_t before = std::exchange(m_marked, rank);
    m_markColour = colour;
    for (const std::uint32_t changed : { before, rank })
        if (const int row = changed > 0 ? rowOfRank(changed) : -1; row >= 0 && row < rowCount())
            emit dataChanged(index(row, 0), index(row, columnCount() - 1), { Qt::BackgroundRole });
}

QVariant RecordModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (role == Qt::BackgroundRole)
        return m_marked != 0 && rankOfRow(index.row()) == m_marked ? QVariant(QBrush(m_markColour)) : QVariant();
    if (role == Qt::TextAlignmentRole) {
        const bool isNumber = index.column() == 0
            || (!isParity() && (index.column() == LengthColumn || index.column() == VersionColumn));
        return int((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::AccessibleTextRole)
        return {};
    const std::uint32_t rank = rankOfRow(index.row());
    if (m_isCompared && index.column() == m_columns - 1) {
        const auto verdict = m_verdicts.find(rank);
        return verdict == m_verdicts.end() ? QString() : verdictWord(verdict->second);
    }
    return isParity() ? parityCell(rank, index.column()) : dataCell(rank, index.column());
}

QVariant RecordModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const char* const kTitles[] = { "rank", "key", "length", "version", "bytes (hex)", "bytes (text)" };
    if (orientation != Qt::Horizontal || section < 0 || section >= m_columns)
        return {};
    if (role == Qt::ToolTipRole)
        return canSortBy(section) ? tr("A click sorts by this")
                                  : tr("Bytes are read page by page, so the whole bucket cannot be sorted by this");
    if (role != Qt::DisplayRole)
        return {};
    if (m_isCompared && section == m_columns - 1)
        return tr("witness");
    if (!isParity())
        return QString::fromLatin1(kTitles[section]);
    if (section == 0)
        return QStringLiteral("rank");
    if (section == int(positions()) + 1)
        return tr("parity bytes (hex)");
    return tr("bucket %1").arg(m_bucket.a * positions() + std::uint64_t(section) - 1);
}

} // namespace lhrs::gui
