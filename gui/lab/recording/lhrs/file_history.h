// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/series/lhrs/recovery_rows.h"
#include "gui/lab/series/lhrs/split_rows.h"
#include "gui/lab/state/process/process_state.h"
#include "proto/event.pb.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace lhrs::gui {

// What happened to the files of a run, folded from its events: splits, parity creations, recoveries and failures.
class FileHistory {
public:
    struct Creation {
        int cluster = 1;
        std::uint32_t group = 0, column = 0;
        std::uint32_t gf = 0; // bits of a symbol; 0: unknown
        bool isXor = false;
        pb::ParityBucketFilled filled;
    };
    struct Failure {
        int cluster = 1;
        std::uint32_t group = 0;
        pb::Place place;
        std::uint64_t process = 0;
        std::int64_t suspectedNs = 0, failedNs = 0, restoredNs = 0; // 0: not known, not yet
        std::string reason;
    };

    // `slices`: how many slices of each recovery are kept.
    explicit FileHistory(std::size_t slices);

    // In the order of the run; `cluster` counts from 1.
    void take(int cluster, ProcessId process, const pb::Event& event, std::int64_t ns);
    void takeEnd(ProcessId process, std::int64_t ns) { m_recoveries.takeEnd(process, ns); }
    // Recoveries of former clusters have ended.
    void begin(int cluster);

    const std::map<int, SplitRows>& splits() const { return m_splits; } // by cluster
    const std::vector<Creation>& creations() const { return m_creations; }
    const std::deque<RecoveryRow>& recoveries() const { return m_recoveries.rows(); }
    const std::vector<Failure>& failures() const { return m_failures; }

private:
    void fail(const pb::BucketFailed& e, std::int64_t ns);
    void restore(pb::Role role, std::uint32_t group, std::uint32_t index, std::int64_t ns);

    std::map<int, SplitRows> m_splits;
    std::vector<Creation> m_creations;
    RecoveryRows m_recoveries;
    std::vector<Failure> m_failures;
    // Of the present cluster.
    int m_cluster = 0;
    std::map<std::tuple<int, std::uint32_t, std::uint32_t>, std::int64_t> m_suspected; // role, group, index -> since
    std::uint32_t m_gf = 0;
    bool m_isPureRs = false;
};

} // namespace lhrs::gui
