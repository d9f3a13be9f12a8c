// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/lhrs/oracle/bucket_histories.h"

#include "node/lhrs/server/node_machine.h"

#include <algorithm>
#include <memory>
#include <string>

namespace lhrs {

using check::say;

check::DataBucket copyOf(const DataBucket& bucket)
{
    const RecordStore& store = bucket.store();
    check::DataBucket copy;
    copy.number = bucket.number().value;
    copy.level = bucket.level();
    copy.sequence = bucket.link().sequence();
    copy.rankMax = store.rankMax().value;
    copy.freeRanks = store.freeRanks();
    for (Rank rank(1); rank <= store.rankMax(); rank = rank.next()) {
        if (store.has(rank)) {
            const RecordStore::Record record = store.at(rank);
            copy.records.push_back({ rank.value, record.key.value, record.version, std::string(record.value) });
        } else if (std::find(copy.freeRanks.begin(), copy.freeRanks.end(), rank.value) == copy.freeRanks.end()) {
            copy.waitingRanks.push_back(rank.value);
        }
    }
    return copy;
}

const BucketHistory* BucketHistories::of(std::uint32_t number) const
{
    const auto history = m_histories.find(number);
    return history == m_histories.end() ? nullptr : &history->second;
}

const BucketHistory* BucketHistories::knownUpTo(std::uint32_t number, std::uint64_t sequence)
{
    learn(number, sequence);
    const BucketHistory* history = of(number);
    return history && history->known() >= sequence ? history : nullptr;
}

bool BucketHistories::isBehindTheGone(GroupNumber g, NodeId process) const
{
    const SimProcess* holder = m_cluster.numbered(process);
    const ParityBucket* parity = holder ? m_places.parityBucketAt(holder->index) : nullptr;
    for (Position q; parity && q.value < m_settings.m; q = q.next()) {
        const std::uint32_t number = bucketAt(g, q, m_settings.m).value;
        const BucketHistory* history = of(number);
        if (history && m_places.isGone(number) && history->known() > parity->applied(q))
            return true;
    }
    return false;
}

void BucketHistories::onBegun(std::uint32_t number)
{
    forget(number);
    m_histories.try_emplace(number);
}

void BucketHistories::forget(std::uint32_t number)
{
    m_histories.erase(number);
    m_arrived.erase(number);
    std::erase_if(m_batches, [number](const auto& item) { return item.first.first == number; });
}

// ---- changes

void BucketHistories::onChanged(const DataBucket& bucket, const Change& change)
{
    const std::uint32_t number = bucket.number().value;
    const bool isInsert = change.kind == check::RequestKind::Insert;
    BucketHistory& history = m_histories[number];
    const std::string where = say("bucket ", number, ", change ", change.sequence, " of key ", change.key);
    if (change.sequence <= history.known())
        fail(1, where, ": sequence numbers run backwards, ", history.known(), " was used");
    const BucketHistory::Slot* before = history.latest(change.rank);
    if (!isInsert && (!before || !before->isPresent || before->key != change.key))
        fail(3, where, ": the key is not at rank ", change.rank);
    if (isInsert && before && before->isPresent)
        fail(3, where, ": rank ", change.rank, " is taken by key ", before->key);
    if (isInsert && before && !before->isPresent) {
        // A parity bucket counts here once all members rely on it; one that has just become UP may not have reached
        // that point.
        const std::set<std::uint32_t> counted = m_availability.countedColumns(number / m_settings.m);
        for (const Availability::Column& column : m_availability.columnsOf(bucket))
            if (counted.contains(column.column) && column.applied < before->sequence)
                fail(3, where, ": rank ", change.rank, ", freed by change ", before->sequence,
                    ", is used again while parity bucket ", column.column, " has applied ", column.applied);
    }
    const bool isPresent = change.kind != check::RequestKind::Delete;
    const check::Version* version = m_ledger.latest(change.key);
    history.set(change.rank,
        { change.sequence, isPresent, change.key,
            isPresent && version ? std::make_shared<const std::string>(version->value) : nullptr });
    m_touched.emplace(number, change.key);
}

void BucketHistories::onKept(std::uint32_t number, std::uint64_t sequence)
{
    BucketHistory& history = m_histories[number];
    if (sequence <= history.known())
        fail(1, "bucket ", number, ": sequence numbers run backwards, ", history.known(), " was used");
    history.know(sequence);
}

// ---- splits and merges

void BucketHistories::onRecordsMoved(const SimProcess& process, const pb::Event& event)
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
            fail(3, "bucket ", target, " puts two records that moved at rank ", moved.new_ranks(i));
        slot = { 0, true, key, std::make_shared<const std::string>(version->value) };
    }
    for (const std::uint32_t rank : moved.gone_ranks())
        arrived.erase(rank);
}

bool BucketHistories::onSplitApplied(const SimProcess& process, const pb::Event& event)
{
    if (m_places.isCut(process))
        return false; // it was paused and does not know that it was replaced: its number may belong to another bucket
    const auto& applied = event.split_applied();
    const std::uint32_t number = event.place().number();
    BucketHistory& history = m_histories[number];
    auto arrived = std::exchange(m_arrived[number], {});
    if (history.known() >= applied.sequence())
        return false; // it was declared failed; its parity buckets have already shown what it would report
    for (auto& [rank, slot] : arrived) {
        slot.sequence = applied.sequence();
        m_touched.emplace(number, slot.key);
        history.set(rank, slot);
    }
    for (const std::uint32_t rank : applied.left_ranks())
        history.set(rank, { applied.sequence(), false, 0, nullptr });
    for (int i = 0; i < applied.from_ranks_size(); ++i) {
        const std::uint32_t from = applied.from_ranks(i);
        const std::uint32_t to = applied.to_ranks(i);
        const BucketHistory::Slot* before = history.latest(from);
        const BucketHistory::Slot* there = history.latest(to);
        if (!before || !before->isPresent || (there && there->isPresent)) {
            fail(
                3, "bucket ", number, " moves rank ", from, " to ", to, ", which is no move from a used to a free one");
            return false;
        }
        const BucketHistory::Slot record = *before;
        history.set(from, { applied.sequence(), false, 0, nullptr });
        history.set(to, { applied.sequence(), true, record.key, record.value });
    }
    history.know(applied.sequence());
    if (const DataBucket* bucket = m_places.dataBucket(number))
        report(check::checkRanks(copyOf(*bucket)));
    return true;
}

// ---- what survives of a lost bucket

void BucketHistories::onBatchApplied(std::uint32_t number, const pb::BatchApplied& batch)
{
    if (const BucketHistory* history = of(number); history && history->known() < batch.sequence())
        m_batches[{ number, batch.sequence() }] = batch;
}

// Learns from the parity buckets of a lost bucket the effect of a split that it could not report.
void BucketHistories::learn(std::uint32_t number, std::uint64_t upTo)
{
    const auto found = m_histories.find(number);
    if (found == m_histories.end() || found->second.known() >= upTo)
        return;
    BucketHistory& history = found->second;
    if (!m_places.isGone(number)) {
        // An undone split is a change that no event reports.
        const DataBucket* bucket = m_places.dataBucket(number);
        if (bucket->state() == pb::UP)
            history.know(bucket->link().sequence());
        return;
    }
    for (auto batch = m_batches.upper_bound({ number, history.known() }); batch != m_batches.end(); ++batch) {
        const auto& [bucket, sequence] = batch->first;
        if (bucket != number || sequence > upTo)
            break;
        m_arrived.erase(number);
        for (int i = 0; i < batch->second.ranks_size(); ++i) {
            const std::uint64_t key = batch->second.keys(i);
            const check::Version* version = m_ledger.latest(key);
            const bool isThere = batch->second.kinds(i) == pb::CHANGE_INSERT;
            if (isThere && (!version || !version->isPresent))
                return fail(11, "a split that bucket ", number, " did not live to see moves key ", key,
                    ", which does not exist");
            history.set(batch->second.ranks(i),
                { sequence, isThere, isThere ? key : 0,
                    isThere ? std::make_shared<const std::string>(version->value) : nullptr });
        }
    }
    history.know(upTo);
}

void BucketHistories::onCut(std::uint32_t number, std::uint64_t cut)
{
    m_arrived.erase(number); // what the lost bucket would have reported
    learn(number, cut);
    BucketHistory& history = m_histories[number];
    ++counts().cuts;
    counts().withdrawn += history.known() > cut ? 1 : 0;
    history.cut(cut);
}

// ---- checks

void BucketHistories::checkTouched()
{
    for (const std::uint32_t number : std::exchange(m_enabled, {}))
        checkWhole(number);
    for (const auto& [number, key] : std::exchange(m_touched, {}))
        checkRecord(number, key);
}

// Checks that the recovered bucket stores what its history says.
void BucketHistories::checkWhole(std::uint32_t number)
{
    const DataBucket* bucket = m_places.dataBucket(number);
    const BucketHistory& history = m_histories[number];
    if (!bucket)
        return;
    if (bucket->link().sequence() != history.known())
        fail(13, "bucket ", number, " goes on from change ", bucket->link().sequence(), " and its cut is ",
            history.known());
    const std::uint32_t last = std::max(history.rankMax(), bucket->store().rankMax().value);
    for (Rank rank(1); rank.value <= last; rank = rank.next()) {
        const BucketHistory::Slot* slot = history.latest(rank.value);
        const bool isWanted = slot && slot->isPresent;
        const bool isThere = rank <= bucket->store().rankMax() && bucket->store().has(rank);
        if (isWanted != isThere)
            fail(
                13, "the recovered bucket ", number, isThere ? " has a" : " lacks the", " record at rank ", rank.value);
        else if (isThere
            && (bucket->store().at(rank).key.value != slot->key || bucket->store().at(rank).value != *slot->value))
            fail(13, "the recovered bucket ", number, " has another record at rank ", rank.value,
                " than the lost one had");
    }
    report(check::checkRanks(copyOf(*bucket)));
}

// Checks that the bucket stores the last value that was written under this key.
void BucketHistories::checkRecord(std::uint32_t number, std::uint64_t key)
{
    const DataBucket* bucket = m_places.dataBucket(number);
    const check::Version* version = m_ledger.latest(key);
    if (!bucket || !version)
        return;
    const Rank rank = bucket->store().find(Key(key));
    if ((rank.value != 0) != version->isPresent)
        fail(4, "key ", key, " is ", rank.value ? "" : "not ", "in bucket ", number, " after its last change");
    else if (rank.value && bucket->store().at(rank).value != version->value)
        fail(7, "key ", key, " in bucket ", number, " does not have the bytes that (client ", version->writer.client,
            ", request ", version->writer.number, ") wrote");
}

} // namespace lhrs
