// SPDX-License-Identifier: GPL-3.0-or-later
// The oracle on splits and merges: the order in which they begin and are decided, and their effects on the buckets.
#include "node/sim/lhrs/oracle/oracle.h"

#include "common/check/say.h"

#include <memory>
#include <utility>

namespace lhrs {

using check::say;

// ---- splits

void Oracle::onRecordsMoved(const SimProcess& process, const pb::Event& event)
{
    if (m_places.isCut(process))
        return; // for the same reason as in onSplitApplied
    const auto& moved = event.records_moved();
    const std::uint32_t target = event.place().number();
    const Places::Holder* holder = m_places.holderOf(target);
    // (A starting coordinator may find a bucket that was declared failed before any process was told.)
    if (!holder || holder->incarnation != m_places.incarnationOf(process))
        return; // the process was paused, and the split that was to create the bucket is undone
    // The records count once the split is committed; until then its sequence number may still become an empty change.
    auto& arrived = m_arrived[target];
    for (int i = 0; i < moved.keys_size(); ++i) {
        const std::uint64_t key = moved.keys(i);
        const check::Version* version = m_ledger.latest(key);
        if (!version || !version->isPresent)
            // A late block of an undone split; if the split is not undone, the check at the commit finds the misplaced
            // key.
            continue;
        // A record that is moved again has changed in between.
        BucketHistory::Slot& slot = arrived[moved.new_ranks(i)];
        if (slot.isPresent && slot.key != key)
            fail(3, say("bucket ", target, " puts two records that moved at rank ", moved.new_ranks(i)));
        slot = { 0, true, key, std::make_shared<const std::string>(version->value) };
    }
    for (const std::uint32_t rank : moved.gone_ranks())
        arrived.erase(rank);
}

void Oracle::onSplitApplied(const SimProcess& process, const pb::Event& event)
{
    if (m_places.isCut(process))
        return; // it was paused and does not know that it was replaced: its number may belong to another bucket by now
    const auto& applied = event.split_applied();
    BucketHistory& history = m_histories[event.place().number()];
    auto arrived = std::exchange(m_arrived[event.place().number()], {});
    if (history.known() >= applied.sequence())
        return; // it was declared failed; its parity buckets have already shown what it would report
    for (auto& [rank, slot] : arrived) {
        slot.sequence = applied.sequence();
        m_touchedKeys.emplace(event.place().number(), slot.key);
        history.set(rank, slot);
    }
    if (m_merging && m_merging->second == event.place().number())
        m_merging.reset(); // the target has the records of the last bucket
    for (const std::uint32_t rank : applied.left_ranks())
        history.set(rank, { applied.sequence(), false, 0, nullptr });
    for (int i = 0; i < applied.from_ranks_size(); ++i) {
        const BucketHistory::Slot* before = history.latest(applied.from_ranks(i));
        const BucketHistory::Slot* there = history.latest(applied.to_ranks(i));
        if (!before || !before->isPresent || (there && there->isPresent))
            return fail(3,
                say("bucket ", event.place().number(), " moves rank ", applied.from_ranks(i), " to ",
                    applied.to_ranks(i), ", which is no move from a used to a free one"));
        const BucketHistory::Slot record = *before;
        history.set(applied.from_ranks(i), { applied.sequence(), false, 0, nullptr });
        history.set(applied.to_ranks(i), { applied.sequence(), true, record.key, record.value });
    }
    history.know(applied.sequence());
    m_authorityTouched = true;
    if (const DataBucket* bucket = m_places.dataBucket(event.place().number()))
        report(check::checkRanks(extract(*bucket)));
    m_touched.insert(m_deferred.begin(), m_deferred.end());
    m_deferred.clear();
}

// Splits are ordered one after the other or, if the file permits, each one right after those that are under way.
void Oracle::onSplitOrdered(const pb::SplitOrdered& ordered)
{
    const std::uint64_t target = m_file.buckets() + m_openSplits.size();
    if (!m_openSplits.empty() && !m_config.parallel_splits())
        fail(11, say("the split of bucket ", ordered.bucket(), " is ordered while another is under way"));
    if (ordered.new_bucket() != target)
        fail(11,
            say("the split of bucket ", ordered.bucket(), " into ", ordered.new_bucket(), " is ordered where bucket ",
                target, " comes next"));
    m_findings.counts.beside += m_openSplits.empty() ? 0 : 1;
    m_openSplits.insert(ordered.split());
}

// ---- merges

void Oracle::onMergeEvent(const pb::Event& event)
{
    m_authorityTouched = true;
    if (event.has_merge_ordered()) {
        m_hasMerged = true;
        return;
    }
    if (event.has_merge_committed()) {
        const auto& merge = event.merge_committed();
        const check::FileState after { merge.file().i(), merge.file().n() };
        // A merge is a split in reverse: splitting again must lead back to the present state of the file.
        report(check::checkSplitOrder(after, merge.into(), merge.bucket(), m_file));
        m_file = after;
        m_merging = { merge.bucket(), merge.into() };
        m_commits.push_back(m_cluster.now());
        ++m_findings.counts.merges;
        return;
    }
    if (event.has_merge_finished()) {
        m_merging.reset();
        const std::uint32_t groups = std::uint32_t((m_file.buckets() + m_config.m() - 1) / m_config.m());
        m_groups.erase(m_groups.lower_bound(groups), m_groups.end());
        m_columns.erase(m_columns.lower_bound(groups), m_columns.end());
        onUndone(event.merge_finished().bucket()); // the bucket no longer exists
    }
    m_touched.insert(m_deferred.begin(), m_deferred.end());
    m_deferred.clear();
}

} // namespace lhrs
