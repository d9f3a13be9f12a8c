// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/event.pb.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lhrs::gui {

// One recovery of a group's lost data buckets, as the coordinator and the recovery manager told of it.
struct RecoveryRow {
    struct Slice {
        std::uint32_t number = 0, rankFirst = 0, ranks = 0;
        std::int64_t requestedNs = 0, arrivedNs = 0, decodedNs = 0; // after the manager's order
        std::int64_t recoveredNs = 0, storedNs = 0;                  // on the run's clock; 0: not seen
        std::uint64_t inBytes = 0, outBytes = 0;
    };
    std::uint64_t recovery = 0;
    std::uint32_t group = 0, manager = 0, slice = 0, slices = 0, records = 0;
    std::vector<std::uint32_t> failedData, failedParity;
    std::vector<pb::Place> survivors;
    std::uint64_t bytes = 0;
    bool isXor = false, isFinished = false, isGivenUp = false;
    std::int64_t beginNs = 0, endNs = 0;               // on the run's clock
    std::int64_t totalNs = 0, rebuildNs = 0;           // from the first suspicion; from the manager's order
    std::int64_t processNs = 0, communicationNs = 0, otherNs = 0, transferNs = 0; // of rebuildNs; transfers overlap
    std::vector<Slice> perSlice;                       // as far as they were seen
    // Until the manager began: suspicion, probes, the cut, a spare.
    std::int64_t detectNs() const { return isFinished ? totalNs - rebuildNs : 0; }
};

// The recoveries of a run, folded from its events; the newest `rowsMax` and of each so many slices.
class RecoveryRows {
public:
    explicit RecoveryRows(std::size_t rowsMax = 256, std::size_t slicesMax = 4'096) : m_rowsMax(rowsMax), m_slicesMax(slicesMax) {}

    void take(const pb::Event& event, std::int64_t runNs);
    const std::deque<RecoveryRow>& rows() const { return m_rows; }

private:
    // A new one where there is none yet: of several processes' words any may come first.
    RecoveryRow& rowOf(std::uint32_t group, std::uint64_t recovery, std::int64_t runNs);
    RecoveryRow* find(std::uint32_t group, std::uint64_t recovery);
    RecoveryRow* findRecovery(std::uint64_t recovery);

    std::size_t m_rowsMax, m_slicesMax;
    std::deque<RecoveryRow> m_rows; // in the order in which they began
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::int64_t> m_storedEarly; // recovery, slice -> when, before the manager's word of it
    std::map<std::uint32_t, std::vector<std::uint32_t>> m_parityDown; // by group, while declared failed
};

} // namespace lhrs::gui
