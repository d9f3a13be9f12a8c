// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording/recording_tables.h"

#include "gui/lab/state/keyframe.h"
#include "gui/lab/state/lhrs/place_numbers.h"
#include "gui/lab/tables/qt_text.h"
#include "gui/lab/recording/recording_body.h"
#include "gui/lab/series/lhrs/recovery_rows.h"
#include "gui/lab/words/lhrs/place_words.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/lab/series/lhrs/split_rows.h"

#include <QSqlError>
#include <QStringList>

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

namespace lhrs::gui {

namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
QVariant cellIf(bool isKnown, const QVariant& value) { return isKnown ? value : QVariant(); }

QString marks(int count) { return QStringList(count, "?").join(','); }

template <class Numbers> QString numbersJoined(const Numbers& numbers)
{
    QStringList texts;
    for (const auto number : numbers)
        texts << QString::number(number);
    return texts.join(' ');
}

// The rows of one cluster, folded from its events.
struct ClusterRows {
    struct Failure {
        std::uint32_t group = 0;
        pb::Place place;
        std::uint64_t process = 0;
        std::int64_t suspectedNs = 0, failedNs = 0, restoredNs = 0;
        std::string reason;
    };
    SplitRows splits;
    std::vector<QVariantList> creations;
    std::vector<Failure> failures;
    std::map<std::tuple<int, std::uint32_t, std::uint32_t>, std::int64_t> suspected; // role, group, index -> since when
    QVariant gf; // bits of a symbol
    bool isPureRs = false;

    void take(const pb::Event& event, std::int64_t ns)
    {
        splits.take(event, ns);
        if (event.has_file_created()) {
            gf = event.file_created().config().field() == pb::GF_8 ? 8 : 16;
            isPureRs = event.file_created().config().pure_rs();
        } else if (event.has_parity_bucket_filled() && event.place().role() == pb::PARITY) {
            const pb::ParityBucketFilled& e = event.parity_bucket_filled();
            creations.push_back({ event.place().number(), event.place().column(), gf,
                event.place().column() == 0 && !isPureRs ? "xor" : "rs", e.records(), stored(e.bytes()),
                qlonglong(e.total_ns()), qlonglong(e.process_ns()), qlonglong(e.communication_ns()),
                qlonglong(e.other_ns()), qlonglong(e.transfer_ns()) });
        } else if (event.has_member_suspected()) {
            const pb::MemberSuspected& e = event.member_suspected();
            suspected.try_emplace({ int(e.role()), e.group(), e.index() }, ns);
        } else if (event.has_members_answered()) {
            std::erase_if(
                suspected, [&](const auto& one) { return std::get<1>(one.first) == event.members_answered().group(); });
        } else if (event.has_bucket_failed()) {
            fail(event.bucket_failed(), ns);
        } else if (event.has_recovery_finished()) {
            for (const std::uint32_t bucket : event.recovery_finished().buckets())
                restore(pb::DATA, event.recovery_finished().group(), bucket, ns);
        } else if (event.has_parity_added()) {
            restore(pb::PARITY, event.parity_added().group(), event.parity_added().column(), ns);
        }
    }

    void fail(const pb::BucketFailed& e, std::int64_t ns)
    {
        Failure& failure = failures.emplace_back();
        failure.group = e.group();
        failure.place.set_role(e.role());
        failure.place.set_number(e.role() == pb::PARITY ? e.group() : e.index());
        failure.place.set_column(e.role() == pb::PARITY ? e.index() : 0);
        failure.process = e.process();
        failure.failedNs = ns;
        failure.reason = e.reason();
        if (const auto since = suspected.find({ int(e.role()), e.group(), e.index() }); since != suspected.end()) {
            failure.suspectedNs = since->second;
            suspected.erase(since);
        }
    }

    void restore(pb::Role role, std::uint32_t group, std::uint32_t index, std::int64_t ns)
    {
        for (Failure& failure : failures)
            if (failure.restoredNs == 0 && failure.place.role() == role && failure.group == group
                && (role == pb::PARITY ? failure.place.column() : failure.place.number()) == index)
                failure.restoredNs = ns;
    }
};

} // namespace

QString RecordingTables::make()
{
    if (clear() && findClusters() && findLosses() && operations() && structure() && messages()
        && measurementsAndFaults())
        return {};
    return !m_error.isEmpty()                 ? m_error
        : !m_connection.lastError().isEmpty() ? m_connection.lastError()
                                              : QString("its tables cannot be made");
}

bool RecordingTables::insert(QSqlQuery& query, const QVariantList& values)
{
    for (int i = 0; i < int(values.size()); ++i)
        query.bindValue(i, values[i]);
    if (query.exec())
        return true;
    m_error = query.lastError().text();
    return false;
}

bool RecordingTables::clear()
{
    for (const char* table :
        { "cluster", "operation_row", "message_row", "split_row", "creation_row", "recovery_row", "failure_row" })
        if (!m_connection.run(QString("DELETE FROM %1").arg(table)))
            return false;
    return true;
}

// A cluster begins with the first event, and with the first event after a former cluster was forgotten.
bool RecordingTables::findClusters()
{
    const std::uint64_t last = m_connection.value("SELECT max(id) FROM event").toULongLong();
    m_firsts.clear();
    if (last > 0)
        m_firsts.push_back(1);
    QSqlQuery told(m_connection.database()), row(m_connection.database());
    told.setForwardOnly(true);
    if (!told.exec("SELECT event FROM told WHERE kind = 'forgotten' ORDER BY id"))
        return (m_error = told.lastError().text(), false);
    while (told.next()) {
        const std::uint64_t first = told.value(0).toULongLong() + 1;
        if (first > 1 && first <= last && first > m_firsts.back())
            m_firsts.push_back(first);
    }
    row.prepare("INSERT INTO cluster VALUES (?, ?, ?, (SELECT t_ns FROM event WHERE id = ?), (SELECT t_ns FROM event "
                "WHERE id = ?))");
    for (std::size_t i = 0; i < m_firsts.size(); ++i) {
        const std::uint64_t end = i + 1 < m_firsts.size() ? m_firsts[i + 1] - 1 : last;
        if (!insert(row, { qlonglong(i + 1), stored(m_firsts[i]), stored(end), stored(m_firsts[i]), stored(end) }))
            return false;
    }
    m_endNs = m_connection.value(QString("SELECT t_ns FROM event WHERE id = %1").arg(last)).toLongLong();
    return true;
}

int RecordingTables::clusterOf(std::uint64_t event) const
{
    return std::max(1, int(std::upper_bound(m_firsts.begin(), m_firsts.end(), event) - m_firsts.begin()));
}

// The intervals of lost events: from the last event of the process before the gap to the moment when the gap was
// noticed.
bool RecordingTables::findLosses()
{
    QSqlQuery query(m_connection.database());
    query.setForwardOnly(true);
    if (!query.exec(QString("SELECT g.process, g.t_ns, (SELECT t_ns FROM event e WHERE e.process = g.process AND e.seq "
                            "= g.seq - 1 AND e.kind <> %1),"
                            " (SELECT min(t_ns) FROM event) FROM event g WHERE g.kind = %1 ORDER BY g.id")
                        .arg(kGapKind)))
        return (m_error = query.lastError().text(), false);
    while (query.next()) {
        m_hasGaps[query.value(0).toULongLong()] = true;
        m_losses.add(query.value(query.value(2).isNull() ? 3 : 2).toLongLong(), query.value(1).toLongLong());
    }
    if (!query.exec(
            QString("SELECT process, min(id), t_ns FROM event WHERE kind <> %1 GROUP BY process").arg(kGapKind)))
        return (m_error = query.lastError().text(), false);
    while (query.next())
        m_tellsFrom[query.value(0).toULongLong()] = query.value(2).toLongLong();
    return true;
}

// One row per operation, from all its events.
bool RecordingTables::operations()
{
    struct OperationRow {
        std::int64_t op = -1, beganNs = 0, endNs = 0;
        std::uint64_t client = 0, event = 0;
        bool isStarted = false, isAdjusted = false, isDone = false;
        std::uint64_t messages = 0;
        pb::OperationStarted started;
        pb::OperationDone done;
    } operation;
    QSqlQuery row(m_connection.database());
    if (!row.prepare("INSERT OR REPLACE INTO operation_row VALUES (" + marks(17) + ")"))
        return (m_error = row.lastError().text(), false);
    const auto write = [&] {
        if (!operation.isDone && (!operation.isStarted || m_losses.isWhole(operation.beganNs, LossTimes::kEnd)))
            return true; // under way
        const pb::OperationDone& done = operation.done;
        const std::int64_t began = operation.isStarted ? operation.beganNs : operation.endNs - done.time_ns();
        const bool is = operation.isDone;
        return insert(row,
            { qlonglong(operation.op), clusterOf(operation.event), stored(operation.client),
                QString::fromStdString(operationWord(is ? done.kind() : operation.started.kind())),
                stored(is ? done.key() : operation.started.key()), qlonglong(began),
                cellIf(is, qlonglong(operation.endNs)), cellIf(is, qlonglong(done.time_ns())),
                cellIf(is, QString::fromStdString(resultWord(done.result()))), cellIf(is, qlonglong(done.bucket())),
                cellIf(is, done.rank()), cellIf(is, done.forwards()),
                cellIf(is, int(done.image_adjusted() || operation.isAdjusted)), cellIf(is, pathColumn(done.path())),
                cellIf(is, done.resends()),
                cellIf(operation.messages > 0,
                    stored(operation.messages)), // empty: messages were not observed at this detail level
                int(is && operation.isStarted && m_losses.isWhole(began, operation.endNs)) });
    };
    // Sorted by operation, because servers often report on an operation after its client has finished it.
    QSqlQuery rows(m_connection.database());
    rows.setForwardOnly(true);
    if (!rows.exec("SELECT op, t_ns, process, body, id FROM event WHERE op IS NOT NULL ORDER BY op, id"))
        return (m_error = rows.lastError().text(), false);
    pb::Event event;
    while (rows.next()) {
        const std::int64_t op = rows.value(0).toLongLong();
        if (!parseBody(rows.value(3), event))
            continue;
        if (op != operation.op) {
            if (!write())
                return false;
            operation = OperationRow();
            operation.op = op;
        }
        operation.event = rows.value(4).toULongLong();
        if (event.has_operation_started()) {
            operation.isStarted = true;
            operation.beganNs = rows.value(1).toLongLong();
            operation.client = rows.value(2).toULongLong();
            operation.started = event.operation_started();
        } else if (event.has_image_adjusted()) {
            operation.isAdjusted = operation.isAdjusted || !event.image_adjusted().by_coordinator();
        } else if (event.has_message_sent()) {
            ++operation.messages;
        } else if (event.has_operation_done()) {
            operation.isDone = true;
            operation.endNs = rows.value(1).toLongLong();
            operation.client = rows.value(2).toULongLong();
            operation.done = event.operation_done();
        }
    }
    return write();
}

bool RecordingTables::structure()
{
    using E = pb::Event;
    QStringList kinds;
    for (const int kind : { E::kFileCreatedFieldNumber, E::kSplitOrderedFieldNumber, E::kMergeOrderedFieldNumber,
             E::kSplitFinishedFieldNumber, E::kMergeFinishedFieldNumber, E::kSplitUndoneFieldNumber,
             E::kMergeUndoneFieldNumber, E::kBatchAppliedFieldNumber, E::kStateChangedFieldNumber,
             E::kParityBucketFilledFieldNumber, E::kMemberSuspectedFieldNumber, E::kMembersAnsweredFieldNumber,
             E::kBucketFailedFieldNumber, E::kRecoveryFinishedFieldNumber, E::kParityAddedFieldNumber,
             E::kGroupLostFieldNumber, E::kProcessEndedFieldNumber, E::kRecoveryStartedFieldNumber,
             E::kSliceRecoveredFieldNumber, E::kSliceStoredFieldNumber })
        kinds << QString::number(kind);
    std::map<int, ClusterRows> clusters;
    RecoveryRows recoveries { kNoLimit, 0 };
    QSqlQuery rows(m_connection.database()), ends(m_connection.database());
    rows.setForwardOnly(true);
    ends.setForwardOnly(true);
    if (!rows.exec("SELECT id, process, t_ns, body FROM event NOT INDEXED WHERE kind IN (" + kinds.join(',')
            + ") ORDER BY id"))
        return (m_error = rows.lastError().text(), false);
    if (!ends.exec("SELECT event, process, t_ns FROM told WHERE kind = 'ended' ORDER BY id"))
        return (m_error = ends.lastError().text(), false);
    bool isEnd = ends.next();
    pb::Event event;
    while (rows.next()) {
        const std::uint64_t id = rows.value(0).toULongLong();
        const int cluster = clusterOf(id);
        for (; isEnd && ends.value(0).toULongLong() < id; isEnd = ends.next())
            recoveries.takeEnd(ends.value(1).toULongLong(), ends.value(2).toLongLong());
        if (!parseBody(rows.value(3), event))
            continue;
        recoveries.setCluster(std::uint32_t(cluster));
        recoveries.take(rows.value(1).toULongLong(), event, rows.value(2).toLongLong());
        clusters[cluster].take(event, rows.value(2).toLongLong());
    }
    ends.finish();
    if (!m_firsts.empty())
        recoveries.setCluster(std::uint32_t(m_firsts.size())); // recoveries of former clusters have ended
    QSqlQuery split(m_connection.database()), creation(m_connection.database()), recovery(m_connection.database()),
        failure(m_connection.database());
    if (!split.prepare("INSERT INTO split_row VALUES (NULL," + marks(12) + ")")
        || !creation.prepare("INSERT INTO creation_row VALUES (NULL," + marks(12) + ")")
        || !recovery.prepare("INSERT INTO recovery_row VALUES (NULL," + marks(21) + ")")
        || !failure.prepare("INSERT INTO failure_row VALUES (NULL," + marks(8) + ")"))
        return (m_error = m_connection.database().lastError().text(), false);
    for (const RecoveryRow& r : recoveries.rows()) {
        QStringList survivors;
        for (const pb::Place& place : r.survivors)
            survivors << text(placeName(place));
        const bool is = r.isFinished;
        if (!insert(recovery,
                { r.cluster, stored(r.recovery), r.group, numbersJoined(r.failedData), numbersJoined(r.failedParity),
                    r.manager, survivors.join("; "), cellIf(is, r.isXor ? "xor" : "rs"), cellIf(r.slice != 0, r.slice),
                    cellIf(is, r.slices), cellIf(is, r.records), cellIf(is, stored(r.bytes)),
                    cellIf(r.isOrdered, qlonglong(r.beginNs)),
                    cellIf(r.detectNs.has_value(), qlonglong(r.detectNs.value_or(0))), cellIf(is, qlonglong(r.totalNs)),
                    cellIf(is, qlonglong(r.processNs)), cellIf(is, qlonglong(r.communicationNs)),
                    cellIf(is, qlonglong(r.otherNs)), cellIf(is, qlonglong(r.transferNs)),
                    cellIf(is, qlonglong(r.wholeNs)),
                    is                ? "finished"
                        : r.isGivenUp ? "given up"
                                      : "under way" }))
            return false;
    }
    for (const auto& [cluster, told] : clusters) {
        for (const auto& [id, s] : told.splits.rows()) {
            const std::int64_t locked = told.splits.lockedNs(s);
            if (s.isOrdered
                && !insert(split,
                    { cluster, stored(id), int(s.isMerge), s.bucket, s.other, s.level, cellIf(s.isFinished, s.moved),
                        qlonglong(s.beginNs), cellIf(locked > 0, qlonglong(locked)),
                        cellIf(s.isFinished, qlonglong(s.totalNs)), s.batches,
                        s.outcome.empty() ? QString("under way") : text(s.outcome) }))
                return false;
        }
        for (const QVariantList& c : told.creations)
            if (!insert(creation, QVariantList { cluster } + c))
                return false;
        for (const ClusterRows::Failure& f : told.failures)
            if (!insert(failure,
                    { cluster, f.group, qlonglong(placeNumber(f.place)), stored(f.process),
                        cellIf(f.suspectedNs != 0, qlonglong(f.suspectedNs)), qlonglong(f.failedNs),
                        cellIf(f.restoredNs != 0, qlonglong(f.restoredNs)), text(f.reason) }))
                return false;
    }
    return true;
}

// Finds a measurement's events by its times, within its cluster. A fault's command is the nearest call that creates
// such faults; the clocks of a simulated cluster and of the calls agree within 1 s.
bool RecordingTables::measurementsAndFaults()
{
    const QString last
        = "(SELECT e.id FROM event e JOIN cluster c ON measurement.end_event BETWEEN c.first_event AND c.last_event"
          " WHERE e.t_ns <= measurement.%1 AND e.id BETWEEN c.first_event AND c.last_event ORDER BY e.t_ns DESC, e.id "
          "DESC LIMIT 1)";
    return m_connection.run("UPDATE measurement SET begin_event = coalesce(" + last.arg("begin_ns")
               + ", begin_event), end_event = coalesce(" + last.arg("end_ns")
               + ", end_event) WHERE begin_ns IS NOT NULL")
        && m_connection.run("UPDATE fault_row SET command = (SELECT id FROM (SELECT c.id, max(0, c.t_ns - c.took_ns - "
                            "fault_row.begin_ns, fault_row.begin_ns - c.t_ns) AS away"
                            " FROM command c WHERE c.ok AND c.call IN ('lab.kill', 'lab.restart', 'lab.pause', "
                            "'lab.net', 'lab.partition')"
                            " AND (fault_row.kind NOT IN ('kill', 'crash') OR c.call IN ('lab.kill', 'lab.restart')) "
                            "AND (fault_row.kind <> 'pause' OR c.call = 'lab.pause'))"
                            " WHERE away <= 1000000000 ORDER BY away, id LIMIT 1)");
}

} // namespace lhrs::gui
