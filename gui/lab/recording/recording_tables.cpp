// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording/recording_tables.h"

#include "gui/lab/tables/qt_text.h"
#include "gui/lab/recording/recording_systems.h"
#include "gui/lab/recording/rows/recorded_cells.h"
#include "gui/lab/recording/rows/recording_body.h"
#include "gui/lab/words/process/process_words.h"

#include <QHash>
#include <QSqlError>
#include <QStringList>

#include <algorithm>
#include <memory>
#include <vector>

namespace lhrs::gui {

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
    m_error = insertRow(query, values);
    return m_error.isEmpty();
}

bool RecordingTables::clear()
{
    QStringList tables { "cluster", "operation_row", "message_row" };
    for (const RecordedSystem* system : recordedSystems())
        for (const RecordedTable& table : system->tables)
            tables << table.name;
    return std::all_of(tables.cbegin(), tables.cend(),
        [this](const QString& table) { return m_connection.run(QString("DELETE FROM %1").arg(table)); });
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
    QSqlQuery processes(m_connection.database());
    processes.setForwardOnly(true);
    if (!processes.exec("SELECT id, kind FROM process"))
        return (m_error = processes.lastError().text(), false);
    QHash<std::uint64_t, QString> kinds;
    while (processes.next())
        kinds.insert(processes.value(0).toULongLong(), processes.value(1).toString());
    QSqlQuery row(m_connection.database());
    if (!row.prepare("INSERT OR REPLACE INTO operation_row VALUES (" + marks(17) + ")"))
        return (m_error = row.lastError().text(), false);
    const auto write = [&] {
        if (!operation.isDone && (!operation.isStarted || m_losses.isWhole(operation.beganNs, LossTimes::kEnd)))
            return true; // under way
        const pb::OperationDone& done = operation.done;
        const std::int64_t began = operation.isStarted ? operation.beganNs : operation.endNs - done.time_ns();
        const bool is = operation.isDone;
        const OperationCells own = is ? operationCells(kinds.value(operation.client), done, operation.isAdjusted)
                                      : OperationCells();
        return insert(row,
            { qlonglong(operation.op), clusterOf(operation.event), stored(operation.client),
                QString::fromStdString(operationWord(is ? done.kind() : operation.started.kind())),
                stored(is ? done.key() : operation.started.key()), qlonglong(began),
                known(is, qlonglong(operation.endNs)), known(is, qlonglong(done.time_ns())),
                known(is, QString::fromStdString(resultWord(done.result()))), own.place, own.number,
                known(is, done.forwards()), own.isAdjusted.isNull() ? QVariant() : QVariant(own.isAdjusted.toInt()),
                known(is, QString::fromStdString(pathWord(done.path()))), known(is, done.resends()),
                known(operation.messages > 0,
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
        } else if (adjustsClient(event)) {
            operation.isAdjusted = true;
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
    std::vector<std::unique_ptr<SystemRows>> systems;
    QStringList kinds;
    for (const RecordedSystem* system : recordedSystems()) {
        systems.push_back(system->rows(false));
        for (const int kind : system->kinds)
            kinds << QString::number(kind);
    }
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
        for (; isEnd && ends.value(0).toULongLong() < id; isEnd = ends.next())
            for (const auto& system : systems)
                system->takeEnd(ends.value(1).toULongLong(), ends.value(2).toLongLong());
        if (!parseBody(rows.value(3), event))
            continue;
        for (const auto& system : systems)
            system->take(clusterOf(id), rows.value(1).toULongLong(), event, rows.value(2).toLongLong());
    }
    ends.finish();
    for (const auto& system : systems)
        if (m_error = system->write(m_connection, int(m_firsts.size())); !m_error.isEmpty())
            return false;
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
