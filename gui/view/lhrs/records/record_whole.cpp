// SPDX-License-Identifier: GPL-3.0-or-later
// Work on a whole bucket of the record table: reading all its pages, keeping them as a witness, comparing, writing.
#include "gui/view/lhrs/records/record_model.h"

#include "gui/view/lhrs/words/object_words.h"

#include <QCryptographicHash>

#include <algorithm>
#include <numeric>

namespace lhrs::gui {

namespace {

constexpr std::size_t kAskedAtOnce = 4; // pages

QString cellOfCsv(QString text)
{
    if (!text.contains(QLatin1Char(',')) && !text.contains(QLatin1Char('"')) && !text.contains(QLatin1Char('\n')))
        return text;
    return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

} // namespace

// ---- the whole bucket

void RecordModel::readAll()
{
    m_toRead.clear();
    for (std::uint32_t number = 0; number < pagesInAll(); ++number)
        m_toRead.insert(number);
    m_readsAll = true;
}

// Requests a few pages at a time; an unanswered request is repeated, as for any page.
void RecordModel::readOn()
{
    if (!m_readsAll)
        return;
    if (const QString why = absence(); !why.isEmpty() && !m_toRead.empty()) {
        endReading(why);
        return;
    }
    if (m_toRead.empty()) {
        endReading({});
        return;
    }
    const std::size_t held = std::accumulate(m_pages.begin(), m_pages.end(), std::size_t(0),
        [](std::size_t sum, const auto& page) { return sum + page.second.bytes; });
    if (held > kBytesMax) {
        endReading(tr("only %1 were read: more than %2 MB are not held in this window")
                       .arg(countedWords(m_pages.size() * kPage, "rank", "ranks"))
                       .arg(kBytesMax >> 20));
        return;
    }
    std::size_t asked = 0;
    for (const auto& [number, page] : m_pages)
        asked += page.isAsked ? 1 : 0;
    for (const std::uint32_t number : m_toRead) {
        if (asked >= kAskedAtOnce)
            break;
        if (m_pages[number].isAsked)
            continue;
        ask(number);
        ++asked;
    }
}

void RecordModel::endReading(const QString& problem)
{
    m_readsAll = false;
    m_toRead.clear();
    m_isOrderOld = m_isOrderOld || m_filter.needsBytes();
    if (m_mustCompare && problem.isEmpty()) {
        const std::map<std::uint32_t, Seen> now = seenNow(), &before = m_witnesses[m_bucket].records;
        m_verdicts.clear();
        for (const auto& [rank, seen] : before) {
            const auto found = now.find(rank);
            m_verdicts[rank] = found == now.end() ? WitnessVerdict::Missing
                : found->second == seen           ? WitnessVerdict::Equal
                                                  : WitnessVerdict::Changed;
        }
        for (const auto& [rank, seen] : now) {
            if (!before.contains(rank))
                m_verdicts[rank] = WitnessVerdict::Extra;
        }
        m_comparedAt = stamp();
        beginResetModel();
        m_isCompared = true;
        m_columns = columnsWanted();
        m_isOrderOld = true;
        m_isOrdered = false;
        m_rows = int(rankMax());
        endResetModel();
        arrangeRows();
    }
    m_mustCompare = false;
    emit wholeRead(problem);
}

std::map<std::uint32_t, RecordModel::Seen> RecordModel::seenNow() const
{
    const auto sumOf = [](const std::string& bytes) {
        return QCryptographicHash::hash(
            QByteArrayView(bytes.data(), qsizetype(bytes.size())), QCryptographicHash::Sha256);
    };
    std::map<std::uint32_t, Seen> seen;
    for (const auto& [number, page] : m_pages) {
        for (const auto& [rank, record] : page.data)
            seen[rank] = { { QString::number(record.key()) }, sumOf(record.value()) };
        for (const auto& [rank, record] : page.parity)
            seen[rank] = { keysOf(rank), sumOf(record.parity()) };
    }
    return seen;
}

void RecordModel::takeWitness() { m_witnesses[m_bucket] = { m_pacer.shownNs(), seenNow() }; }

void RecordModel::compare()
{
    if (!hasWitness())
        return;
    m_mustCompare = true;
    readAll();
}

void RecordModel::endComparison()
{
    if (!m_isCompared)
        return;
    beginResetModel();
    m_isCompared = m_isOrdered = false;
    m_verdicts.clear();
    m_columns = columnsWanted();
    if (m_sortColumn >= m_columns)
        m_sortColumn = 0;
    m_rows = int(rankMax());
    m_isOrderOld = true;
    endResetModel();
    arrangeRows();
}

void RecordModel::forgetWitnesses()
{
    m_witnesses.clear();
    endComparison();
}

QString RecordModel::comparisonWords() const
{
    if (!m_isCompared)
        return {};
    std::map<WitnessVerdict, int> sums;
    for (const auto& [rank, verdict] : m_verdicts)
        ++sums[verdict];
    const QString since = stamp() != m_comparedAt ? tr(" (changed again since)") : QString();
    return tr("compared with the witness of %1: %2 equal, %3 changed, %4 missing, %5 extra%6")
        .arg(durationWords(m_witnesses.at(m_bucket).atNs))
        .arg(sums[WitnessVerdict::Equal])
        .arg(sums[WitnessVerdict::Changed])
        .arg(sums[WitnessVerdict::Missing])
        .arg(sums[WitnessVerdict::Extra])
        .arg(since);
}

// ---- out of the window

QString RecordModel::csv() const
{
    const auto lineOf = [](QStringList cells) {
        for (QString& cell : cells)
            cell = cellOfCsv(cell);
        return cells.join(QLatin1Char(',')) + QStringLiteral("\r\n");
    };
    QStringList head;
    if (isParity()) {
        head << "rank";
        for (std::uint32_t position = 0; position < positions(); ++position)
            head << QStringLiteral("key_%1").arg(position) << QStringLiteral("length_%1").arg(position);
        head << "parity_hex";
    } else {
        head << "rank"
             << "key"
             << "length"
             << "version"
             << "bytes_hex";
    }
    if (m_isCompared)
        head << "witness";
    QString out = lineOf(head);
    for (int row = 0; row < m_rows; ++row) {
        const std::uint32_t rank = rankOfRow(row);
        const auto page = m_pages.find((rank - 1) / kPage);
        const auto verdict = m_verdicts.find(rank);
        QStringList cells { QString::number(rank) };
        if (isParity()) {
            const pb::ContentsPage::ParityRecord* record = nullptr;
            if (page != m_pages.end() && page->second.parity.contains(rank))
                record = &page->second.parity.at(rank);
            for (std::uint32_t position = 0; position < positions(); ++position) {
                QString key, length;
                for (int i = 0; record && i < record->members_size(); ++i) {
                    if (record->members(i).position() == position) {
                        key = QString::number(record->members(i).key());
                        length = QString::number(record->members(i).length());
                    }
                }
                cells << key << length;
            }
            cells << (record ? QString::fromLatin1(QByteArray::fromStdString(record->parity()).toHex()) : QString());
        } else {
            const QStringList keys = keysOf(rank);
            if (keys.isEmpty() && verdict == m_verdicts.end())
                continue; // a free rank
            cells << keys.value(0);
            if (page != m_pages.end() && page->second.data.contains(rank)) {
                const pb::ContentsPage::DataRecord& record = page->second.data.at(rank);
                cells << QString::number(record.length()) << QString::number(record.version())
                      << QString::fromLatin1(QByteArray::fromStdString(record.value()).toHex());
            } else {
                cells << QString() << QString() << QString();
            }
        }
        if (m_isCompared)
            cells << (verdict == m_verdicts.end() ? QString() : verdictWord(verdict->second));
        out += lineOf(cells);
    }
    return out;
}

QString RecordModel::rowsAsText(const std::vector<int>& rows) const
{
    QStringList lines;
    for (const int row : rows) {
        QStringList cells;
        for (int column = 0; column < m_columns; ++column)
            cells << data(index(row, column)).toString();
        lines << cells.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace lhrs::gui
