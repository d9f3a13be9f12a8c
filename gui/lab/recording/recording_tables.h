// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/series/loss_times.h"
#include "gui/lab/recording/recording_file.h"

#include <QString>
#include <QVariant>

#include <cstdint>
#include <map>
#include <vector>

namespace lhrs::gui {

constexpr int kOperationBits = 44; // of event.op: the client's own number

// Makes, at the end of a recording, the tables that need all of it: clusters, operations, messages, splits, recoveries, failures,
// and what links measurements and faults to events and commands (scenarios/DATA.md). Reads the file itself, so that it is the same
// for a recording that has just ended, for a copy of one, and for a copy of one whose program was killed. What cannot be
// parsed is passed over. The memory that it needs does not grow with the number of events.
class RecordingTables {
public:
    explicit RecordingTables(RecordingConnection& connection) : m_connection(connection) {}

    // Tables that are there already are made anew. An error is what SQLite says, empty: made.
    QString make();

private:
    bool clear();
    bool findClusters();
    bool findLosses();
    bool operations();
    bool structure();
    bool messages();
    bool keepMessageWords();
    bool measurementsAndFaults();
    bool insert(QSqlQuery& query, const QVariantList& values);
    int clusterOf(std::uint64_t event) const;

    RecordingConnection& m_connection;
    QString m_error;
    std::vector<std::uint64_t> m_firsts; // event with which each cluster begins, ascending
    LossTimes m_losses;
    std::map<std::uint64_t, std::int64_t> m_tellsFrom; // processes, and when their first event was
    std::map<std::uint64_t, bool> m_hasGaps;           // processes of which events were lost
    std::int64_t m_endNs = 0;
};

} // namespace lhrs::gui
