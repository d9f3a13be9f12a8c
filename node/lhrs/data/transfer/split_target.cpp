// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/data/transfer/split_target.h"

#include "common/errors.h"
#include "node/lhrs/store/fetching_reader.h"

namespace lhrs {

void SplitTarget::onMoveRecords(BucketParts& bucket, const pb::Message& message, Time now, Effects& out)
{
    const pb::MoveRecords& move = message.move_records();
    if (!m_batch) {
        m_split = move.split();
        m_level = move.level();
        m_batch.emplace(bucket, m_split, m_level);
        const Sequence sequence = bucket.link.beginBatch(m_split);
        LHRS_CHECK(sequence == batchSequence());
    }
    if (move.split() != m_split)
        return;
    if (m_incoming.keepAhead(move.block(), message))
        return;
    if (!m_incoming.isNext(move.block())) {
        NodeContext::acknowledge(message, out);
        return;
    }
    if (!BlockReader(move.records()).isWellFormed())
        return; // not acknowledged: the source stops, and the split is undone at its time limit
    m_incoming.take();
    NodeContext::acknowledge(message, out);
    take(bucket, move, now, out);
    if (move.is_last())
        end(bucket);
    m_batch->sendBlocks(bucket, now, out);
    m_batch->reportWhenStaged(bucket, bucket.store.count(), now, out);
    if (const auto next = m_isComplete ? std::nullopt : m_incoming.kept())
        onMoveRecords(bucket, *next, now, out);
}

void SplitTarget::take(BucketParts& bucket, const pb::MoveRecords& move, Time now, Effects& out)
{
    auto* event = out.event().mutable_records_moved();
    event->set_split(m_split);
    event->set_from(move.target() - (1u << (m_level - 1)));
    std::uint32_t records = 0, gone = 0;
    FetchingReader reader(move.records(), bucket.store);
    takeRecords(reader, bucket.results, now, [&](const BlockEntry& entry) {
        Rank rank = bucket.store.find(entry.key);
        if (entry.kind == BlockEntry::Kind::Delete) {
            if (!rank.value)
                return;
            bucket.store.remove(rank, batchSequence());
            m_takenBack.push_back(rank);
            m_batch->add({ .kind = BlockEntry::Kind::Void, .key = entry.key, .rank = rank, .bytes = {} });
            ++gone;
            if (out.tellsRecords())
                event->add_gone_ranks(rank.value);
            return;
        }
        if (rank.value)
            bucket.store.update(rank, entry.bytes, batchSequence());
        else
            rank = bucket.store.insert(entry.key, entry.bytes, batchSequence());
        m_batch->add(wholeRecord(BlockEntry::Kind::Insert, bucket.store.at(rank), rank));
        ++records;
        if (!out.tellsRecords())
            return;
        event->add_keys(entry.key.value);
        event->add_old_ranks(entry.rank.value);
        event->add_new_ranks(rank.value);
    });
    event->set_records(records);
    event->set_gone(gone);
}

void SplitTarget::end(BucketParts& bucket)
{
    m_isComplete = true;
    for (const Rank rank : m_takenBack)
        bucket.store.release(rank);
    bucket.results.eachClient([&](std::uint64_t client, std::uint64_t doneBelow) {
        m_batch->add(BlockEntry::ofDoneBelow(client, doneBelow));
    });
    bucket.results.each([&](std::uint64_t client, const ResultTable::Entry& entry) {
        m_batch->add(BlockEntry::ofResult(entry.key, client, entry.number, std::uint8_t(entry.result)));
    });
    m_batch->end(batchSequence());
}

void SplitTarget::onAck(BucketParts& bucket, const AckList::Entry& entry, Time now, Effects& out)
{
    if (!m_batch)
        return;
    m_batch->onAck(bucket, entry, now, out);
    m_batch->reportWhenStaged(bucket, bucket.store.count(), now, out);
}

void SplitTarget::stop(BucketParts& bucket) const
{
    if (m_batch)
        m_batch->stop(bucket);
}

} // namespace lhrs
