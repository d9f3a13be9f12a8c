// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/lab/recording/rows/recorded_system.h"

#include <QString>
#include <QVariant>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace lhrs::gui {

// Writes one .lhrun file, in one thread. After the first error nothing more is written; the file is readable up to
// the last commit.
class RecordingWriter {
public:
    RecordingWriter();
    // Creates the file. Returns an error sentence, or empty. An existing file is left untouched.
    QString create(const QString& path, const std::map<QString, QString>& meta);
    QString error() const { return m_error; }
    bool isOpen() const { return m_isOpen; }

    void addEvent(ProcessId process, const pb::Event& event, std::int64_t tNs);
    // A gap takes a place among the events; any other report is stored beside them.
    void addTold(ProcessId process, const pb::Told& told, std::int64_t tNs, const QString& reason);
    void addKeyframe(const ClusterState& state, std::int64_t tNs);
    // Adds a row to any other table; `columns` names its columns without id.
    void addRow(const QString& table, const QString& columns, const QVariantList& values);
    void addMeasurement(const QString& columns, const QVariantList& values, const std::map<QString, QVariant>& metrics);
    void setMeta(const QString& key, const QString& value);

    void commitIfDue(bool isNow);
    // Makes a complete recording of what another program or thread has written so far. An existing file is replaced
    // once the copy is complete. Returns an error sentence, or empty if saved.
    static QString saveCopy(const QString& from, const QString& to);
    // Completes the tables that need the whole run, and the indexes. A single file remains.
    void finish();
    // Closes the file in its present state.
    void abandon();

    std::uint64_t lastEvent() const { return m_lastEvent; }
    std::uint64_t bytesSinceKeyframe() const { return m_bytesSinceKeyframe; }
    std::int64_t fileBytes();

private:
    void fail(const QString& what);
    static QString writeCopy(const QString& from, const QString& to);
    bool run(QSqlQuery& query);
    struct Healing {
        std::int64_t tNs = 0;
        std::uint64_t after = 0; // the event that it follows
        bool containsEvents = false;
    };
    void flushEvents();
    void healed(ProcessId process, const Healing& healing);
    void endHealing();
    void update(const QString& statement, const QVariantList& values);
    void addProcess(const pb::ProcessInfo& info, std::int64_t tNs);
    void takeStructure(ProcessId process, const pb::Event& event, std::int64_t tNs);
    std::optional<std::int64_t> operationOf(const pb::RequestId& id);
    void addKill(ProcessId process, std::int64_t tNs, const QString& endedBy, const pb::Fault* fault);
    void endFaults(ProcessId process, const std::string& reason, std::int64_t tNs);
    void pauseFault(ProcessId process, bool isPaused, std::int64_t tNs);

    QString m_path;
    QString m_error;
    bool m_isOpen = false, m_isInTransaction = false;
    RecordingConnection m_connection;
    std::unique_ptr<QSqlQuery> m_rows, m_row; // statements for 20 events and for one event
    QVariantList m_pending; // values of events not yet passed to SQLite
    std::int64_t m_rowsInTransaction = 0;
    std::int64_t m_transactionBegan = 0;
    std::uint64_t m_lastEvent = 0, m_lastTold = 0, m_lastKeyframe = 0;
    std::uint64_t m_bytesSinceKeyframe = 0;
    std::vector<std::unique_ptr<SystemNotes>> m_notes; // of every system
    std::set<ProcessId> m_processes; // processes that have a row
    std::optional<std::uint64_t> m_seed; // the simulation's seed; empty if real
    std::map<ProcessId, std::int64_t> m_operationBase; // by client of this cluster
    // Processes of this cluster whose events are complete, from the first one or from a snapshot after a loss; and
    // the snapshots of other processes, until it is known whether they had lost events.
    std::set<ProcessId> m_whole;
    std::map<ProcessId, Healing> m_healing;
    std::int64_t m_nextBase = 0;
    // Number of the present cluster, from 1, and the last event of the former one.
    int m_cluster = 1;
    std::uint64_t m_clusterBegan = 0;
};

} // namespace lhrs::gui
