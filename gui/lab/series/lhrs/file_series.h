// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/series/lhrs/recovery_rows.h"
#include "gui/lab/series/process/time_series.h"
#include "gui/lab/state/lhrs/file_view.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace lhrs::gui {

// The levels of a file.
enum class SeriesLevelKind { Load = int(RunLevel::End), Records, Buckets, DataBytes, ParityBytes };
static_assert(std::size_t(SeriesLevelKind::ParityBytes) < kSeriesLevels);

// What a file of LH*RS adds to the series of a run: its levels, its failures, its recoveries.
class FileSeries {
public:
    void take(TimeSeries& run, ProcessId process, const pb::Event& event, std::int64_t runNs);
    void take(TimeSeries& run, ProcessId process, const pb::Snapshot& snapshot, std::int64_t runNs);
    // The process has ended, as the watcher knows.
    void takeEnd(TimeSeries& run, ProcessId process, std::int64_t runNs);
    // Begins in the middle of a run, with what the processes hold then.
    void learn(TimeSeries& run, const FileView& state, std::int64_t runNs);
    void setCluster(std::uint32_t number) { m_recoveries.setCluster(number); }
    void forgetCluster();
    // Drops what was drawn so far.
    void clear();
    // A copy of what is drawn.
    FileSeries shown() const;

    const std::deque<RecoveryRow>& recoveries() const { return m_recoveries.rows(); }
    // Whether there was a file in the run.
    bool isThere() const { return m_isThere; }
    std::uint32_t m() const { return m_m; }
    std::uint32_t k() const { return m_k; } // the maximum over all groups
    // The kinds of events that it takes.
    static const std::vector<int>& kinds();

private:
    struct Holder { // the levels of one process
        pb::Role role = pb::NO_ROLE;
        std::uint64_t records = 0, storeBytes = 0;
    };

    void set(TimeSeries& run, ProcessId process, const Holder& holder, std::int64_t runNs);
    Holder holderOf(ProcessId process) const;
    void note(TimeSeries& run, std::int64_t runNs);
    void takeStructure(TimeSeries& run, ProcessId process, const pb::Event& event, std::int64_t runNs);
    void takeFailures(TimeSeries& run, const pb::Event& event, std::int64_t runNs);

    std::map<ProcessId, Holder> m_holders;
    std::uint64_t m_records = 0, m_dataBytes = 0, m_parityBytes = 0;
    std::uint32_t m_buckets = 0, m_b = 0, m_m = 0, m_k = 0;
    bool m_isThere = false;
    RecoveryRows m_recoveries { 256, 0 };
};

} // namespace lhrs::gui
