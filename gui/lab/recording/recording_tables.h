// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/series/process/loss_times.h"
#include "gui/lab/recording/rows/recording_file.h"

#include <QString>
#include <QVariant>

#include <cstdint>
#include <map>
#include <vector>

namespace lhrs::gui {

constexpr int kOperationBits = 44; // bits of event.op for the client's own number

// At the end of a recording, creates the tables that need all of it: clusters, operations, messages, those of each
// system, and the links from measurements and faults to events and commands (scenarios/DATA.md). It
// reads the file itself, so that the result is the same for a finished recording, a copy, and a recording whose
// program was killed. Unparsable bodies are skipped. Memory use does not grow with the number of events.
class RecordingTables {
public:
    explicit RecordingTables(RecordingConnection& connection) : m_connection(connection) { }

    // Existing tables are replaced. Returns SQLite's error text, or empty on success.
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
    std::vector<std::uint64_t> m_firsts; // first event of each cluster, ascending
    LossTimes m_losses;
    std::map<std::uint64_t, std::int64_t> m_tellsFrom; // time of the first event of each process
    std::map<std::uint64_t, bool> m_hasGaps; // processes that lost events
    std::int64_t m_endNs = 0;
};

} // namespace lhrs::gui
