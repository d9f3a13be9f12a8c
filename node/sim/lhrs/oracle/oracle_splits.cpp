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
        const check::Version* version = m_answers.ledger().latest(key);
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
    m_growth.onRecordsArrived(event.place().number());
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
    if (const DataBucket* bucket = m_places.dataBucket(event.place().number()))
        report(check::checkRanks(extract(*bucket)));
    m_touched.insert(m_deferred.begin(), m_deferred.end());
    m_deferred.clear();
}

} // namespace lhrs
