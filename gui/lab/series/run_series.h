// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/series/lhrs/file_series.h"
#include "gui/lab/state/cluster_state.h"

#include <cstdint>
#include <vector>

namespace lhrs::gui {

// The series of a run, with what each system adds. Live events and a recording give the same result. Not thread-safe;
// Ingest guards its own.
class RunSeries : public TimeSeries {
public:
    using TimeSeries::TimeSeries;

    void take(ProcessId process, const pb::Event& event, std::int64_t runNs);
    void take(ProcessId process, const pb::Told& told, std::int64_t runNs);
    void take(const RunEvent& run);
    // Begins in the middle of a run, with what the processes hold then.
    void learn(const ClusterState& state, std::int64_t runNs);

    // The cluster number of the next events, if the caller knows it: a part of a run does not begin with its first
    // cluster.
    void setCluster(std::uint32_t number);

    // A copy of what is drawn, without the data needed only for further counting.
    RunSeries shown() const;

    const FileSeries& file() const { return m_file; }
    // Whether what is of a file is drawn: there was one in this run, or its next cluster may have one.
    bool isOfFile() const { return m_system.empty() || m_file.isThere(); }
    // The kinds of events that it takes; 0: gaps.
    static std::vector<int> kinds();

private:
    bool m_hasEvents = false; // of the present cluster
    std::uint32_t m_cluster = 1;
    std::string m_system; // of the last process that was introduced, as ProcessInfo has it
    FileSeries m_file;
};

} // namespace lhrs::gui
