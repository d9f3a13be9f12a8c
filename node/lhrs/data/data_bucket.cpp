// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/data/data_bucket.h"

#include "common/lhrs/failpoint_list.h"
#include "common/lhrs/linear_hash.h"
#include "node/lhrs/group/key_request.h"
#include "node/lhrs/group/member_record.h"

#include <algorithm>

namespace lhrs {

DataBucket::DataBucket(ServerContext& context, const pb::Confirm& confirm, Time now, Effects& out)
    : m_config(confirm.config()), m_status { confirm.state(), confirm.level(), confirm.view() },
      m_link(context, groupOf(BucketNumber(confirm.number()), m_config.m()),
          positionOf(BucketNumber(confirm.number()), m_config.m()), Incarnation(confirm.incarnation())),
      m_parts { context, m_store, m_link, m_results, m_config, m_status, BucketNumber(confirm.number()),
          groupOf(BucketNumber(confirm.number()), m_config.m()),
          positionOf(BucketNumber(confirm.number()), m_config.m()), Incarnation(confirm.incarnation()) },
      m_reconfigurations(m_parts, m_status, confirm.split(), confirm.last_split(), m_waiting, m_scans, m_load)
{
    m_view.begin(now, out);
}

// ---- requests

void DataBucket::onInsert(const pb::Message& message, Time now, Effects& out)
{
    onRequest(pb::INSERT, message.insert(), now, out);
}
void DataBucket::onUpdate(const pb::Message& message, Time now, Effects& out)
{
    onRequest(pb::UPDATE, message.update(), now, out);
}
void DataBucket::onDelete(const pb::Message& message, Time now, Effects& out)
{
    onRequest(pb::DELETE, message.delete_(), now, out);
}
void DataBucket::onSearch(const pb::Message& message, Time now, Effects& out)
{
    onRequest(pb::SEARCH, message.search(), now, out);
}

void DataBucket::onRequest(pb::OperationKind kind, const pb::KeyRequest& request, Time now, Effects& out)
{
    if (execute(kind, request, now, out))
        progress(now, out);
}

bool DataBucket::execute(pb::OperationKind kind, const pb::KeyRequest& request, Time now, Effects& out)
{
    const pb::ChangeKind change = m_operations.execute(kind, request, now, out);
    if (change == pb::CHANGE_INSERT)
        m_load.onGrown();
    if (change == pb::CHANGE_DELETE)
        m_load.onDeleted(m_reconfigurations.isSource());
    return change != pb::CHANGE_UNKNOWN;
}

void DataBucket::onScan(const pb::Message& message, Time now, Effects& out)
{
    const pb::Scan& scan = message.scan();
    out.serve(scan.request());
    if (isGone() || scan.target() != number().value
        || (scan.incarnation() != 0 && scan.incarnation() != incarnation().value)) {
        sayDisplaced(Address::from(scan.client()), NodeId(scan.request().client()), scan.request(), scan.target(),
            scan.incarnation(), 0, out);
        return;
    }
    answerScan(scan, now, out);
    progress(now, out);
}

void DataBucket::answerScan(const pb::Scan& scan, Time now, Effects& out)
{
    if (!m_status.isComplete() || m_reconfigurations.isMergeUndecided()) {
        m_scans.hold(m_parts, scan, out);
        return;
    }
    m_scans.take(m_parts, scan, out);
    m_scans.forward(m_parts, scan, out);
    for (const BucketNumber bucket : m_scans.wanted())
        m_waiting.ask(bucket, now, out);
}

void DataBucket::onLocation(const pb::Message& message, Time now, Effects& out)
{
    const pb::Location& location = message.location();
    const BucketNumber bucket(location.bucket());
    m_waiting.answered(bucket);
    if (!location.exists())
        return; // not known yet: onTime asks again while something waits for the location
    m_parts.context.locations[bucket] = HolderInfo::from(location.holder());
    m_scans.onLocation(m_parts, bucket, out);
    m_waiting.releaseParked(bucket);
    if (m_waiting.isReleased())
        progress(now, out);
}

void DataBucket::onDisplaced(const pb::Message& message)
{
    const pb::Displaced& displaced = message.displaced();
    // This bucket forwarded a request to a bucket that is no longer there; next time it will ask the coordinator for
    // the location.
    const auto known = m_parts.context.locations.find(BucketNumber(displaced.bucket()));
    if (known != m_parts.context.locations.end() && known->second.incarnation.value == displaced.incarnation())
        m_parts.context.locations.erase(known);
}

void DataBucket::onDeltaAck(const pb::Message& message, Time now, Effects& out)
{
    m_link.onDeltaAck(message.delta_ack(), Incarnation(message.incarnation()), now);
    progress(now, out);
}

void DataBucket::onDeltaNak(const pb::Message& message, Time now, Effects& out)
{
    m_link.onDeltaNak(message.delta_nak(), now, out);
}

// ---- the end of a step

void DataBucket::progress(Time now, Effects& out)
{
    bool hasChanged = false;
    do {
        hasChanged = takeUp(now, out);
        advance(now, out);
    } while (hasChanged || m_waiting.isReleased());
    m_load.afterStep(m_reconfigurations.isSource(), now, out);
    check();
}

bool DataBucket::takeUp(Time now, Effects& out)
{
    while (const auto next = m_waiting.takeReleased()) {
        if (execute(next->kind, next->request, now, out))
            return true;
    }
    if (m_waiting.takeScansReleased()) {
        for (const pb::Scan& scan : m_scans.takeHeld())
            answerScan(scan, now, out);
    }
    return false;
}

void DataBucket::advance(Time now, Effects& out)
{
    m_link.takeDone([&](const ParityLink::Change& change) { m_operations.answer(change, now, out); });
    for (const auto& [kind, read] : m_waiting.takeReads(m_link.heldByAll()))
        execute(kind, read, now, out); // execute() looks at the record again
    m_scans.progress(m_parts, hasLease(now), now, out);
    if (m_reconfigurations.progress(now, out))
        m_view.progress(now, out);
    m_load.afterChange(m_reconfigurations.isSource(), now, out);
}

void DataBucket::check() const
{
    LHRS_CHECK(m_store.count() + m_store.freeRanks().size() <= m_store.rankMax().value);
    LHRS_CHECK(m_link.heldByAll() <= m_link.sequence());
    m_reconfigurations.check();
}

// ---- reconfigurations

void DataBucket::onEpoch(const pb::Message& message, Time now, Effects& out)
{
    if (!m_view.onEpoch(message, now, out))
        return;
    m_contents.takeView();
    if (state() == pb::UP && view().state() != pb::GROUP_FROZEN)
        m_waiting.release();
    progress(now, out);
}

void DataBucket::onSplit(const pb::Message& message, Time now, Effects& out)
{
    if (m_reconfigurations.onSplit(message, out))
        progress(now, out);
}

void DataBucket::onMerge(const pb::Message& message, Time now, Effects& out)
{
    if (m_reconfigurations.onMerge(message, out))
        progress(now, out);
}

void DataBucket::onMoveRecords(const pb::Message& message, Time now, Effects& out)
{
    if (state() != pb::UP && !m_memory.hasRoomFor(message.move_records().records()))
        return;
    if (m_reconfigurations.onMoveRecords(message, now, out))
        progress(now, out);
}

void DataBucket::onCommit(const pb::Message& message, Time now, Effects& out)
{
    if (m_reconfigurations.onCommit(message, now, out))
        progress(now, out);
}

void DataBucket::onAbort(const pb::Message& message, Time now, Effects& out)
{
    m_reconfigurations.onAbort(message, now, out);
    progress(now, out);
}

void DataBucket::onFinish(const pb::Message& message, Time now, Effects& out)
{
    if (m_reconfigurations.onFinish(message, out))
        progress(now, out);
}

void DataBucket::onRearm(const pb::Message& message, Time now, Effects& out)
{
    NodeContext::acknowledge(message, out);
    // The former coordinator may have taken this bucket's report with it. A report that still waits for its
    // acknowledgement goes to the new coordinator. (With a count, the message is load control's answer to a report that
    // did arrive.)
    const std::uint32_t count = message.rearm().count();
    if (count == 0
        && m_parts.context.acks.any([](const AckList::Entry& entry) { return entry.message.has_overload(); }))
        return;
    m_load.rearm(std::max(m_config.b(), std::max(count, 1u) - 1));
    if (state() == pb::UP)
        m_load.onGrown();
    m_load.afterChange(m_reconfigurations.isSource(), now, out);
}

void DataBucket::onSendContents(const pb::Message& message, Time now, Effects& out)
{
    m_contents.onSendContents(message, now, out);
}

// ---- failures

void DataBucket::onLeaseRequest(const pb::Message& message, Time now, Effects& out)
{
    m_leases.onLeaseRequest(message, now, out);
}

void DataBucket::onLeaseGrant(const pb::Message& message) { m_leases.onLeaseGrant(message); }

void DataBucket::onMemberRead(const pb::Message& message, Effects& out)
{
    const pb::MemberRead& read = message.member_read();
    if (state() == pb::RECOVERING || read.group() != m_parts.group.value || out.fires(Failpoint::RecordReadBehind))
        return;
    std::string& record = answerMemberRead(message, { pb::DATA, m_parts.position.value }, out);
    writeRecords(m_store, Rank(read.rank()), Rank(read.rank()), record);
}

void DataBucket::onSliceRequest(const pb::Message& message, Effects& out)
{
    const pb::SliceRequest& request = message.slice_request();
    if (state() == pb::RECOVERING || request.group() != m_parts.group.value
        || out.fires(Failpoint::SliceRequestUnanswered))
        return;
    std::string& records = answerSliceRequest(
        message, { pb::DATA, m_parts.position.value }, m_store.rankMax(), bulkWay(m_config), out);
    writeRecords(m_store, Rank(request.rank_from()), Rank(request.rank_to()), records);
}

void DataBucket::onSpareSlice(const pb::Message& message, Time now, Effects& out)
{
    m_slices.onSpareSlice(message, now, out);
}

// ---- acknowledgements and time

void DataBucket::onAck(const AckList::Entry& entry, Time now, Effects& out)
{
    m_reconfigurations.onAck(entry, now, out);
    m_scans.onAck(m_parts, entry, now, out);
    m_contents.onAck(entry, now, out);
    progress(now, out);
}

void DataBucket::onTime(Time now, Effects& out)
{
    m_link.onTime(now, out);
    m_contents.onTime(now, out);
    m_leases.onTime(now, out);
    m_waiting.onTime(now, out);
    if (now > ResultTable::kClientSilence)
        m_results.expire(now - ResultTable::kClientSilence);
}

Time DataBucket::deadline() const { return std::min({ m_link.deadline(), m_waiting.deadline(), m_leases.deadline() }); }

} // namespace lhrs
