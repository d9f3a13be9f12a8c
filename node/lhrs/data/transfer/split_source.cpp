// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/data/transfer/split_source.h"

#include "common/failpoints.h"
#include "common/lhrs/failpoint_list.h"
#include "common/lhrs/linear_hash.h"
#include "node/machine/transfer/incoming_blocks.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr std::size_t kLeftRecords = 64; // number of records that may be sent again while changes are held

// After the first pass over all ranks, copying ends once it has made as many blocks of changes as there were in the
// first pass, plus this many. Changes may arrive faster than blocks are sent, so the rest is sent while changes are
// held.
constexpr std::uint32_t kBlocksOfChanges = 256;

} // namespace

bool SplitSource::leaves(const BucketParts& bucket, Key key) const
{
    return m_isMerge || forwardTo(bucket.number, m_order.level(), addressed(key, bucket.config)) != bucket.number;
}

void SplitSource::begin(BucketParts& bucket, Effects& out)
{
    m_high = m_last = bucket.store.rankMax();
    m_new = m_last.next();
    m_batch.emplace(bucket, m_order.split(), m_order.level(), m_isMerge ? bucket.number.value : 0);
    if (out.fires(Failpoint::BatchOfOne))
        m_batch->setBlockBytes(1);
}

// ---- copying

void SplitSource::copy(BucketParts& bucket, Time now, Effects& out)
{
    // Sends two blocks for each one that has arrived, until enough are under way, so that a request never waits for
    // more than two blocks.
    for (int i = 0; i < 2 && !isClosed() && !isLateEnough() && m_underWay < kBlocksUnderWay && !m_batch->isFull();
         ++i) {
        const std::size_t blockBytes = out.fires(Failpoint::MoveOfOne) ? 1 : kSplitBlockBytes;
        while (!hasLookedAtAll(bucket) && m_records.size() < blockBytes && !m_batch->isFull())
            lookAtNext(bucket);
        if (m_low > m_high && m_firstBlocks == 0)
            m_firstBlocks = m_block + m_batch->made();
        const bool isRest = hasLookedAtAll(bucket) && m_records.size() < blockBytes;
        if (isRest && m_again.size() + m_gone.size() > kLeftRecords) {
            while (hasChanges() && m_records.size() < blockBytes && !m_batch->isFull())
                tellNextAgain(bucket);
        }
        if (m_records.size() >= (m_underWay == 0 && isRest ? kLeftBytes : blockBytes))
            sendRecords(bucket, false, now, out);
        m_batch->sendBlocks(bucket, now, out);
    }
}

bool SplitSource::isLateEnough() const
{
    return m_firstBlocks != 0 && m_block + m_batch->made() >= 2 * m_firstBlocks + kBlocksOfChanges;
}

void SplitSource::lookAtNext(BucketParts& bucket)
{
    const RecordStore& store = bucket.store;
    if (m_low > m_high) {
        if (store.has(m_new) && leaves(bucket, store.at(m_new).key))
            tellLeaver(bucket, m_new);
        m_new = m_new.next();
    } else if (m_hole.value) {
        const Rank rank = m_high;
        m_high = Rank(m_high.value - 1);
        if (!store.has(rank))
            return;
        if (leaves(bucket, store.at(rank).key)) {
            tellLeaver(bucket, rank);
            return;
        }
        m_moves.push_back({ rank, m_hole });
        m_batch->addMove(store.at(rank), m_hole);
        m_hole = Rank();
    } else {
        const Rank rank = m_low;
        m_low = m_low.next();
        const bool isLeaver = store.has(rank) && leaves(bucket, store.at(rank).key);
        if (isLeaver)
            tellLeaver(bucket, rank);
        if (fillsHoles(bucket) && (isLeaver || !store.has(rank)))
            m_hole = rank;
    }
}

void SplitSource::tellLeaver(BucketParts& bucket, Rank rank)
{
    const RecordStore::Record record = bucket.store.at(rank);
    m_leavers.push_back(rank);
    ++m_leaving;
    BlockWriter(m_records).add(wholeRecord(BlockEntry::Kind::Insert, record, rank));
    m_batch->add(wholeRecord(BlockEntry::Kind::Delete, record, rank));
}

SplitSource::Move* SplitSource::moveOf(Rank from)
{
    const auto found = std::lower_bound(
        m_moves.begin(), m_moves.end(), from, [](const Move& move, Rank rank) { return move.from > rank; });
    return found != m_moves.end() && found->from == from ? &*found : nullptr;
}

bool SplitSource::keepRank(Rank rank)
{
    if (keepsRanks())
        m_released.push_back(rank);
    return keepsRanks();
}

void SplitSource::onChange(const BucketParts& bucket, Key key, Rank rank)
{
    if (!hasLookedAt(rank) || isClosed() || LHRS_MUTANT(ChangedNotToldAgain))
        return;
    const bool isDeleted = !bucket.store.has(rank);
    if (leaves(bucket, key)) {
        m_again.insert(rank);
        if (isDeleted) {
            m_gone.push_back(key);
            --m_leaving;
        }
        return;
    }
    const Move* move = moveOf(rank);
    if (move)
        m_again.insert(rank);
    if (isDeleted && (move || rank < m_low))
        m_freed.push_back(move ? move->to : rank);
}

// After all ranks have been visited: sends again a record that changed behind the marks, or that it was deleted.
void SplitSource::tellNextAgain(BucketParts& bucket)
{
    if (!m_gone.empty()) {
        const Key key = m_gone.back();
        m_gone.pop_back();
        if (bucket.store.find(key).value == 0) // otherwise it was inserted again and sent at its new rank
            BlockWriter(m_records).add(
                { .kind = BlockEntry::Kind::Delete, .key = key, .rank = Rank(1), .bytes = {} }); // 0: no rank
        return;
    }
    const Rank rank = *m_again.begin();
    m_again.erase(m_again.begin());
    if (!bucket.store.has(rank)) {
        m_batch->add({ .kind = BlockEntry::Kind::Void, .key = {}, .rank = rank, .bytes = {} });
        return;
    }
    const RecordStore::Record record = bucket.store.at(rank);
    if (leaves(bucket, record.key)) {
        BlockWriter(m_records).add(wholeRecord(BlockEntry::Kind::Insert, record, rank));
        m_batch->add(wholeRecord(BlockEntry::Kind::Delete, record, rank));
        return;
    }
    const Move* move = moveOf(rank);
    LHRS_CHECK(move);
    m_batch->addMove(record, move->to);
}

void SplitSource::sendRecords(BucketParts& bucket, bool isLast, Time now, Effects& out)
{
    pb::Message message;
    message.set_incarnation(bucket.incarnation.value);
    auto* move = message.mutable_move_records();
    move->set_split(m_order.split());
    move->set_block(m_block++);
    move->set_target(m_order.target());
    move->set_level(m_order.level());
    move->set_records(std::move(m_records));
    move->set_is_last(isLast);
    m_records.clear();
    ++m_underWay;
    const HolderInfo target = HolderInfo::from(m_order.target_holder());
    bucket.context.acks.send(std::move(message), target.address, target.node, Way::Stream,
        AckList::Patience::KeepTrying, ServerContext::MoveBlock, now, out);
}

bool SplitSource::isCaughtUp(const BucketParts& bucket) const
{
    if (m_underWay > 0 || !m_batch->isCaughtUp())
        return false;
    return isLateEnough()
        || (hasLookedAtAll(bucket) && m_again.size() + m_gone.size() <= kLeftRecords && m_records.size() < kLeftBytes);
}

// ---- the end

void SplitSource::close(BucketParts& bucket, Time now, Effects& out)
{
    while (!hasLookedAtAll(bucket)) {
        lookAtNext(bucket);
        if (m_records.size() >= kSplitBlockBytes)
            sendRecords(bucket, false, now, out);
    }
    if (fillsHoles(bucket))
        moveLast(bucket);
    while (hasChanges()) {
        tellNextAgain(bucket);
        if (m_records.size() >= kSplitBlockBytes)
            sendRecords(bucket, false, now, out);
    }
    BlockWriter block(m_records);
    bucket.results.eachClient(
        [&](std::uint64_t client, std::uint64_t doneBelow) { block.add(BlockEntry::ofDoneBelow(client, doneBelow)); });
    bucket.results.each([&](std::uint64_t client, const ResultTable::Entry& entry) {
        if (leaves(bucket, entry.key) && !LHRS_MUTANT(ResultsLeftBehind))
            block.add(BlockEntry::ofResult(entry.key, client, entry.number, std::uint8_t(entry.result)));
    });
    sendRecords(bucket, true, now, out);
    m_isLastSent = true;
    m_batch->end(bucket.link.beginBatch(m_order.split()));
    m_batch->sendBlocks(bucket, now, out);
    reportWhenPrepared(bucket, now, out);
}

// The remaining records must have the dense ranks 1..N. They have them up to where the marks met, except for ranks
// freed since; new records are above. The number of records that move equals the number of changes in the meantime.
void SplitSource::moveLast(BucketParts& bucket)
{
    const std::uint32_t dense = (m_hole.value ? m_hole.value : m_low.value) - 1;
    const std::uint32_t count = bucket.store.count() - m_leaving;
    const std::set<Rank> freed(m_freed.begin(), m_freed.end());
    const auto isNewStayer = [&](Rank rank) {
        return rank > m_last && bucket.store.has(rank) && !leaves(bucket, bucket.store.at(rank).key);
    };
    std::vector<Rank> holes;
    for (const Rank rank : freed) {
        if (rank.value <= count)
            holes.push_back(rank);
    }
    for (Rank rank(dense + 1); rank.value <= count; rank = rank.next()) {
        if (!isNewStayer(rank))
            holes.push_back(rank);
    }
    auto hole = holes.begin();
    const auto moveToHole = [&](Rank from) {
        LHRS_CHECK(hole != holes.end());
        m_batch->addMove(bucket.store.at(from), *hole);
        return *hole++;
    };
    for (Rank rank(count + 1); rank.value <= dense; rank = rank.next()) {
        if (freed.contains(rank))
            continue;
        const auto move = std::lower_bound(
            m_moves.begin(), m_moves.end(), rank, [](const Move& m, Rank to) { return m.to < to; });
        if (move != m_moves.end() && move->to == rank)
            move->to = moveToHole(move->from);
        else
            m_late.push_back({ rank, moveToHole(rank) });
    }
    for (Rank rank(std::max(m_last.value, count) + 1); rank <= bucket.store.rankMax(); rank = rank.next()) {
        if (isNewStayer(rank))
            m_late.push_back({ rank, moveToHole(rank) });
    }
    LHRS_CHECK(hole == holes.end());
}

void SplitSource::onAck(BucketParts& bucket, const AckList::Entry& entry, Time now, Effects& out)
{
    if (entry.purpose == ServerContext::MoveBlock && entry.message.move_records().split() == m_order.split()) {
        // Blocks are taken in order, so all earlier ones have arrived too, even if their acknowledgements were lost.
        const std::uint32_t block = entry.message.move_records().block();
        m_underWay -= 1 + std::uint32_t(bucket.context.acks.forgetIf([&](const AckList::Entry& other) {
            return other.purpose == ServerContext::MoveBlock && other.message.move_records().split() == m_order.split()
                && other.message.move_records().block() < block;
        }));
    }
    m_batch->onAck(bucket, entry, now, out);
    reportWhenPrepared(bucket, now, out);
}

void SplitSource::reportWhenPrepared(BucketParts& bucket, Time now, Effects& out)
{
    if (!m_isLastSent || m_underWay > 0)
        return;
    m_batch->reportWhenStaged(bucket, m_leaving, now, out);
    if (LHRS_MUTANT(SourceFreesFirst) && isPrepared()) {
        for (const Rank r : m_leavers) {
            if (bucket.store.has(r))
                bucket.store.remove(r, m_batch->sequence());
        }
        m_leavers.clear();
    }
}

void SplitSource::commit(BucketParts& bucket, Time now, Effects& out)
{
    m_isCommitted = true;
    const Sequence version = m_batch->sequence();
    RecordStore& store = bucket.store;
    auto* event = out.event().mutable_split_applied();
    event->set_split(m_order.split());
    event->set_level(m_order.level());
    event->set_sequence(version);
    std::uint32_t left = 0, moved = 0;
    for (const Rank r : m_leavers) {
        if (!store.has(r))
            continue;
        store.remove(r, version);
        m_released.push_back(r);
        ++left;
        if (out.tellsRecords())
            event->add_left_ranks(r.value);
    }
    const auto carryOut = [&](Rank from, Rank to) {
        store.move(from, to, version);
        ++moved;
        if (!out.tellsRecords())
            return;
        event->add_from_ranks(from.value);
        event->add_to_ranks(to.value);
    };
    for (const Move& move : m_moves) {
        if (store.has(move.from))
            carryOut(move.from, move.to);
    }
    for (const Move& move : m_late)
        carryOut(move.from, move.to);
    event->set_left(left);
    event->set_moved(moved);
    if (fillsHoles(bucket))
        store.truncate(Rank(store.count()));
    else
        releaseRanks(bucket);
    event->set_count(store.count());
    bucket.results.take([&](Key key) { return leaves(bucket, key); }, [](std::uint64_t, const ResultTable::Entry&) {});
    bucket.link.decideBatch(m_order.split(), now);
}

void SplitSource::releaseRanks(BucketParts& bucket)
{
    for (const Rank r : m_released)
        bucket.store.release(r);
    m_released.clear();
}

void SplitSource::abort(BucketParts& bucket, Time now)
{
    bucket.context.acks.forgetIf([this](const AckList::Entry& entry) {
        return entry.purpose == ServerContext::MoveBlock && entry.message.move_records().split() == m_order.split();
    });
    m_batch->stop(bucket);
    releaseRanks(bucket);
    if (isClosed())
        bucket.link.decideBatch(m_order.split(), now);
}

} // namespace lhrs
