// SPDX-License-Identifier: GPL-3.0-or-later
// A data bucket in failures: leases, its contributions to the recovery of others, and its own rebuild as a spare.
#include "node/lhrs/data/data_bucket.h"

#include "common/failpoints.h"
#include "common/lhrs/failpoint_list.h"
#include "node/lhrs/store/fetching_reader.h"
#include "node/lhrs/group/member_record.h"

#include <algorithm>

using namespace std::chrono_literals;

namespace lhrs {

namespace {

constexpr std::size_t kSlicesAheadMax = 16; // more than a recovery manager has under way

} // namespace

void DataBucket::takeView(Time now)
{
    if (m_config.recovery() == pb::RECOVERY_OFF)
        return;
    const LeaseTimes times = leaseTimesOf(m_parts.context.acks.timers());
    m_lease.setTimes(times);
    m_grants.setTimes(times);
    m_lease.setView(m_view, { pb::DATA, m_parts.position.value }, now);
    m_grants.setView(m_view, { pb::DATA, m_parts.position.value }, now);
}

void DataBucket::renewLease(Time now, Effects& out)
{
    if (m_config.recovery() == pb::RECOVERY_OFF || m_state == pb::RECOVERING)
        return;
    for (const LeaseHolder::Granter& granter : m_lease.takeDue(now)) {
        if (out.fires(Failpoint::RenewLate))
            continue;
        auto* request = out.send(granter.holder.address, Way::Auto, 0, granter.holder.node).mutable_lease_request();
        request->set_group(m_parts.group.value);
        request->set_epoch(m_link.epoch().value);
        request->set_position(m_parts.position.value);
        request->set_incarnation(incarnation().value);
        request->set_sent_ns(now.count());
    }
    for (const LeaseHolder::Granter& silent : m_lease.takeSilent(now))
        suspect(m_parts.context, m_view, silent.id, now, out);
    for (const MemberId silent : m_grants.takeSilent(now))
        suspect(m_parts.context, m_view, silent, now, out);
}

void DataBucket::onLeaseRequest(const pb::Message& message, Time now, Effects& out)
{
    if (m_state != pb::RECOVERING)
        grantLease(m_grants, message, { pb::DATA, m_parts.position.value }, incarnation(), now, out);
}

void DataBucket::onLeaseGrant(const pb::Message& message)
{
    const pb::LeaseGrant& grant = message.lease_grant();
    const Time length = std::chrono::milliseconds(grant.length_ms());
    m_lease.onGrant({ grant.role(), grant.index() }, Incarnation(grant.incarnation()),
        Time(grant.sent_ns()) + (LHRS_MUTANT(LeaseFromAnswer) ? length : Time()), length);
}

// ---- contributions to the recovery of others

void DataBucket::onMemberRead(const pb::Message& message, Effects& out)
{
    const pb::MemberRead& read = message.member_read();
    if (m_state == pb::RECOVERING || read.group() != m_parts.group.value || out.fires(Failpoint::RecordReadBehind))
        return;
    pb::Message& answer = out.send(Address::from(message.from()), Way::Auto, 0, NodeId(message.sender()));
    answer.set_answers(message.id());
    auto* record = answer.mutable_member_record();
    record->set_group(m_parts.group.value);
    record->set_role(pb::DATA);
    record->set_index(m_parts.position.value);
    record->set_rank(read.rank());
    writeRecords(m_store, Rank(read.rank()), Rank(read.rank()), *record->mutable_record());
}

void DataBucket::onSliceRequest(const pb::Message& message, Effects& out)
{
    const pb::SliceRequest& request = message.slice_request();
    if (m_state == pb::RECOVERING || request.group() != m_parts.group.value
        || out.fires(Failpoint::SliceRequestUnanswered))
        return;
    pb::Message& answer = out.send(Address::from(message.from()), bulkWay(m_config), 0, NodeId(message.sender()));
    answer.set_answers(message.id());
    auto* slice = answer.mutable_slice_data();
    slice->set_recovery(request.recovery());
    slice->set_role(pb::DATA);
    slice->set_index(m_parts.position.value);
    slice->set_rank_from(request.rank_from());
    slice->set_rank_to(request.rank_to());
    slice->set_rank_max(m_store.rankMax().value);
    writeRecords(m_store, Rank(request.rank_from()), Rank(request.rank_to()), *slice->mutable_records());
}

// ---- being rebuilt

void DataBucket::onSpareSlice(const pb::Message& message, Time now, Effects& out)
{
    const pb::SpareSlice& slice = message.spare_slice();
    if (m_state != pb::RECOVERING) {
        NodeContext::acknowledge(message, out); // a late copy
        return;
    }
    // A replaced recovery manager may not know that it was, and this server may have been its spare before.
    const bool isOfOurGroup = std::any_of(
        m_view.members().begin(), m_view.members().end(), [&](const pb::Member& member) {
            return member.role() == pb::PARITY && member.state() == pb::UP
                && member.holder().node() == message.sender();
        });
    if (!isOfOurGroup || slice.position() != m_parts.position.value)
        return;
    if (slice.recovery() != m_recovery) {
        if (slice.recovery() < m_recovery)
            return; // from a recovery that was given up
        m_recovery = slice.recovery();
        m_slicesStored = 0;
        m_slicesAhead.clear();
        if (!LHRS_MUTANT(ManagersMix)) {
            m_store = RecordStore();
            m_results = ResultTable();
        }
    }
    if (slice.number() < m_slicesStored) {
        NodeContext::acknowledge(message, out);
        return;
    }
    if (!isFit(slice.records()))
        return;
    if (slice.number() > m_slicesStored) { // each may have taken another path
        if (m_slicesAhead.size() < kSlicesAheadMax)
            m_slicesAhead.emplace(slice.number(), message);
        return;
    }
    NodeContext::acknowledge(message, out);
    storeSlice(slice, now, out);
    for (auto next = m_slicesAhead.begin(); next != m_slicesAhead.end() && next->first <= m_slicesStored;
         next = m_slicesAhead.begin()) {
        NodeContext::acknowledge(next->second, out);
        if (next->first == m_slicesStored)
            storeSlice(next->second.spare_slice(), now, out);
        m_slicesAhead.erase(next);
    }
}

bool DataBucket::isFit(const std::string& block) const
{
    const Rank limit = rankLimit(m_config);
    BlockReader reader(block);
    BlockEntry entry;
    while (reader.next(entry)) {
        if (!entry.isOfRequests() && (entry.rank == Rank() || entry.rank > limit || entry.version > kSequenceMax))
            return false;
    }
    return !reader.isMalformed();
}

void DataBucket::storeSlice(const pb::SpareSlice& slice, Time now, Effects& out)
{
    ++m_slicesStored;
    auto* event = out.event().mutable_slice_stored();
    event->set_recovery(m_recovery);
    event->set_number(slice.number());
    event->set_is_last(slice.is_last());
    if (slice.number() == 0)
        m_store.reserve(std::min(Rank(slice.rank_max()), rankLimit(m_config)));
    std::uint32_t records = 0;
    FetchingReader reader(slice.records(), m_store);
    BlockEntry entry;
    while (reader.next(entry)) {
        if (entry.isOfRequests()) {
            takeRequest(m_results, entry, now);
            continue;
        }
        m_store.insertAt(entry.rank, entry.key, entry.bytes, entry.version);
        ++records;
        if (!out.tellsRecords())
            continue;
        event->add_ranks(entry.rank.value);
        event->add_keys(entry.key.value);
    }
    event->set_records(records);
    event->set_count(m_store.count());
    if (!slice.is_last())
        return;
    // Ranks that were left out are free, and the sequence numbers continue from the cut.
    m_link.restore(LHRS_MUTANT(SequenceNotCut) && slice.cut() > 0 ? slice.cut() - 1 : slice.cut());
    if (LHRS_MUTANT(SpareVisibleEarly))
        become(pb::UP, "filled", out);
}

// Acknowledges the epoch once the parity buckets have the changes that it requires.
void DataBucket::acknowledgeEpoch(Time now, Effects& out)
{
    const bool isEnough = std::all_of(
        m_owedEpochAck->wanted.begin(), m_owedEpochAck->wanted.end(), [&](const auto& want) {
            const ParityLink::Column* const column = m_link.column(want.first);
            return column == nullptr || column->acknowledged >= want.second;
        });
    if (!isEnough)
        return;
    const pb::Message& epoch = m_owedEpochAck->epoch;
    pb::Message& message = out.send(Address::from(epoch.from()), Way::Auto, 0, NodeId(epoch.sender()));
    message.set_answers(epoch.id());
    auto* ack = message.mutable_epoch_ack();
    ack->set_group(m_parts.group.value);
    ack->set_epoch(m_link.epoch().value);
    ack->set_role(pb::DATA);
    ack->set_index(m_parts.position.value);
    ack->set_sequence(m_link.sequence());
    ack->set_lease_left_ms(std::uint32_t((m_grants.leftToFailed(now) + 999us) / 1ms));
    m_owedEpochAck.reset();
}

} // namespace lhrs
