// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/data/transfer/staged_batch.h"

#include "node/machine/transfer/incoming_blocks.h"

#include <utility>

namespace lhrs {

StagedBatch::StagedBatch(const BucketParts& bucket, std::uint64_t split, Level level, std::uint32_t mergesFrom)
    : m_split(split), m_level(level), m_mergesFrom(mergesFrom), m_isWanted(!bucket.link.columns().empty()),
      m_blockBytes(kSplitBlockBytes)
{
    m_blocks.emplace_back();
}

void StagedBatch::add(const BlockEntry& entry)
{
    if (!m_isWanted)
        return;
    BlockWriter(m_blocks.back()).add(entry);
    if (m_blocks.back().size() >= m_blockBytes)
        m_blocks.emplace_back();
}

void StagedBatch::addMove(const RecordStore::Record& record, Rank to)
{
    if (!m_isWanted)
        return;
    BlockWriter(m_blocks.back()).add(wholeRecord(BlockEntry::Kind::Delete, record, record.rank));
    add(wholeRecord(BlockEntry::Kind::Insert, record, to));
}

void StagedBatch::end(Sequence sequence) { m_sequence = sequence; }

void StagedBatch::sendBlocks(BucketParts& bucket, Time now, Effects& out)
{
    const std::size_t columns = bucket.link.columns().size();
    const auto isReady = [this] { // the last one is still being filled
        return m_sequence != 0 || m_blocks.size() > 1 || (m_underWay == 0 && m_blocks.back().size() >= kLeftBytes);
    };
    while (!m_blocks.empty() && isReady() && m_underWay + columns <= kBlocksUnderWay * columns) {
        std::string changes = std::move(m_blocks.front());
        m_blocks.pop_front();
        send(bucket, std::move(changes), m_sequence != 0 && m_blocks.empty(), now, out);
        if (m_sequence == 0 && m_blocks.empty())
            m_blocks.emplace_back();
    }
}

void StagedBatch::send(BucketParts& bucket, std::string&& changes, bool isLast, Time now, Effects& out)
{
    pb::Message message;
    message.set_incarnation(bucket.incarnation.value);
    auto* batch = message.mutable_prepare_batch();
    batch->set_split(m_split);
    batch->set_group(bucket.group.value);
    batch->set_position(bucket.position.value);
    batch->set_incarnation(bucket.incarnation.value);
    batch->set_epoch(bucket.link.epoch().value);
    batch->set_sequence(isLast ? m_sequence : 0);
    batch->set_level(m_level);
    batch->set_merges_from(m_mergesFrom);
    batch->set_block(m_sent++);
    batch->set_is_last(isLast);
    const auto block = std::make_shared<const std::string>(std::move(changes)); // shared by all columns
    for (const auto& [p, column] : bucket.link.columns()) {
        ++m_underWay;
        bucket.context.acks.send(message, column.holder.address, column.holder.node, Way::Stream,
            AckList::Patience::KeepTrying, ServerContext::BatchBlock, now, out, block);
    }
}

void StagedBatch::onAck(BucketParts& bucket, const AckList::Entry& entry, Time now, Effects& out)
{
    if (entry.purpose != ServerContext::BatchBlock || entry.message.prepare_batch().split() != m_split)
        return;
    const std::uint32_t block = entry.message.prepare_batch().block(); // the receiver has all earlier blocks too
    m_underWay -= 1 + bucket.context.acks.forgetIf([&](const AckList::Entry& other) {
        return other.purpose == ServerContext::BatchBlock && other.to == entry.to
            && other.message.prepare_batch().split() == m_split && other.message.prepare_batch().block() < block;
    });
    sendBlocks(bucket, now, out);
}

void StagedBatch::reportWhenStaged(BucketParts& bucket, std::uint32_t moved, Time now, Effects& out)
{
    if (m_isReported || m_sequence == 0 || !m_blocks.empty() || m_underWay > 0)
        return;
    m_isReported = true;
    pb::Message message;
    message.set_incarnation(bucket.incarnation.value);
    auto* prepared = message.mutable_prepared();
    prepared->set_split(m_split);
    prepared->set_bucket(bucket.number.value);
    prepared->set_moved(moved);
    bucket.context.tell(std::move(message), now, out);
    auto* event = out.event().mutable_split_prepared();
    event->set_split(m_split);
    event->set_moved(moved);
    event->set_sequence(m_sequence);
}

bool StagedBatch::isCaughtUp() const
{
    return m_blocks.size() <= 1 && m_underWay == 0 && m_blocks.back().size() < kLeftBytes;
}

void StagedBatch::stop(BucketParts& bucket) const
{
    bucket.context.acks.forgetIf([this](const AckList::Entry& entry) {
        return entry.purpose == ServerContext::BatchBlock && entry.message.prepare_batch().split() == m_split;
    });
}

} // namespace lhrs
