// SPDX-License-Identifier: GPL-3.0-or-later
// A parity bucket in failures: the leases that it grants, the log of changes, the cut, and its part in recoveries.
#include "node/lhrs/parity/parity_bucket.h"

#include "common/failpoints.h"
#include "common/lhrs/failpoint_list.h"
#include "node/lhrs/group/member_record.h"

#include <algorithm>
#include <bit>

namespace lhrs {

void ParityBucket::onLeaseRequest(const pb::Message& message, Time now, Effects& out)
{
    if (m_state == pb::UP)
        grantLease(m_grants, message, { pb::PARITY, m_column.value }, m_incarnation, now, out);
}

void ParityBucket::logDelta(PositionState& position, const pb::Delta& delta, const Effects& out)
{
    if (m_config.recovery() == pb::RECOVERY_OFF)
        return;
    if (!out.fires(Failpoint::TrimLate))
        position.log.trim(LHRS_MUTANT(LogTrimmedEarly) ? delta.sequence() : delta.stable());
    position.log.add(delta);
}

// ---- the cut

void ParityBucket::beginRecovery(Time now, Effects& out)
{
    // Everything that was begun in an older epoch starts over.
    m_manager.reset();
    m_records.reset();
    m_context.acks.forgetIf([](const AckList::Entry& entry) { return entry.purpose == ServerContext::OfRecovery; });
    if (m_state != pb::UP)
        return;
    if (m_view.state() == pb::GROUP_DEGRADED || m_view.state() == pb::GROUP_FROZEN)
        m_records = std::make_unique<RecordRecoveries>(m_context, *this);
    const bool isManager = m_view.manager() == m_column.value && m_view.state() != pb::GROUP_UP;
    if (isManager)
        m_manager = std::make_unique<RecoveryManager>(m_context, *this);
    const bool isDataLost = std::any_of(
        m_positions.begin(), m_positions.end(), [](const PositionState& p) { return p.hasFailed; });
    if (m_view.state() != pb::GROUP_FROZEN || !isDataLost)
        return;
    pb::Message message;
    auto* report = message.mutable_cut_report();
    report->set_group(m_group.value);
    report->set_epoch(m_view.epoch());
    report->set_column(m_column.value);
    for (Position q; q.value < m_positions.size(); q = q.next()) {
        if (m_positions[q.value].hasFailed)
            reportPosition(q, *report->add_positions());
    }
    if (isManager) {
        m_manager->onCutReport(*report, now, out);
        return;
    }
    for (const pb::Member& member : m_view.members()) {
        if (member.role() != pb::PARITY || member.index() != m_view.manager())
            continue;
        const HolderInfo holder = HolderInfo::from(member.holder());
        m_context.acks.send(std::move(message), holder.address, holder.node, Way::Auto, AckList::Patience::KeepTrying,
            ServerContext::OfRecovery, now, out);
        return;
    }
}

void ParityBucket::reportPosition(Position q, pb::PositionReport& out) const
{
    const PositionState& position = m_positions[q.value];
    out.set_position(q.value);
    out.set_applied(position.applied);
    for (const auto& [sequence, change] : position.held) {
        // A committed batch is complete at all parity buckets, and an aborted one is an empty change. So only its
        // number is reported.
        pb::Delta& held = *out.add_held();
        if (change.batch.split == 0)
            held = change.delta;
        held.set_sequence(sequence);
    }
    position.log.report(m_group, q, *out.mutable_logged());
}

bool ParityBucket::bringToCut(
    Position q, Sequence cut, const google::protobuf::RepeatedPtrField<pb::Delta>& missing, Time now, Effects& out)
{
    PositionState& position = m_positions[q.value];
    for (const pb::Delta& delta : missing) {
        if (delta.sequence() > position.applied && !position.held.contains(delta.sequence()))
            position.held[delta.sequence()].delta = delta;
    }
    position.held.erase(position.held.upper_bound(cut), position.held.end());
    applyWhatFollows(q, now, out);
    return position.applied == cut;
}

void ParityBucket::onCutReport(const pb::Message& message, Time now, Effects& out)
{
    const pb::CutReport& report = message.cut_report();
    if (report.group() != m_group.value || out.fires(Failpoint::CutReportLate) || report.epoch() > m_view.epoch())
        return; // the request will be resent; this bucket's new epoch is on its way
    NodeContext::acknowledge(message, out);
    if (m_manager && report.epoch() == m_view.epoch())
        m_manager->onCutReport(report, now, out);
}

void ParityBucket::onDeltaCopy(const pb::Message& message, Time now, Effects& out)
{
    const pb::DeltaCopy& copy = message.delta_copy();
    if (copy.group() != m_group.value || copy.epoch() != m_view.epoch() || copy.position() >= m_positions.size()
        || !m_positions[copy.position()].hasFailed)
        return; // from another epoch, or too early: it will be resent
    if (bringToCut(Position(copy.position()), copy.cut(), copy.deltas(), now, out))
        NodeContext::acknowledge(message, out);
}

// ---- restart of the coordinator

void ParityBucket::report(pb::StateReport& out) const
{
    out.set_role(pb::PARITY);
    out.set_number(m_group.value);
    out.set_column(m_column.value);
    out.set_incarnation(m_incarnation.value);
    out.set_state(m_state);
    out.set_is_counted_on(m_isCountedOn);
    *out.mutable_view() = m_view;
    *out.mutable_config() = m_config;
    for (Position q; q.value < m_positions.size(); q = q.next()) {
        const PositionState& position = m_positions[q.value];
        if (position.incarnation.value == 0)
            continue;
        auto* mark = out.add_positions();
        mark->set_position(q.value);
        mark->set_incarnation(position.incarnation.value);
        mark->set_level(position.level);
        mark->set_applied(position.applied);
        const auto add = [&](std::uint64_t split, Level level, std::uint32_t mergesFrom, pb::OpenSplit::Step step) {
            if (split == 0 || (level == 0 && mergesFrom == 0))
                return;
            const std::uint32_t bucket = bucketAt(m_group, q, m_config.m()).value;
            auto* part = out.add_splits();
            part->set_split(split);
            if (mergesFrom != 0) {
                part->set_is_merge(true);
                part->set_source(mergesFrom);
                part->set_target(mergesFrom - std::bit_floor(mergesFrom));
                part->set_level(std::uint32_t(std::bit_width(mergesFrom)));
            } else {
                const std::uint32_t half = 1u << (level - 1);
                part->set_source(bucket < half ? bucket : bucket - half);
                part->set_target(bucket < half ? bucket + half : bucket);
                part->set_level(level);
            }
            part->set_bucket(bucket);
            part->set_step(step);
        };
        std::uint64_t waiting = 0;
        for (const auto& [sequence, held] : position.held) {
            const Batch& batch = held.batch;
            if (batch.split == 0 || held.decision == HeldChange::Decision::Abort)
                continue;
            waiting = batch.split;
            add(batch.split, batch.level, batch.mergesFrom,
                held.decision == HeldChange::Decision::Commit ? pb::OpenSplit::COMMITTED : pb::OpenSplit::PREPARED);
        }
        if (const auto& batch = position.staging) {
            waiting = batch->split;
            add(batch->split, batch->level, batch->mergesFrom, pb::OpenSplit::ORDERED);
        }
        if (position.lastCommit != waiting)
            add(position.lastCommit, position.level, position.lastMergedFrom, pb::OpenSplit::COMMITTED);
    }
}

// ---- recovery

void ParityBucket::onRecover(const pb::Message& message, Time now, Effects& out)
{
    if (message.recover().group() != m_group.value || message.recover().epoch() > m_view.epoch())
        return;
    NodeContext::acknowledge(message, out);
    if (m_manager && message.recover().epoch() == m_view.epoch())
        m_manager->onRecover(message.recover(), now, out);
}

void ParityBucket::onSliceRequest(const pb::Message& message, Effects& out)
{
    const pb::SliceRequest& request = message.slice_request();
    if (request.group() != m_group.value || m_state != pb::UP || out.fires(Failpoint::SliceRequestUnanswered))
        return;
    std::string& records = answerSliceRequest(
        message, { pb::PARITY, m_column.value }, m_store.rankMax(), bulkWay(m_config), out);
    writeParityRecords(m_store, Rank(request.rank_from()), Rank(request.rank_to()), records);
}

void ParityBucket::onSliceData(const pb::Message& message, Time now, Effects& out)
{
    if (m_manager)
        m_manager->onSliceData(message.slice_data(), now, out);
}

void ParityBucket::onRecoverRecord(const pb::Message& message, Time now, Effects& out)
{
    const pb::RecoverRecord& order = message.recover_record();
    if (order.group() != m_group.value || order.epoch() > m_view.epoch() || order.position() >= m_config.m())
        return;
    if (m_records && order.epoch() == m_view.epoch()
        && (m_view.state() == pb::GROUP_DEGRADED || LHRS_MUTANT(ReadBeforeCut)))
        m_records->onRecoverRecord(order, now, out);
}

void ParityBucket::onMemberRead(const pb::Message& message, Effects& out)
{
    const pb::MemberRead& read = message.member_read();
    if (read.group() != m_group.value || m_state != pb::UP || out.fires(Failpoint::RecordReadBehind))
        return;
    std::string& record = answerMemberRead(message, { pb::PARITY, m_column.value }, out);
    writeParityRecords(m_store, Rank(read.rank()), Rank(read.rank()), record);
}

void ParityBucket::onMemberRecord(const pb::Message& message, Time now, Effects& out)
{
    if (m_records)
        m_records->onMemberRecord(message.member_record(), now, out);
}

void ParityBucket::onAck(const AckList::Entry& entry, Time now, Effects& out)
{
    if (m_manager)
        m_manager->onAck(entry, now, out);
}

Time ParityBucket::deadline() const
{
    Time earliest = Time::max();
    if (m_config.recovery() != pb::RECOVERY_OFF && m_state == pb::UP)
        earliest = m_grants.deadline();
    if (m_manager)
        earliest = std::min(earliest, m_manager->deadline());
    if (m_records)
        earliest = std::min(earliest, m_records->deadline());
    return std::min(earliest, m_nextRoomWord);
}

} // namespace lhrs
