// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/process/process_state.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lhrs::gui {

// One recovery of a group's lost data buckets, as the coordinator and the recovery manager reported it.
struct RecoveryRow {
    struct Slice {
        std::uint32_t number = 0, rankFirst = 0, ranks = 0;
        std::int64_t requestedNs = 0, arrivedNs = 0, decodedNs = 0; // since the manager's order
        std::int64_t recoveredNs = 0, storedNs = 0; // on the run's clock; 0: not observed
        std::uint64_t inBytes = 0, outBytes = 0;
    };
    std::uint64_t recovery = 0;
    std::uint32_t cluster = 1; // of the run; identifiers restart in each cluster
    std::uint32_t group = 0, manager = 0, slice = 0, slices = 0, records = 0;
    std::vector<std::uint32_t> failedData, failedParity;
    std::vector<pb::Place> survivors;
    std::uint64_t bytes = 0;
    bool isXor = false, isOrdered = false, isFinished = false, isGivenUp = false;
    // On the run's clock: the coordinator's order (if isOrdered; else estimated), and its report of the end.
    std::int64_t beginNs = 0, endNs = 0;
    // From the manager's order to the last spare's acknowledgement: the sum of the next three.
    std::int64_t totalNs = 0;
    std::int64_t processNs = 0, communicationNs = 0, otherNs = 0;
    std::int64_t transferNs = 0; // within totalNs, overlapping the three
    // From the first suspicion to the buckets being enabled again, by the coordinator's events.
    std::int64_t wholeNs = 0;
    // From the end of a process to its bucket being declared failed, the latest of them; empty: no end was observed.
    std::optional<std::int64_t> detectNs;
    std::vector<Slice> perSlice; // the observed ones
    // The time around the recovery itself: suspicion, probes, the cut, finding a spare, and enabling the buckets.
    std::int64_t aroundNs() const { return wholeNs - totalNs; }
};

// The recoveries of a run, folded from its events: the newest `rowsMax`, each with a limited number of slices.
class RecoveryRows {
public:
    explicit RecoveryRows(std::size_t rowsMax = 256, std::size_t slicesMax = 4'096)
        : m_rowsMax(rowsMax), m_slicesMax(slicesMax)
    {
    }

    void take(ProcessId process, const pb::Event& event, std::int64_t runNs);
    void takeEnd(ProcessId process, std::int64_t runNs);
    // The following events belong to the cluster with this number.
    void setCluster(std::uint32_t number);
    void clear() { m_rows.clear(); }
    const std::deque<RecoveryRow>& rows() const { return m_rows; }

private:
    // Finds or makes the row; the reports of several processes may arrive in any order.
    RecoveryRow& rowOf(std::uint32_t group, std::uint64_t recovery, std::int64_t runNs);
    RecoveryRow* find(std::uint32_t group, std::uint64_t recovery);
    RecoveryRow* findRecovery(std::uint64_t recovery);
    std::optional<std::int64_t> detection(const std::vector<std::pair<ProcessId, std::int64_t>>& failed) const;

    std::size_t m_rowsMax, m_slicesMax;
    std::deque<RecoveryRow> m_rows; // in the order of their start
    // (recovery, slice) -> time, if it was stored before the manager's report arrived
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::int64_t> m_storedEarly;
    std::uint32_t m_cluster = 1;
    std::map<std::uint32_t, std::vector<std::uint32_t>> m_parityDown; // by group; columns declared failed
    // By group, since its last recovery: the bucket's process, and when it was declared failed.
    std::map<std::uint32_t, std::vector<std::pair<ProcessId, std::int64_t>>> m_failed;
    std::map<ProcessId, std::int64_t> m_ended;
};

} // namespace lhrs::gui
