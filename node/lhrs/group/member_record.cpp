// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/group/member_record.h"

#include "common/lhrs/failpoint_list.h"
#include "node/lhrs/group/group_decoder.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr std::size_t kRoomMax = std::size_t(8) << 20;
constexpr std::uint32_t kRunRanks = 64;
constexpr std::size_t kRunBytes = std::size_t(32) << 10;

// The ranks of a run.
struct Run {
    Rank first;
    std::uint32_t count = 0; // 0: there is none
    std::uint32_t length = 0;
};

// The first run between `from` and `to`, contiguous in the store's memory if possible.
template <class Store> Run runFrom(const Store& store, Rank from, Rank to)
{
    Run run { from };
    while (run.first <= to && !store.has(run.first))
        run.first = run.first.next();
    if (run.first > to)
        return run;
    run.length = store.lengthAt(run.first);
    const std::uint32_t most = std::min(
        { runRanks(run.length), Store::pieceRanks(run.first), to.value - run.first.value + 1 });
    for (Rank r = run.first; run.count < most && store.has(r) && store.lengthAt(r) == run.length; r = r.next())
        ++run.count;
    return run;
}

// Copies the bytes of the run, rank after rank.
template <class Store, class BytesAt>
void copyBytes(const Store& store, const Run& run, BlockRun& to, const BytesAt& bytesAt)
{
    if (const std::byte* const piece = store.piece(run.first, run.count, run.length)) {
        std::copy_n(piece, std::size_t(run.count) * run.length, to.bytes(0).data());
        return;
    }
    for (std::uint32_t i = 0; i < run.count; ++i)
        std::ranges::copy(bytesAt(Rank(run.first.value + i)), to.bytes(i).begin());
}

// Reserves room for the following ranks, as if all their records were as long as those of the first run. The room is
// bounded, because the first may be by far the longest.
void makeRoom(std::string& out, std::size_t roomMax, const Run& run, Rank last)
{
    if (out.empty())
        out.reserve(std::min(
            roomMax, (BlockRun::kHead + run.length + 1) * (last.value - run.first.value + 1) + kRunBytes / kRunRanks));
}

} // namespace

std::uint32_t runRanks(std::size_t length)
{
    return std::uint32_t(std::clamp<std::size_t>(kRunBytes / (length + 1), 1, kRunRanks));
}

Rank writeRun(const RecordStore& store, Rank from, Rank to, std::size_t roomMax, std::string& out)
{
    const Rank last = std::min(to, store.rankMax());
    const Run run = runFrom(store, from, last);
    if (run.count == 0)
        return last.next();
    makeRoom(out, roomMax, run, last);
    BlockRun records = BlockWriter(out).addRun(run.first, run.count, run.length);
    for (std::uint32_t i = 0; i < run.count; ++i) {
        const Rank rank(run.first.value + i);
        store.prefetchBehind(rank);
        const RecordStore::Record record = store.at(rank);
        records.setHead(i, record.key, record.version);
    }
    copyBytes(store, run, records, [&store](Rank rank) { return bytesOf(store.at(rank).value); });
    return Rank(run.first.value + run.count);
}

void writeRecords(const RecordStore& store, Rank from, Rank to, std::string& out)
{
    for (const Rank last = std::min(to, store.rankMax()); from <= last;)
        from = writeRun(store, from, last, kRoomMax, out);
}

void writeParityRecords(const ParityStore& store, Rank from, Rank to, std::string& out)
{
    for (const Rank last = std::min(to, store.rankMax()); from <= last;) {
        const Run run = runFrom(store, from, last);
        if (run.count == 0)
            return;
        makeRoom(out, kRoomMax, run, last);
        BlockRun records = BlockWriter(out).addRun(run.first, run.count, run.length);
        for (std::uint32_t i = 0; i < run.count; ++i) {
            const Rank rank(run.first.value + i);
            store.prefetchBehind(rank);
            records.setHead(i, Key(stateOf(store.members(rank))), 0);
        }
        copyBytes(store, run, records, [&store](Rank rank) { return store.parity(rank); });
        from = Rank(run.first.value + run.count);
    }
}

bool isFit(const std::string& block, Rank least, Rank most)
{
    BlockReader reader(block);
    BlockEntry entry;
    while (reader.next(entry)) {
        if (!entry.isOfRequests() && (entry.rank < least || entry.rank > most || entry.version > kSequenceMax))
            return false;
    }
    return !reader.isMalformed();
}

std::string& answerMemberRead(const pb::Message& message, MemberId self, Effects& out)
{
    const pb::MemberRead& read = message.member_read();
    pb::Message& answer = out.send(Address::from(message.from()), Way::Auto, 0, NodeId(message.sender()));
    answer.set_answers(message.id());
    auto* record = answer.mutable_member_record();
    record->set_group(read.group());
    record->set_role(self.role);
    record->set_index(self.index);
    record->set_rank(read.rank());
    return *record->mutable_record();
}

std::string& answerSliceRequest(const pb::Message& message, MemberId self, Rank rankMax, Way way, Effects& out)
{
    const pb::SliceRequest& request = message.slice_request();
    pb::Message& answer = out.send(Address::from(message.from()), way, 0, NodeId(message.sender()));
    answer.set_answers(message.id());
    auto* slice = answer.mutable_slice_data();
    slice->set_recovery(request.recovery());
    slice->set_role(self.role);
    slice->set_index(self.index);
    slice->set_rank_from(request.rank_from());
    slice->set_rank_to(request.rank_to());
    slice->set_rank_max(rankMax.value);
    return *slice->mutable_records();
}

LeaseTimes leaseTimesOf(const pb::Timers& timers)
{
    using ms = std::chrono::milliseconds;
    return { ms(timers.lease_ms()), ms(timers.renew_ms()), ms(timers.suspect_ms()) };
}

void grantLease(
    LeaseGranter& grants, const pb::Message& request, MemberId self, Incarnation incarnation, Time now, Effects& out)
{
    const pb::LeaseRequest& asked = request.lease_request();
    if (out.fires(Failpoint::GrantRefused)
        || !grants.grant({ pb::DATA, asked.position() }, Incarnation(asked.incarnation()), now))
        return;
    auto* grant = out.send(Address::from(request.from()), Way::Auto, 0, NodeId(request.sender())).mutable_lease_grant();
    grant->set_group(asked.group());
    grant->set_role(self.role);
    grant->set_index(self.index);
    grant->set_incarnation(incarnation.value);
    grant->set_sent_ns(asked.sent_ns());
    grant->set_length_ms(
        std::uint32_t(grants.times().length / std::chrono::milliseconds(out.fires(Failpoint::LeaseShort) ? 2 : 1)));
}

void suspect(NodeContext& context, const pb::View& view, MemberId silent, Time now, Effects& out)
{
    for (const pb::Member& member : view.members()) {
        if (member.role() != silent.role || member.index() != silent.index)
            continue;
        pb::Message message;
        message.mutable_suspect()->set_group(view.group());
        *message.mutable_suspect()->mutable_suspect() = member;
        context.acks.send(std::move(message), context.coordinator, NodeId(), Way::Auto, AckList::Patience::GiveUp,
            NodeContext::Plain, now, out);
    }
}

} // namespace lhrs
