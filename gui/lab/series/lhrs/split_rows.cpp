// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/series/lhrs/split_rows.h"

#include <algorithm>
#include <limits>

namespace lhrs::gui {

void SplitRows::order(
    std::uint64_t id, std::uint32_t bucket, std::uint32_t other, std::uint32_t level, std::int64_t runNs, bool isMerge)
{
    SplitRow& split = m_rows[id];
    if (!split.isOrdered)
        split.beginNs = runNs;
    split.isOrdered = true;
    split.isMerge = isMerge;
    split.bucket = bucket;
    split.other = other;
    split.level = level;
}

template <class Finished> void SplitRows::finish(const Finished& e)
{
    SplitRow& split = m_rows[e.split()];
    split.isFinished = true;
    split.moved = e.moved();
    split.totalNs = e.total_ns();
    split.outcome = "finished";
}

std::int64_t SplitRows::lockedNs(const SplitRow& row) const
{
    std::int64_t next = std::numeric_limits<std::int64_t>::max(), since = 0;
    for (const auto& [id, other] : m_rows)
        if (other.isOrdered && other.bucket == row.bucket && other.beginNs > row.beginNs)
            next = std::min(next, other.beginNs);
    const auto locks = m_locks.find(row.bucket);
    if (locks == m_locks.end())
        return 0;
    for (const auto& [ns, isLocked] : locks->second) {
        if (ns < row.beginNs || ns >= next)
            continue;
        if (isLocked && since == 0)
            since = ns;
        else if (!isLocked && since != 0)
            return std::max<std::int64_t>(1, ns - since);
    }
    return 0;
}

void SplitRows::take(const pb::Event& event, std::int64_t runNs)
{
    if (event.has_split_ordered()) {
        const auto& e = event.split_ordered();
        order(e.split(), e.bucket(), e.new_bucket(), e.level(), runNs, false);
    } else if (event.has_merge_ordered()) {
        const auto& e = event.merge_ordered();
        order(e.split(), e.bucket(), e.into(), e.level(), runNs, true);
    } else if (event.has_split_finished()) {
        finish(event.split_finished());
    } else if (event.has_merge_finished()) {
        finish(event.merge_finished());
    } else if (event.has_split_undone()) {
        m_rows[event.split_undone().split()].outcome = "undone: " + event.split_undone().reason();
    } else if (event.has_merge_undone()) {
        m_rows[event.merge_undone().split()].outcome = "undone: " + event.merge_undone().reason();
    } else if (event.has_batch_applied()) {
        ++m_rows[event.batch_applied().split()].batches;
    } else if (event.has_state_changed() && event.place().role() == pb::DATA) {
        const auto state = event.state_changed().state();
        m_locks[event.place().number()].emplace_back(runNs, state == pb::SPLITTING || state == pb::MERGING);
    }
}

} // namespace lhrs::gui
