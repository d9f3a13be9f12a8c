// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording/recording.h"

#include "gui/lab/state/keyframe.h"
#include "gui/lab/recording/rows/recording_body.h"
#include "gui/lab/recording/recording_schema.h"

#include <QSqlError>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace lhrs::gui {

namespace {

constexpr int kCapturesMax = 600; // readings combined for one page; more than a page has records
constexpr qlonglong kRowsMax = 10'000'000; // limit for a table without a known number of rows
constexpr std::uint64_t kSkip = 256; // events skipped together where the file is unreadable

} // namespace

// Passes rows of events with ids in (from, last] that fulfil the condition to `take`, in order, skipping unreadable
// parts. `take` returns false to stop.
void Recording::scan(const QString& columns, const QString& condition, std::uint64_t from, std::uint64_t last,
    const std::function<bool(const QSqlQuery&)>& take)
{
    while (from < last) {
        QSqlQuery query(m_connection.database());
        query.setForwardOnly(true);
        query.prepare("SELECT " + columns + " FROM event NOT INDEXED WHERE id > ? AND id <= ?"
            + (condition.isEmpty() ? QString() : " AND " + condition) + " ORDER BY id");
        query.addBindValue(stored(from));
        query.addBindValue(stored(last));
        if (query.exec())
            while (query.next()) {
                const std::uint64_t id = query.value(0).toULongLong();
                if (id <= from)
                    continue; // from a damaged page, whose rows are not in order
                from = id;
                if (!take(query))
                    return;
            }
        if (!query.lastError().isValid())
            return;
        from = (from / kSkip + 1) * kSkip;
    }
}

QString Recording::meta(const QString& key) const
{
    const auto at = m_meta.find(key);
    return at == m_meta.end() ? QString() : at->second;
}

std::vector<std::map<QString, QVariant>> Recording::rows(const QString& table)
{
    std::vector<std::map<QString, QVariant>> all;
    QString columns;
    const QString name = recordingTable(table, m_version);
    for (const QString& known : recordingColumns(m_version))
        if (known.section('(', 0, 0) == name)
            columns = known.section('(', 1).chopped(1);
    // The recording knows its number of rows; foreign rows, of which there may be any number, are not read.
    const auto written = m_written.find(name);
    QSqlQuery query(m_connection.database());
    query.setForwardOnly(true);
    if (columns.isEmpty()
        || !query.exec(QString("SELECT %1 FROM %2 ORDER BY rowid LIMIT %3")
                           .arg(columns, name)
                           .arg(written == m_written.end() ? kRowsMax : written->second)))
        return all;
    const QStringList names = columns.split(',');
    while (query.next()) {
        auto& row = all.emplace_back();
        for (int i = 0; i < int(names.size()); ++i)
            row[names[i]] = query.value(i);
    }
    return all;
}

std::vector<Recording::Note> Recording::notes(const QString& table)
{
    std::vector<Note> notes;
    for (const auto& row : rows(table))
        notes.push_back({ row.at("event").toULongLong(), row.at("t_ns").toLongLong(), row.at("kind").toString(),
            row.at("step").toString(), row.at("text").toString() });
    return notes;
}

std::vector<ReelEntry> Recording::reel()
{
    std::vector<ReelEntry> reel;
    for (const auto& row : rows("reel"))
        if (auto entry = reelEntryOf(row.at("entry").toString().toUtf8()))
            reel.push_back(std::move(*entry));
    return reel;
}

void Recording::captured(std::int64_t place, std::uint32_t first, std::uint32_t count, std::uint64_t event,
    const std::function<bool(const CapturedPart&)>& take)
{
    QSqlQuery query(m_connection.database());
    query.setForwardOnly(true);
    query.prepare(QString("SELECT rank_first, rank_count, %1 FROM capture WHERE place = ? AND event <= ? AND "
                          "rank_first < ? AND rank_first + rank_count > ?"
                          " ORDER BY id DESC LIMIT %2")
                      .arg(bounded("body"))
                      .arg(kCapturesMax));
    query.addBindValue(qlonglong(place));
    query.addBindValue(stored(event));
    query.addBindValue(stored(std::uint64_t(first) + count));
    query.addBindValue(first);
    if (!query.exec())
        return;
    bool goesOn = true;
    while (goesOn && query.next())
        goesOn = query.value(2).isNull() // too long
            || take({ place, query.value(0).toUInt(), query.value(1).toUInt(), query.value(2).toByteArray() });
}

std::vector<std::uint64_t> Recording::keyframes()
{
    std::vector<std::uint64_t> events;
    QSqlQuery query(m_connection.database());
    query.setForwardOnly(true);
    if (query.exec("SELECT event FROM keyframe ORDER BY id"))
        while (query.next())
            events.push_back(query.value(0).toULongLong());
    return events;
}

std::uint64_t Recording::eventAt(std::int64_t ns)
{
    QSqlQuery query(m_connection.database());
    // In a damaged file the index itself may be unreadable.
    for (const char* index : { "", "NOT INDEXED" }) {
        query.prepare(QString("SELECT max(id) FROM event %1 WHERE t_ns <= ? AND id <= ?").arg(index));
        query.addBindValue(qlonglong(ns));
        query.addBindValue(stored(m_events));
        if (query.exec() && query.next())
            return query.value(0).toULongLong();
    }
    return 0;
}

std::uint64_t Recording::eventNumbered(ProcessId process, std::uint64_t sequence)
{
    QSqlQuery query(m_connection.database());
    query.prepare("SELECT id FROM event WHERE process = ? AND seq = ? AND kind <> ? AND id <= ?");
    query.addBindValue(stored(process));
    query.addBindValue(stored(sequence));
    query.addBindValue(kGapKind);
    query.addBindValue(stored(m_events));
    return query.exec() && query.next() ? query.value(0).toULongLong() : 0;
}

Result<std::unique_ptr<Recording>> Recording::openLive(const QString& path)
{
    std::unique_ptr<Recording> recording(new Recording);
    recording->m_path = path;
    if (const QString problem = recording->m_connection.open(path, RecordingConnection::Mode::Read); !problem.isEmpty())
        return Error { problem.toStdString() };
    recording->m_connection.run("PRAGMA query_only = ON");
    recording->refresh();
    return recording;
}

void Recording::refresh()
{
    QSqlQuery query(m_connection.database());
    if (query.exec("SELECT id, t_ns FROM event ORDER BY id DESC LIMIT 1") && query.next()) {
        m_events = query.value(0).toULongLong();
        m_endNs = std::max<std::int64_t>(m_endNs, query.value(1).toLongLong());
    }
    if (m_beginNs == 0)
        m_beginNs = m_connection.value("SELECT t_ns FROM event WHERE id = 1").toLongLong();
}

namespace {

QString listed(const std::vector<int>& kinds)
{
    QStringList numbers;
    for (const int kind : kinds)
        numbers << QString::number(kind);
    return "(" + numbers.join(',') + ")";
}

} // namespace

std::uint64_t Recording::nextOf(const std::vector<int>& kinds, std::uint64_t cursor, bool isBack)
{
    const QString text = isBack
        ? QString("SELECT max(id) FROM event WHERE id <= %1 AND kind IN %2").arg(cursor).arg(listed(kinds))
        : QString("SELECT min(id) FROM event WHERE id > %1 AND id <= %2 AND kind IN %3")
              .arg(cursor)
              .arg(m_events)
              .arg(listed(kinds));
    return m_connection.value(text).toULongLong();
}

std::vector<RunEvent> Recording::allOf(const std::vector<int>& kinds)
{
    std::vector<RunEvent> events;
    QSqlQuery query(m_connection.database());
    query.setForwardOnly(true);
    if (query.exec(
            QString("SELECT id, process, seq, t_ns, kind, %1 FROM event WHERE id <= %2 AND kind IN %3 ORDER BY id")
                .arg(bounded("body"))
                .arg(m_events)
                .arg(listed(kinds))))
        while (query.next())
            events.push_back(entryOf(query));
    return events;
}

EventPage Recording::eventsOf(const std::vector<int>& kinds, std::uint64_t cursor, std::uint64_t last, std::size_t max)
{
    EventPage page;
    // Reads in the order of the rows; an index on kinds would be walked once per kind, and the result sorted.
    scan("id, process, seq, t_ns, kind, " + bounded("body"), "kind IN " + listed(kinds), cursor,
        std::min(last, m_events), [&](const QSqlQuery& row) {
            page.events.push_back(entryOf(row));
            return page.events.size() < max;
        });
    page.next = page.events.size() >= max ? page.events.back().index : last;
    return page;
}

std::vector<Recording::Word> Recording::words()
{
    std::vector<Word> words;
    QSqlQuery query(m_connection.database());
    query.setForwardOnly(true);
    if (query.exec(
            "SELECT event, process, t_ns, " + bounded("body") + " FROM told WHERE kind IS NOT 'sampled' ORDER BY id"))
        while (query.next()) {
            Word& word = words.emplace_back();
            word.event = query.value(0).toULongLong();
            word.process = ProcessId(query.value(1).toLongLong());
            word.tNs = query.value(2).toLongLong();
            if (!parseBody(query.value(3), word.told))
                words.pop_back();
        }
    return words;
}

std::vector<std::uint32_t> Recording::density(int parts)
{
    std::vector<std::uint32_t> counts(std::size_t(std::max(1, parts)));
    const std::int64_t part = std::max<std::int64_t>(1, (m_endNs - m_beginNs) / std::int64_t(counts.size()) + 1);
    QSqlQuery query(m_connection.database());
    query.setForwardOnly(true);
    if (query.exec(QString("SELECT (t_ns - %1) / %2, count(*) FROM event GROUP BY 1").arg(m_beginNs).arg(part)))
        while (query.next()) {
            const std::int64_t at = std::clamp<std::int64_t>(
                query.value(0).toLongLong(), 0, std::int64_t(counts.size()) - 1);
            counts[std::size_t(at)] += query.value(1).toUInt();
        }
    return counts;
}

// Converts a row (id, process, seq, t_ns, kind, body); an unreadable event becomes a gap.
RunEvent Recording::entryOf(const QSqlQuery& row)
{
    RunEvent entry;
    entry.index = row.value(0).toULongLong();
    entry.process = ProcessId(row.value(1).toLongLong());
    entry.runNs = row.value(3).toLongLong();
    entry.gapFirst = entry.gapLast = row.value(2).toULongLong();
    if (row.value(4).toInt() == kGapKind) {
        pb::Told told;
        if (parseBody(row.value(5), told) && told.has_gap())
            entry.gapLast = told.gap().last();
        return entry;
    }
    auto event = std::make_shared<pb::Event>();
    if (parseBody(row.value(5), *event))
        entry.event = std::move(event);
    return entry;
}

EventPage Recording::eventsSince(std::uint64_t cursor, std::size_t max)
{
    EventPage page;
    page.next = cursor;
    const std::uint64_t last = std::min(m_events, cursor + std::min<std::uint64_t>(max, m_events));
    std::int64_t ns = m_beginNs;
    // A missing row becomes a gap without a process.
    const auto fillUpTo = [&](std::uint64_t id) {
        while (page.next < id) {
            RunEvent& hole = page.events.emplace_back();
            hole.index = ++page.next;
            hole.runNs = ns;
        }
    };
    scan("id, process, seq, t_ns, kind, " + bounded("body"), {}, cursor, last, [&](const QSqlQuery& row) {
        fillUpTo(row.value(0).toULongLong() - 1);
        page.events.push_back(entryOf(row));
        ns = page.events.back().runNs;
        ++page.next;
        return page.next < last;
    });
    fillUpTo(std::max(last, cursor));
    return page;
}

Result<ClusterState> Recording::stateOfKeyframe(std::uint64_t keyframe, const QByteArray& body)
{
    pb::Keyframe frame;
    if (!frame.ParseFromArray(body.data(), int(body.size())))
        return Error { "a keyframe cannot be read" };
    QSqlQuery query(m_connection.database());
    query.prepare("SELECT " + bounded("body")
        + " FROM keyframe_page WHERE place = ? AND page = ? AND keyframe <= ? ORDER BY keyframe DESC LIMIT 1");
    return stateOf(frame, [&](std::int64_t place, std::uint32_t page) -> std::optional<pb::RankPage> {
        query.bindValue(0, qlonglong(place));
        query.bindValue(1, page);
        query.bindValue(2, stored(keyframe));
        pb::RankPage out;
        if (!query.exec() || !query.next() || !parseBody(query.value(0), out))
            return std::nullopt;
        return out;
    });
}

// The id of the last report at or before the event. Both numbers increase together, so a binary search works; there
// is no index while the file is being written.
std::uint64_t Recording::lastToldAt(std::uint64_t event)
{
    QSqlQuery query(m_connection.database());
    query.setForwardOnly(true);
    std::uint64_t low = 0,
                  high = query.exec("SELECT max(id) FROM told") && query.next() ? query.value(0).toULongLong() : 0;
    query.prepare("SELECT event FROM told WHERE id <= ? ORDER BY id DESC LIMIT 1");
    while (low < high) {
        const std::uint64_t middle = low + (high - low + 1) / 2;
        query.bindValue(0, stored(middle));
        const bool isBefore = query.exec() && (!query.next() || query.value(0).toULongLong() <= event);
        isBefore ? low = middle : high = middle - 1;
    }
    return low;
}

// The last report that belongs to the instant of this event. A `forgotten` report and everything after it belong to
// the next cluster: while the last event of a cluster is shown, the cluster still exists. Reports later than `ns` are
// excluded too.
std::uint64_t Recording::lastWordOf(std::uint64_t event, std::int64_t ns)
{
    const std::uint64_t last = lastToldAt(event), before = event == 0 ? last : lastToldAt(event - 1);
    QSqlQuery query(m_connection.database());
    query.setForwardOnly(true);
    query.prepare("SELECT min(id) FROM told WHERE id > ? AND id <= ? AND (kind = 'forgotten' OR t_ns > ?)");
    query.addBindValue(stored(before));
    query.addBindValue(stored(last));
    query.addBindValue(qlonglong(ns));
    return query.exec() && query.next() && !query.value(0).isNull() ? query.value(0).toULongLong() - 1 : last;
}

// Folds what follows a keyframe. False: it cannot be read.
bool Recording::foldTail(
    ClusterState& state, std::uint64_t event, std::uint64_t& told, std::uint64_t until, std::int64_t ns)
{
    // A report follows the event whose id it names.
    std::deque<Word> words;
    QSqlQuery query(m_connection.database());
    query.setForwardOnly(true);
    const std::uint64_t lastWord = lastWordOf(until, ns);
    query.prepare(
        "SELECT event, process, t_ns, " + bounded("body") + " FROM told WHERE id > ? AND id <= ? ORDER BY id");
    query.addBindValue(stored(told));
    query.addBindValue(stored(lastWord));
    if (!query.exec())
        return false;
    told = std::max(told, lastWord);
    while (query.next()) {
        Word& word = words.emplace_back(Word {
            query.value(0).toULongLong(), ProcessId(query.value(1).toLongLong()), query.value(2).toLongLong(), {} });
        if (!parseBody(query.value(3), word.told))
            return false;
    }
    const auto tellUpTo = [&](std::uint64_t id) {
        for (; !words.empty() && words.front().event <= id; words.pop_front())
            state.apply(words.front().process, words.front().told, words.front().tNs);
    };
    query.prepare(
        "SELECT id, process, t_ns, kind, " + bounded("body") + " FROM event WHERE id > ? AND id <= ? ORDER BY id");
    query.addBindValue(stored(event));
    query.addBindValue(stored(until));
    if (!query.exec())
        return false;
    tellUpTo(event);
    std::uint64_t last = event;
    pb::Event body;
    pb::Told gap;
    while (query.next()) {
        if (query.value(0).toULongLong() != last + 1)
            return false;
        ++last;
        const auto process = ProcessId(query.value(1).toLongLong());
        const std::int64_t tNs = query.value(2).toLongLong();
        const bool isGap = query.value(3).toInt() == kGapKind;
        if (isGap ? !parseBody(query.value(4), gap) : !parseBody(query.value(4), body))
            return false;
        const auto known = state.processes.find(process);
        if (isGap)
            state.apply(process, gap, tNs);
        else if (known == state.processes.end() || body.sequence() > known->second.contained)
            state.apply(process, body, tNs); // the others are contained in a snapshot
        tellUpTo(last);
    }
    return last == until;
}

bool Recording::fold(ClusterState& state, std::uint64_t from, std::uint64_t to)
{
    std::uint64_t told = lastWordOf(from, kEndOfTime);
    return foldTail(state, from, told, to, kEndOfTime);
}

Result<ClusterState> Recording::stateAt(std::uint64_t event, std::uint64_t* told, std::int64_t ns)
{
    const std::uint64_t until = std::min(event, m_events), lastWord = lastWordOf(until, ns);
    QSqlQuery query(m_connection.database());
    query.setForwardOnly(true);
    query.prepare("SELECT id, event, told, " + bounded("body") + " FROM keyframe WHERE event <= ? ORDER BY id DESC");
    query.addBindValue(stored(until));
    std::string why = "it has no keyframe before this event";
    if (!query.exec())
        why = query.lastError().databaseText().toStdString();
    // The newest readable keyframe; after damage it may not be the last one.
    while (query.isActive() && query.next()) {
        std::uint64_t word = query.value(2).toULongLong();
        if (word > lastWord)
            continue; // from the next cluster
        auto state = stateOfKeyframe(query.value(0).toULongLong(), query.value(3).toByteArray());
        if (state && foldTail(*state, query.value(1).toULongLong(), word, until, ns)) {
            if (told != nullptr)
                *told = word;
            return state;
        }
        why = state ? "events after the keyframe cannot be read" : state.error().text;
    }
    return Error { m_path.toStdString() + ": the state at event " + std::to_string(until) + " cannot be shown, because "
        + why + "." };
}

} // namespace lhrs::gui
