// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/parity/slice_rebuild.h"

#include "common/failpoints.h"
#include "common/lhrs/failpoint_list.h"
#include "common/lhrs/record_block.h"
#include "node/lhrs/group/member_record.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr std::uint32_t kSliceDefault = 3'125; // ranks per slice, if the order names no other number
constexpr std::size_t kSliceBytes = std::size_t(1) << 20; // limit per member, so that a slice stays in the cache
constexpr std::size_t kUnstoredMax = 8; // most spare slices under way at once
constexpr std::size_t kSlicesAsked = 3; // one is being computed, one is arriving, one is being assembled
constexpr std::size_t kSliceBytesMax = std::size_t(8) << 20;
constexpr std::size_t kEntryBytes = 29; // bytes per record, if it is a run by itself
constexpr Time kBetweenRounds = 3ms;
constexpr Time kLongestBetweenRounds = 50ms;

std::size_t bytesAt(const Survivor& bucket, Rank rank)
{
    return bucket.store().has(rank) ? kEntryBytes + bucket.store().parity(rank).size() : 0;
}

// The ordered number; without one, a number that suits the size of the first records.
std::uint32_t ranksOfSlice(const Survivor& bucket, std::uint32_t ordered)
{
    if (ordered != 0)
        return ordered;
    std::size_t bytes = 0;
    std::uint32_t ranks = 0;
    while (ranks < kSliceDefault && bytes < kSliceBytes)
        bytes += bytesAt(bucket, Rank(++ranks));
    return ranks;
}

} // namespace

SliceRebuild::SliceRebuild(ServerContext& context, const Survivor& bucket, const pb::Recover& order, Time now)
    : m_context(context), m_bucket(bucket), m_order(order), m_way(bulkWay(bucket.config())),
      m_ranksOfSlice(ranksOfSlice(bucket, order.slice())), m_times(now)
{
}

void SliceRebuild::start(Time now, Effects& out)
{
    m_times.enter(now, out);
    std::vector<Position> lost;
    for (const pb::Member& spare : m_order.spares())
        lost.emplace_back(spare.index());
    std::sort(lost.begin(), lost.end());
    m_plan = planRecovery(m_bucket.view(), m_bucket.config().m(), m_bucket.column(), std::move(lost),
        out.fires(Failpoint::OtherSources) ? pb::DECODE_RS : m_order.decode());
    LHRS_CHECK(m_plan); // the coordinator orders this only if enough members are left
    auto decoder = Decoder::create(m_bucket.store().code(), m_plan->participants, m_plan->lost);
    LHRS_CHECK(decoder);
    m_decoder = std::make_unique<Decoder>(std::move(*decoder));
    tellDecoder(out);
    // The records of a failed bucket do not change after the cut, so neither does their highest rank.
    const ParityStore& store = m_bucket.store();
    const auto isLost = [&](Rank rank) {
        const auto members = store.members(rank);
        return std::any_of(
            m_plan->lost.begin(), m_plan->lost.end(), [&](Position q) { return members[q.value].isPresent; });
    };
    for (m_last = store.rankMax(); m_last.value > 0 && !(store.has(m_last) && isLost(m_last));)
        m_last = Rank(m_last.value - 1);
    m_slices.push_back(makeSlice(out)); // even if no record is lost, because the slice says so and carries the results
    request(m_slices.back(), now, out);
    askAhead(now, out);
    advance(now, out);
    leave(now, out);
}

void SliceRebuild::tellDecoder(Effects& out) const
{
    auto* event = out.event().mutable_decoder_chosen();
    event->set_group(m_bucket.group().value);
    event->set_recovery(m_order.recovery());
    event->set_field(m_bucket.config().field());
    for (const Participant& participant : m_decoder->participants()) {
        auto* told = event->add_participants();
        told->set_role(participant.kind == Participant::Kind::Data ? pb::DATA : pb::PARITY);
        told->set_index(participant.index);
    }
    for (const Position q : m_decoder->lost()) {
        auto* told = event->add_lost();
        told->set_position(q.value);
        const auto& coefficients = m_decoder->coefficients(q);
        told->mutable_coefficients()->Assign(coefficients.begin(), coefficients.end());
    }
}

void SliceRebuild::leave(Time now, const Effects& out)
{
    const bool isAsking = std::any_of(
        m_slices.begin(), m_slices.end(), [](const Slice& slice) { return !slice.missing.empty(); });
    m_times.leave(now, out, isAsking || !m_unstored.empty());
}

SliceRebuild::Slice SliceRebuild::makeSlice(const Effects& out)
{
    Slice slice;
    const ParityStore& store = m_bucket.store();
    const std::uint32_t ranks = out.fires(Failpoint::SliceOfOne) ? 1 : m_ranksOfSlice;
    slice.from = m_next;
    slice.to = Rank(std::max(m_next.value, std::min(m_last.value, m_next.value + ranks - 1)));
    // A member's answer must fit in one message, whatever number of ranks was ordered.
    std::size_t bytes = 0;
    for (Rank r = slice.from; r <= slice.to; r = r.next()) {
        bytes += bytesAt(m_bucket, r);
        if (bytes > kSliceBytesMax && r > slice.from)
            slice.to = Rank(r.value - 1);
    }
    m_next = LHRS_MUTANT(SliceSkipsRank) ? slice.to.next().next() : slice.to.next();
    for (Rank r = slice.from; r <= slice.to && r <= m_last; r = r.next()) {
        if (!store.has(r))
            continue;
        const auto members = store.members(r);
        if (std::any_of(
                m_plan->lost.begin(), m_plan->lost.end(), [&](Position q) { return members[q.value].isPresent; }))
            slice.open.push_back(r);
    }
    return slice;
}

// The requests of a step are sent at its end, after the computation. So the survivors can prepare the next slice in the
// meantime only if it was requested in the step before.
void SliceRebuild::askAhead(Time now, Effects& out)
{
    while (m_slices.size() < kSlicesAsked && m_next <= m_last) {
        m_slices.push_back(makeSlice(out));
        request(m_slices.back(), now, out);
    }
}

void SliceRebuild::request(Slice& slice, Time now, Effects& out)
{
    slice.data.clear();
    slice.nextRound = Time::max();
    slice.requested = m_times.since(now, out);
    if (slice.open.empty())
        return;
    for (const MemberId id : m_plan->asked) {
        for (const pb::Member& member : m_bucket.view().members()) {
            if (member.role() != id.role || member.index() != id.index)
                continue;
            pb::Message message;
            auto* ask = message.mutable_slice_request();
            ask->set_group(m_bucket.group().value);
            ask->set_epoch(m_bucket.view().epoch());
            ask->set_recovery(m_order.recovery());
            ask->set_rank_from(slice.rounds == 0 ? slice.from.value : slice.open.front().value);
            ask->set_rank_to(slice.rounds == 0 ? slice.to.value : slice.open.back().value);
            const HolderInfo holder = HolderInfo::from(member.holder());
            slice.missing.insert(id);
            m_context.acks.send(std::move(message), holder.address, holder.node, Way::Auto,
                AckList::Patience::KeepTrying, ServerContext::OfRecovery, now, out);
        }
    }
}

void SliceRebuild::onSliceData(const pb::SliceData& data, Time now, Effects& out)
{
    m_times.enter(now, out);
    const MemberId from { data.role(), data.index() };
    for (Slice& slice : m_slices) {
        if (data.rank_from() < slice.from.value || data.rank_to() > slice.to.value || slice.missing.erase(from) == 0)
            continue;
        slice.inBytes += data.records().size();
        slice.data[from] = out.takeBlock(data.records());
        if (slice.missing.empty())
            slice.arrived = m_times.since(now, out);
    }
    advance(now, out);
    leave(now, out);
}

void SliceRebuild::advance(Time now, Effects& out)
{
    while (!m_slices.empty() && m_unstored.size() < kUnstoredMax) {
        Slice& slice = m_slices.front();
        if (!slice.missing.empty() || slice.nextRound != Time::max())
            break;
        const Time begun = out.time(now);
        compute(slice);
        slice.worked += out.time(now) - begun;
        if (!slice.open.empty()) {
            slice.nextRound = now + std::min(kLongestBetweenRounds, kBetweenRounds * ++slice.rounds);
            return;
        }
        send(slice, now, out);
        m_slices.pop_front();
        askAhead(now, out);
    }
    reportWhenDone(now, out);
}

void SliceRebuild::compute(Slice& slice)
{
    const ParityStore& store = m_bucket.store();
    // A participant's records of the slice. A data position that is not asked (a dummy bucket) has none.
    struct Source {
        MemberId id;
        bool isOwn = false;
        RankReader records;
    };
    std::vector<Source> from; // in the order of the decoder
    for (const Participant& participant : m_plan->participants) {
        const MemberId id { participant.kind == Participant::Kind::Data ? pb::DATA : pb::PARITY, participant.index };
        const auto data = slice.data.find(id);
        from.push_back({ id, id == MemberId { pb::PARITY, m_bucket.column().value },
            RankReader(data == slice.data.end() ? std::string_view() : data->second) });
    }
    const bool asksParity = std::any_of(
        from.begin(), from.end(), [](const Source& source) { return source.id.role == pb::PARITY && !source.isOwn; });
    for (const Position q : m_plan->lost) {
        std::string& block = slice.blocks[q];
        block.reserve(block.size()
            + (slice.open.empty()
                    ? 0
                    : std::min(kSliceBytesMax,
                        slice.open.size() * (BlockRun::kHead + 1 + store.parity(slice.open.front()).size()))));
    }
    std::vector<Rank> stillOpen, ranks;
    std::vector<ByteSpan> contributions; // of all members, one rank of `ranks` after the other
    const auto takeAll = [&](Rank rank) {
        const auto members = store.members(rank);
        const std::uint64_t state = asksParity ? stateOf(members) : 0;
        for (Source& source : from) {
            if (source.isOwn) {
                contributions.push_back(store.parity(rank));
                continue;
            }
            const BlockEntry* const record = source.records.at(rank);
            const bool isParity = source.id.role == pb::PARITY;
            if (!isParity && !record && !members[source.id.index].isPresent) {
                contributions.emplace_back();
                continue;
            }
            if (!record
                || !(isParity ? record->key.value == state
                              : isSameState(members[source.id.index], true, record->key, record->version)))
                return false;
            contributions.push_back(bytesOf(record->bytes));
        }
        return true;
    };
    for (std::size_t i = 0; i < slice.open.size();) {
        ranks.clear();
        contributions.clear();
        const std::size_t end = std::min(slice.open.size(), i + runRanks(store.parity(slice.open[i]).size()));
        for (; i < end; ++i) {
            store.prefetchBehind(slice.open[i]);
            const std::size_t before = contributions.size();
            if (takeAll(slice.open[i])) {
                ranks.push_back(slice.open[i]);
            } else {
                contributions.resize(before);
                stillOpen.push_back(slice.open[i]);
            }
        }
        decode(slice, ranks, contributions);
    }
    slice.open = std::move(stillOpen);
}

// Computes the lost records of these ranks directly in the blocks to be sent.
void SliceRebuild::decode(Slice& slice, std::span<const Rank> ranks, std::span<const ByteSpan> contributions)
{
    const ParityStore& store = m_bucket.store();
    const std::size_t lostCount = m_plan->lost.size();
    struct Place { // place of a record; the block may move until all places are assigned
        std::size_t offset = 0;
        std::uint32_t length = 0;
    };
    std::vector<Place> places(ranks.size() * lostCount);
    for (std::size_t l = 0; l < lostCount; ++l) {
        const Position q = m_plan->lost[l];
        std::string& block = slice.blocks[q];
        const auto memberAt = [&](std::size_t i) -> const ParityStore::Member& {
            return store.members(ranks[i])[q.value];
        };
        for (std::size_t i = 0; i < ranks.size();) {
            const ParityStore::Member& first = memberAt(i);
            if (!first.isPresent) {
                ++i;
                continue;
            }
            std::size_t end = i + 1;
            while (end < ranks.size() && ranks[end] == ranks[end - 1].next() && memberAt(end).isPresent
                && memberAt(end).length == first.length)
                ++end;
            BlockRun run = BlockWriter(block).addRun(ranks[i], std::uint32_t(end - i), first.length);
            slice.records += std::uint32_t(end - i);
            slice.bytes += (end - i) * first.length;
            for (std::uint32_t r = 0; i < end; ++i, ++r) {
                const ParityStore::Member& member = memberAt(i);
                run.setHead(r, member.key, member.version);
                places[i * lostCount + l] = {
                    std::size_t(reinterpret_cast<const char*>(run.bytes(r).data()) - block.data()), member.length
                };
            }
        }
    }
    std::vector<std::string*> blocks;
    for (const Position q : m_plan->lost)
        blocks.push_back(&slice.blocks[q]);
    std::vector<std::span<std::byte>> values(lostCount);
    const std::size_t m = m_plan->participants.size();
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        for (std::size_t l = 0; l < lostCount; ++l) {
            const Place place = places[i * lostCount + l];
            values[l] = { reinterpret_cast<std::byte*>(blocks[l]->data()) + place.offset, place.length };
        }
        m_decoder->reconstructAll(contributions.subspan(i * m, m), values);
    }
}

bool SliceRebuild::isXor() const
{
    return std::all_of(
        m_plan->lost.begin(), m_plan->lost.end(), [this](Position q) { return m_decoder->isXorOnly(q); });
}

void SliceRebuild::send(Slice& slice, Time now, Effects& out)
{
    m_isLastSent = m_slices.size() == 1 && m_next > m_last;
    auto* event = out.event().mutable_slice_recovered();
    event->set_group(m_bucket.group().value);
    event->set_recovery(m_order.recovery());
    event->set_number(m_sent);
    event->set_rank_from(slice.from.value);
    event->set_rank_to(slice.to.value);
    event->set_records(slice.records);
    event->set_bytes(slice.bytes);
    event->set_is_xor(isXor());
    event->set_asked_again(slice.rounds);
    event->set_requested_ns(slice.requested.count());
    event->set_arrived_ns(slice.arrived.count());
    event->set_computed_ns(m_times.since(now, out).count());
    event->set_process_ns(slice.worked.count());
    event->set_in_bytes(slice.inBytes);
    for (const pb::Member& spare : m_order.spares()) {
        const Position q(spare.index());
        const HolderInfo holder = HolderInfo::from(spare.holder());
        pb::Message message;
        auto* stored = message.mutable_spare_slice();
        stored->set_recovery(m_order.recovery());
        stored->set_position(q.value);
        stored->set_number(m_sent);
        stored->set_is_last(m_isLastSent);
        stored->set_rank_max(m_last.value);
        stored->set_cut(m_bucket.applied(q));
        *stored->mutable_records() = std::move(slice.blocks[q]);
        if (m_isLastSent) {
            BlockWriter block(*stored->mutable_records());
            m_bucket.results(q).eachClient([&](std::uint64_t client, std::uint64_t doneBelow) {
                block.add(BlockEntry::ofDoneBelow(client, doneBelow));
            });
            m_bucket.results(q).each([&](std::uint64_t client, const ResultTable::Entry& entry) {
                block.add(BlockEntry::ofResult(entry.key, client, entry.number, std::uint8_t(entry.result)));
            });
        }
        if (out.fires(Failpoint::SliceTwice))
            m_unstored.insert(m_context.acks.send(message, holder.address, holder.node, m_way,
                AckList::Patience::KeepTrying, ServerContext::OfRecovery, now, out));
        m_unstored.insert(m_context.acks.send(std::move(message), holder.address, holder.node, m_way,
            AckList::Patience::KeepTrying, ServerContext::OfRecovery, now, out));
    }
    ++m_sent;
    m_records += slice.records;
    m_bytes += slice.bytes;
}

void SliceRebuild::onAck(const AckList::Entry& entry, Time now, Effects& out)
{
    if (!m_unstored.contains(entry.message.id()))
        return;
    m_times.enter(now, out);
    m_unstored.erase(entry.message.id());
    advance(now, out);
    leave(now, out);
}

void SliceRebuild::reportWhenDone(Time now, Effects& out)
{
    if (!m_isLastSent || !m_unstored.empty() || m_isReported)
        return;
    m_isReported = true;
    pb::Message message;
    auto* done = message.mutable_recovery_done();
    done->set_group(m_bucket.group().value);
    done->set_epoch(m_bucket.view().epoch());
    done->set_recovery(m_order.recovery());
    done->set_records(m_records);
    done->set_bytes(m_bytes);
    done->set_slices(m_sent);
    m_times.sums(now, out).tell(*done);
    done->set_is_xor(isXor());
    done->set_slice(m_ranksOfSlice);
    for (const Participant& participant : m_plan->participants) {
        const MemberId id { participant.kind == Participant::Kind::Data ? pb::DATA : pb::PARITY, participant.index };
        const bool isAsked = std::find(m_plan->asked.begin(), m_plan->asked.end(), id) != m_plan->asked.end();
        if (!isAsked && id != MemberId { pb::PARITY, m_bucket.column().value })
            continue; // a dummy bucket
        pb::Member* member = done->add_survivors();
        member->set_role(id.role);
        member->set_index(id.index);
    }
    m_context.acks.send(std::move(message), m_context.coordinator, NodeId(), Way::Auto, AckList::Patience::KeepTrying,
        ServerContext::OfRecovery, now, out);
    if (out.fires(Failpoint::DoneLate))
        out.takeBackSend();
}

void SliceRebuild::onTime(Time now, Effects& out)
{
    m_times.enter(now, out);
    for (Slice& slice : m_slices) {
        if (slice.nextRound <= now)
            request(slice, now, out);
    }
    advance(now, out);
    leave(now, out);
}

Time SliceRebuild::deadline() const
{
    Time earliest = Time::max();
    for (const Slice& slice : m_slices)
        earliest = std::min(earliest, slice.nextRound);
    return earliest;
}

} // namespace lhrs
