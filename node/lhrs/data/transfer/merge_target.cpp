// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/data/transfer/merge_target.h"

#include "common/lhrs/record_block.h"

namespace lhrs {

void MergeTarget::onMoveRecords(const pb::Message& message, Effects& out)
{
    const pb::MoveRecords& move = message.move_records();
    if (m_incoming.keepAhead(move.block(), message))
        return;
    if (m_incoming.isNext(move.block()) && !m_isComplete) {
        if (!BlockReader(move.records()).isWellFormed())
            return;
        m_incoming.take();
        m_keptBytes += move.records().size();
        m_blocks.push_back(out.takeBlock(move.records()));
        m_isComplete = move.is_last();
    }
    NodeContext::acknowledge(message, out);
    if (const auto next = m_incoming.kept())
        onMoveRecords(*next, out);
}

void MergeTarget::progress(BucketParts& bucket, Time now, Effects& out)
{
    if (!m_isComplete || m_batch || !bucket.link.isIdle())
        return;
    // Nothing changes here until the decision, so the ranks are known in advance: first the free ones in their order of
    // reuse, then new ones.
    std::vector<std::uint32_t> free = bucket.store.freeRanks();
    Rank highest = bucket.store.rankMax();
    m_batch.emplace(bucket, m_order.split(), level(), m_order.source());
    BlockEntry entry;
    for (const std::string& block : m_blocks) {
        BlockReader reader(block);
        while (reader.next(entry)) {
            if (!entry.isOfRequests()) {
                if (free.empty()) {
                    highest = highest.next();
                    entry.rank = highest;
                } else {
                    entry.rank = Rank(free.back());
                    free.pop_back();
                }
                m_ranks.push_back(entry.rank);
            }
            m_batch->add(entry);
        }
    }
    m_batch->end(bucket.link.beginBatch(m_order.split()));
    m_batch->sendBlocks(bucket, now, out);
    m_batch->reportWhenStaged(bucket, std::uint32_t(m_ranks.size()), now, out);
}

void MergeTarget::onAck(BucketParts& bucket, const AckList::Entry& entry, Time now, Effects& out)
{
    if (!m_batch)
        return;
    m_batch->onAck(bucket, entry, now, out);
    m_batch->reportWhenStaged(bucket, std::uint32_t(m_ranks.size()), now, out);
}

void MergeTarget::commit(BucketParts& bucket, Time now, Effects& out)
{
    m_isCommitted = true;
    auto* moved = out.event().mutable_records_moved();
    moved->set_split(m_order.split());
    moved->set_from(m_order.source());
    std::size_t next = 0;
    for (const std::string& block : m_blocks) {
        takeRecords(BlockReader(block), bucket.results, now, [&](const BlockEntry& entry) {
            const Rank rank = bucket.store.insert(entry.key, entry.bytes, m_batch->sequence());
            LHRS_CHECK(rank == m_ranks[next++]); // as reported to the parity buckets
            if (!out.tellsRecords())
                return;
            moved->add_keys(entry.key.value);
            moved->add_old_ranks(entry.rank.value);
            moved->add_new_ranks(rank.value);
        });
    }
    m_blocks.clear();
    m_keptBytes = 0;
    moved->set_records(std::uint32_t(next));
    auto* event = out.event().mutable_split_applied();
    event->set_split(m_order.split());
    event->set_level(level());
    event->set_count(bucket.store.count());
    event->set_sequence(m_batch->sequence());
    bucket.link.decideBatch(m_order.split(), now);
}

void MergeTarget::abort(BucketParts& bucket, Time now)
{
    if (!m_batch)
        return;
    m_batch->stop(bucket);
    bucket.link.decideBatch(m_order.split(), now);
}

} // namespace lhrs
