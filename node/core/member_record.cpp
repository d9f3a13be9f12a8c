// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/core/member_record.h"

#include "node/core/group_decoder.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr std::size_t kRoomMax = std::size_t(8) << 20;

// Room for the ranks that follow, as if all were as long as the first; within a bound, as that one may be the longest by far.
void makeRoom(std::string& out, std::size_t before, Rank first, Rank last)
{
    if (before == 0 && first < last)
        out.reserve(std::min(kRoomMax, out.size() * (last.value - first.value + 1)));
}

} // namespace

void writeRecords(const RecordStore& store, Rank from, Rank to, std::string& out)
{
    BlockWriter block(out);
    const Rank last = std::min(to, store.rankMax());
    for (Rank r = from; r <= last; r = r.next()) {
        store.prefetchBehind(r);
        if (!store.has(r))
            continue;
        const std::size_t before = out.size();
        const RecordStore::Record record = store.at(r);
        block.add({ .kind = BlockEntry::Kind::Insert, .key = record.key, .rank = r, .length = std::uint32_t(record.value.size()),
            .version = record.version, .bytes = record.value });
        makeRoom(out, before, r, last);
    }
}

void writeParityRecords(const ParityStore& store, Rank from, Rank to, std::string& out)
{
    BlockWriter block(out);
    const Rank last = std::min(to, store.rankMax());
    for (Rank r = from; r <= last; r = r.next()) {
        store.prefetchBehind(r);
        if (!store.has(r))
            continue;
        const std::size_t before = out.size();
        const ByteSpan parity = store.parity(r);
        block.add({ .kind = BlockEntry::Kind::Insert, .key = Key(stateOf(store.members(r))), .rank = r,
            .bytes = { reinterpret_cast<const char*>(parity.data()), parity.size() } });
        makeRoom(out, before, r, last);
    }
}

LeaseTimes leaseTimesOf(const pb::Timers& timers)
{
    using ms = std::chrono::milliseconds;
    return { ms(timers.lease_ms()), ms(timers.renew_ms()), ms(timers.suspect_ms()) };
}

void grantLease(LeaseGranter& grants, const pb::Message& request, MemberId self, Incarnation incarnation, Time now, Effects& out)
{
    const pb::LeaseRequest& asked = request.lease_request();
    if (out.fires(Point::GrantRefused) || !grants.grant({ pb::DATA, asked.position() }, Incarnation(asked.incarnation()), now))
        return;
    auto* grant = out.send(Address::from(request.from()), Way::Auto, 0, NodeId(request.sender())).mutable_lease_grant();
    grant->set_group(asked.group());
    grant->set_role(self.role);
    grant->set_index(self.index);
    grant->set_incarnation(incarnation.value);
    grant->set_sent_ns(asked.sent_ns());
    grant->set_length_ms(std::uint32_t(grants.times().length / std::chrono::milliseconds(out.fires(Point::LeaseShort) ? 2 : 1)));
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
