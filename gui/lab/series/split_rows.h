// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/event.pb.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lhrs::gui {

// A split or a merge of buckets, as the coordinator, the buckets and their parity told of it.
struct SplitRow {
    std::uint32_t bucket = 0, other = 0, level = 0, moved = 0, batches = 0; // other: the new bucket; of a merge the one that takes
    std::int64_t beginNs = 0, totalNs = 0;                                  // begin on the run's clock
    bool isMerge = false, isOrdered = false, isFinished = false;
    std::string outcome;                                                    // empty: under way
};

// The splits and merges of one cluster, folded from its events.
class SplitRows {
public:
    void take(const pb::Event& event, std::int64_t runNs);
    // By identifier; those that are not ordered were told by one side only.
    const std::map<std::uint64_t, SplitRow>& rows() const { return m_rows; }
    // How long changes to its bucket waited: the bucket's own words between this order and its next one, whichever process was
    // heard first. 0: they did not, or it is not known.
    std::int64_t lockedNs(const SplitRow& row) const;

private:
    void order(std::uint64_t id, std::uint32_t bucket, std::uint32_t other, std::uint32_t level, std::int64_t runNs, bool isMerge);
    template <class Finished>
    void finish(const Finished& e);

    std::map<std::uint64_t, SplitRow> m_rows;
    std::map<std::uint32_t, std::vector<std::pair<std::int64_t, bool>>> m_locks; // bucket: when its changes began to wait, or waited no more
};

} // namespace lhrs::gui
