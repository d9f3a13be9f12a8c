// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/core/split.h"

#include "common/linear_hash.h"
#include "common/points.h"
#include "common/record_block.h"

#include <algorithm>

namespace lhrs {

namespace {

BlockEntry change(BlockEntry::Kind kind, const RecordStore::Record& record, Rank rank, Sequence version)
{
    // A zero record becomes this one, or the reverse: either way the delta is the record itself.
    return { .kind = kind, .key = record.key, .rank = rank,
        .length = kind == BlockEntry::Kind::Delete ? 0 : std::uint32_t(record.value.size()), .version = version, .bytes = record.value };
}

} // namespace

void reportPrepared(BucketParts& bucket, std::uint64_t split, std::uint32_t moved, Sequence sequence, Time now, Effects& out)
{
    pb::Message message;
    message.set_incarnation(bucket.incarnation.value);
    auto* prepared = message.mutable_prepared();
    prepared->set_split(split);
    prepared->set_bucket(bucket.number.value);
    prepared->set_moved(moved);
    bucket.context.tell(std::move(message), now, out);
    auto* event = out.event().mutable_split_prepared();
    event->set_split(split);
    event->set_moved(moved);
    event->set_sequence(sequence);
}

Key addressed(Key key, const pb::FileConfig& config)
{
    return config.mix_keys() ? mix64(key) : key;
}

void takeRequest(ResultTable& results, const BlockEntry& entry, Time now)
{
    if (entry.kind == BlockEntry::Kind::DoneBelow)
        results.forget(entry.client, entry.number, now);
    else
        results.keep(entry.client, { entry.number, entry.key, Rank(), pb::ResultCode(entry.result) }, now);
}

// ---- the batch

void StagedBatch::start(BucketParts& bucket, std::uint64_t split, Sequence sequence, Level level, NextBlock next, Time now, Effects& out,
    std::uint32_t mergesFrom)
{
    m_mergesFrom = mergesFrom;
    m_split = split;
    m_sequence = sequence;
    m_level = level;
    m_next = std::move(next);
    sendBlocks(bucket, now, out);
}

void StagedBatch::sendBlocks(BucketParts& bucket, Time now, Effects& out)
{
    const std::size_t columns = bucket.link.columns().size();
    while (!m_isLastSent && m_unacknowledged + columns <= kBlocksUnderWay * columns)
        sendBlock(bucket, now, out);
}

void StagedBatch::sendBlock(BucketParts& bucket, Time now, Effects& out)
{
    pb::Message message;
    message.set_incarnation(bucket.incarnation.value);
    auto* batch = message.mutable_prepare_batch();
    batch->set_split(m_split);
    batch->set_group(bucket.group.value);
    batch->set_position(bucket.position.value);
    batch->set_incarnation(bucket.incarnation.value);
    batch->set_epoch(bucket.link.epoch().value);
    batch->set_sequence(m_sequence);
    batch->set_level(m_level);
    batch->set_merges_from(m_mergesFrom);
    batch->set_block(m_block++);
    m_isLastSent = m_next(*batch->mutable_changes());
    batch->set_is_last(m_isLastSent);
    for (const auto& [p, column] : bucket.link.columns()) {
        ++m_unacknowledged;
        bucket.context.acks.send(message, column.holder.address, column.holder.node, Way::Stream,
            AckList::Patience::KeepTrying, NodeContext::BatchBlock, now, out);
    }
    if (m_unacknowledged == 0) { // k = 0: nobody has to know
        while (!m_isLastSent) {
            std::string dropped;
            m_isLastSent = m_next(dropped);
        }
        m_isStaged = true;
    }
}

void StagedBatch::onAck(BucketParts& bucket, const AckList::Entry& entry, Time now, Effects& out)
{
    if (entry.purpose != NodeContext::BatchBlock || entry.message.prepare_batch().split() != m_split || m_isStaged)
        return;
    --m_unacknowledged;
    if (!m_isLastSent)
        sendBlocks(bucket, now, out);
    else
        m_isStaged = m_unacknowledged == 0;
}

void StagedBatch::stop(BucketParts& bucket)
{
    bucket.context.acks.forgetIf([this](const AckList::Entry& entry) {
        return entry.purpose == NodeContext::BatchBlock && entry.message.prepare_batch().split() == m_split;
    });
}

// ---- the source

bool SplitSource::leaves(const BucketParts& bucket, Key key) const
{
    return m_isMerge || forwardTo(bucket.number, m_order.level(), addressed(key, bucket.config)) != bucket.number;
}

void SplitSource::start(BucketParts& bucket, Time now, Effects& out)
{
    m_isStarted = true;
    const RecordStore& store = bucket.store;
    std::vector<Rank> stayers;
    for (Rank r(1); r <= store.rankMax(); r = r.next()) {
        if (store.has(r))
            (leaves(bucket, store.at(r).key) ? m_leavers : stayers).push_back(r);
    }
    if (bucket.config.rerank() == pb::FILL_HOLES) {
        // Only records with a rank above the new count move, into the free ranks below it: 1..N stay dense.
        const auto count = std::uint32_t(stayers.size());
        std::vector<bool> isTaken(count + 1, false);
        for (const Rank r : stayers) {
            if (r.value <= count)
                isTaken[r.value] = true;
        }
        Rank hole(1);
        for (const Rank r : stayers) {
            if (r.value <= count)
                continue;
            while (isTaken[hole.value])
                hole = hole.next();
            isTaken[hole.value] = true;
            m_moves.push_back({ r, hole });
        }
    }
    const Sequence sequence = bucket.link.beginBatch(m_order.split());
    m_isInSmallBlocks = out.fires(Point::BatchOfOne);
    m_batch.start(bucket, m_order.split(), sequence, m_order.level(), [this, &bucket](std::string& block) { return nextChanges(bucket, block); }, now, out,
        m_isMerge ? bucket.number.value : 0);
    sendBlocks(bucket, now, out);
    reportWhenPrepared(bucket, now, out);
}

void SplitSource::sendBlocks(BucketParts& bucket, Time now, Effects& out)
{
    for (; !m_isLastSent && m_underWay < kBlocksUnderWay; ++m_underWay)
        sendBlock(bucket, now, out);
}

void SplitSource::sendBlock(BucketParts& bucket, Time now, Effects& out)
{
    pb::Message message;
    message.set_incarnation(bucket.incarnation.value);
    auto* move = message.mutable_move_records();
    move->set_split(m_order.split());
    move->set_block(m_block++);
    move->set_target(m_order.target());
    move->set_level(m_order.level());
    BlockWriter block(*move->mutable_records());
    const std::size_t blockBytes = out.fires(Point::MoveOfOne) ? 1 : kBlockBytes;
    for (; m_sent < m_leavers.size() && block.size() < blockBytes; ++m_sent) {
        const RecordStore::Record record = bucket.store.at(m_leavers[m_sent]);
        block.add(change(BlockEntry::Kind::Insert, record, record.rank, record.version));
    }
    m_isLastSent = m_sent == m_leavers.size();
    if (m_isLastSent) {
        bucket.results.eachClient([&](std::uint64_t client, std::uint64_t doneBelow) { block.add(BlockEntry::ofDoneBelow(client, doneBelow)); });
        bucket.results.each([&](std::uint64_t client, const ResultTable::Entry& entry) {
            if (leaves(bucket, entry.key) && !LHRS_MUTANT(ResultsLeftBehind))
                block.add(BlockEntry::ofResult(entry.key, client, entry.number, std::uint8_t(entry.result)));
        });
    }
    move->set_is_last(m_isLastSent);
    m_copies.push_back(move->records());
    const HolderInfo target = HolderInfo::from(m_order.target_holder());
    bucket.context.acks.send(std::move(message), target.address, target.node, Way::Stream, AckList::Patience::KeepTrying,
        NodeContext::MoveBlock, now, out);
}

bool SplitSource::nextChanges(BucketParts& bucket, std::string& out)
{
    BlockWriter block(out);
    const Sequence version = bucket.link.sequence();
    for (; m_changed < m_leavers.size() + m_moves.size() && block.size() < (m_isInSmallBlocks ? 1 : kBlockBytes); ++m_changed) {
        if (m_changed < m_leavers.size()) {
            const RecordStore::Record record = bucket.store.at(m_leavers[m_changed]);
            block.add(change(BlockEntry::Kind::Delete, record, record.rank, version));
        } else {
            // A new rank is a delete here and an insert there.
            const Move move = m_moves[m_changed - m_leavers.size()];
            const RecordStore::Record record = bucket.store.at(move.from);
            block.add(change(BlockEntry::Kind::Delete, record, move.from, version));
            block.add(change(BlockEntry::Kind::Insert, record, move.to, version));
        }
    }
    return m_changed == m_leavers.size() + m_moves.size();
}

void SplitSource::onAck(BucketParts& bucket, const AckList::Entry& entry, Time now, Effects& out)
{
    if (entry.purpose == NodeContext::MoveBlock && entry.message.move_records().split() == m_order.split()) {
        --m_underWay;
        sendBlocks(bucket, now, out);
        m_isMoved = m_isLastSent && m_underWay == 0;
    }
    m_batch.onAck(bucket, entry, now, out);
    reportWhenPrepared(bucket, now, out);
}

void SplitSource::reportWhenPrepared(BucketParts& bucket, Time now, Effects& out)
{
    if (m_isReported || !m_isMoved || !m_batch.isStaged())
        return;
    m_isReported = true;
    reportPrepared(bucket, m_order.split(), std::uint32_t(m_leavers.size()), m_batch.sequence(), now, out);
    if (LHRS_MUTANT(SourceFreesFirst)) {
        for (const Rank r : m_leavers)
            bucket.store.remove(r, m_batch.sequence());
        m_leavers.clear();
    }
}

void SplitSource::commit(BucketParts& bucket, Time now, Effects& out)
{
    m_isCommitted = true;
    const Sequence version = m_batch.sequence();
    auto* event = out.event().mutable_split_applied();
    event->set_split(m_order.split());
    event->set_level(m_order.level());
    event->set_sequence(version);
    for (const Rank r : m_leavers) {
        bucket.store.remove(r, version);
        event->add_left_ranks(r.value);
    }
    for (const Move& move : m_moves) {
        bucket.store.move(move.from, move.to, version);
        event->add_from_ranks(move.from.value);
        event->add_to_ranks(move.to.value);
    }
    if (bucket.config.rerank() == pb::FILL_HOLES) {
        bucket.store.truncate(Rank(bucket.store.count()));
    } else {
        for (const Rank r : m_leavers)
            bucket.store.release(r);
    }
    event->set_count(bucket.store.count());
    bucket.results.take([&](Key key) { return leaves(bucket, key); }, [](std::uint64_t, const ResultTable::Entry&) {});
    bucket.link.decideBatch(m_order.split(), now);
}

void SplitSource::abort(BucketParts& bucket, Time now)
{
    bucket.context.acks.forgetIf([this](const AckList::Entry& entry) {
        return entry.purpose == NodeContext::MoveBlock && entry.message.move_records().split() == m_order.split();
    });
    m_batch.stop(bucket);
    bucket.link.decideBatch(m_order.split(), now);
}

// ---- the target

void SplitTarget::onMoveRecords(BucketParts& bucket, const pb::Message& message, Time now, Effects& out)
{
    const pb::MoveRecords& move = message.move_records();
    if (m_expected == 0) {
        m_split = move.split();
        m_level = move.level();
    }
    if (move.split() != m_split)
        return;
    if (move.block() > m_expected) {
        m_ahead.keep(move.block(), message);
        return;
    }
    if (move.block() < m_expected) {
        NodeContext::acknowledge(message, out);
        return;
    }
    BlockReader reader(move.records());
    if (!reader.isWellFormed())
        return; // not acknowledged: the source does not go on, and the coordinator's limit undoes the split
    ++m_expected;
    NodeContext::acknowledge(message, out);
    auto* event = out.event().mutable_records_moved();
    event->set_split(m_split);
    event->set_from(move.target() - (1u << (m_level - 1)));
    BlockEntry entry;
    while (reader.next(entry)) {
        if (entry.isOfRequests()) {
            takeRequest(bucket.results, entry, now);
            continue;
        }
        const Rank rank = bucket.store.insert(entry.key, entry.bytes, 1);
        event->add_keys(entry.key.value);
        event->add_old_ranks(entry.rank.value);
        event->add_new_ranks(rank.value);
    }
    if (move.is_last()) {
        m_isComplete = true;
        stage(bucket, now, out);
    } else if (const auto next = m_ahead.take(m_expected)) {
        onMoveRecords(bucket, *next, now, out);
    }
}

void SplitTarget::stage(BucketParts& bucket, Time now, Effects& out)
{
    const Sequence sequence = bucket.link.beginBatch(m_split);
    LHRS_CHECK(sequence == 1);
    m_batch.start(bucket, m_split, sequence, m_level, [this, &bucket](std::string& block) {
        BlockWriter writer(block);
        for (; m_staged <= bucket.store.rankMax() && writer.size() < kBlockBytes; m_staged = m_staged.next()) {
            const RecordStore::Record record = bucket.store.at(m_staged);
            writer.add(change(BlockEntry::Kind::Insert, record, record.rank, record.version));
        }
        if (m_staged <= bucket.store.rankMax())
            return false;
        bucket.results.eachClient([&](std::uint64_t client, std::uint64_t doneBelow) { writer.add(BlockEntry::ofDoneBelow(client, doneBelow)); });
        bucket.results.each([&](std::uint64_t client, const ResultTable::Entry& entry) {
            writer.add(BlockEntry::ofResult(entry.key, client, entry.number, std::uint8_t(entry.result)));
        });
        return true;
    }, now, out);
    reportWhenPrepared(bucket, now, out);
}

void SplitTarget::onAck(BucketParts& bucket, const AckList::Entry& entry, Time now, Effects& out)
{
    if (!m_isComplete)
        return;
    m_batch.onAck(bucket, entry, now, out);
    reportWhenPrepared(bucket, now, out);
}

void SplitTarget::reportWhenPrepared(BucketParts& bucket, Time now, Effects& out)
{
    if (m_isReported || !m_batch.isStaged())
        return;
    m_isReported = true;
    reportPrepared(bucket, m_split, bucket.store.count(), m_batch.sequence(), now, out);
}

} // namespace lhrs
