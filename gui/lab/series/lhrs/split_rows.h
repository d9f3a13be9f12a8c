// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/event.pb.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lhrs::gui {

// A split or merge of buckets, as the coordinator, the buckets and their parity buckets reported it.
struct SplitRow {
    // other: the new bucket; of a merge the bucket that takes the records.
    std::uint32_t bucket = 0, other = 0, level = 0, moved = 0, batches = 0;
    std::int64_t beginNs = 0, totalNs = 0; // begin on the run's clock
    bool isMerge = false, isOrdered = false, isFinished = false;
    std::string outcome; // empty: under way
};

// The splits and merges of one cluster, folded from its events.
class SplitRows {
public:
    void take(const pb::Event& event, std::int64_t runNs);
    // By identifier. Rows that are not ordered were reported by one side only.
    const std::map<std::uint64_t, SplitRow>& rows() const { return m_rows; }
    // How long changes to the bucket waited, by the bucket's own reports between this order and its next one, in
    // whatever order processes were heard. 0: they did not wait, or it is unknown.
    std::int64_t lockedNs(const SplitRow& row) const;

private:
    void order(std::uint64_t id, std::uint32_t bucket, std::uint32_t other, std::uint32_t level, std::int64_t runNs,
        bool isMerge);
    template <class Finished> void finish(const Finished& e);

    std::map<std::uint64_t, SplitRow> m_rows;
    // By bucket: the times at which its changes began to wait (true) or no longer waited (false).
    std::map<std::uint32_t, std::vector<std::pair<std::int64_t, bool>>> m_locks;
};

} // namespace lhrs::gui
