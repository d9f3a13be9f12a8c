// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/client/client.h"

#include "common/failpoints.h"
#include "node/lhrs/group/message_check.h"
#include "node/machine/awaited_sample.h"
#include "node/machine/event_stamp.h"
#include "node/machine/transfer/connection_handshake.h"

#include <algorithm>

namespace lhrs {

namespace {

std::string wordsOf(const FullAt& full)
{
    return full.role == pb::PARITY ? "parity bucket " + std::to_string(full.number) + "." + std::to_string(full.column)
                                   : "data bucket " + std::to_string(full.number);
}

} // namespace

Client::Client(ClientOptions options)
    : ClientOf(std::move(options.self), options.coordinator), m_records(options.records)
{
}

// ---- one operation

void Client::begin(Operation& op, Time now, Effects& out)
{
    if (!isFirstOfKey(op))
        return; // its key is in use; it begins when that operation is done
    if (!m_isRegistered)
        return; // key addressing is a parameter of the file, not known yet
    m_requests.address(op, now, out);
}

void Client::finish(Operation& op, const pb::Reply* reply, pb::ResultCode result, Time now, Effects& out)
{
    out.serve(op.id);
    static const std::string kNothing;
    Workload::Result outcome = settle(op, result, reply ? reply->value() : kNothing, op.forwards, op.resends, now);
    outcome.isAdjusted = op.isImageAdjusted;
    const pb::Path path = reply && reply->degraded() ? pb::RECORD_RECOVERY
        : op.forwards > 0                            ? pb::FORWARDED
        : op.wasAsked                                ? pb::BY_COORDINATOR
                                                     : pb::DIRECT;
    const std::uint32_t bucket = reply ? reply->bucket() : op.target.value, rank = reply ? reply->rank() : 0;
    const std::int64_t time = (now - op.started).count();
    // The deadline passed while a server was full, so that is reported as the reason.
    const bool isRefusedFull = op.full.isThere() && (result == pb::RETRY || result == pb::UNKNOWN_OUTCOME);
    if (isRefusedFull)
        outcome.full = op.full;
    const auto tell = [&](auto& told) {
        told.set_key(op.key.value);
        told.set_result(result);
        told.set_bucket(bucket);
        told.set_rank(rank);
        told.set_forwards(op.forwards);
        told.set_image_adjusted(op.isImageAdjusted);
        told.set_resends(op.resends);
        told.set_path(path);
        told.set_alarm(op.hasAlarmed);
        told.set_time_ns(time);
    };
    if (pb::Event* told = out.operationEvent()) {
        auto* event = told->mutable_operation_done();
        event->set_kind(op.kind);
        tell(*event);
        if (isRefusedFull)
            op.full.to(*event->mutable_full());
    }
    if (op.ticket != 0) {
        auto* answer = out.reply(op.ticket).mutable_operation();
        *answer->mutable_operation() = op.id;
        tell(*answer);
        if (isRefusedFull)
            answer->set_text(wordsOf(op.full)
                + " is full (memory limit); try again later, or add room: a split, deletes, a higher limit");
        answer->set_value_is_right(isRight(op, outcome));
        if (reply && op.kind == pb::SEARCH)
            answer->set_value(reply->value());
    } else if (op.bulkNumber != 0) {
        m_bulk->ended(op, reply, result, m_ledger, out);
    } else if (m_workload) {
        m_workload->ended(outcome);
    }
    close(op, now, out);
}

// ---- messages and time

void Client::onMessage(const pb::Message& message, Time now, Effects& out)
{
    if (!isWithinLimits(message)) {
        tellDropped(message, out.event());
        return;
    }
    if (message.answers() != 0)
        m_context.acks.acknowledge(message.answers(), now);
    using B = pb::Message;
    switch (message.body_case()) {
    case B::kReply: onReply(message, now, out); break;
    case B::kDisplaced: onDisplaced(message, now, out); break;
    case B::kLocation: onLocation(message, now, out); break;
    case B::kRegistered: onRegistered(message, now, out); break;
    case B::kScanReply: onScanReply(message, now, out); break;
    case B::kOpenConnection: ConnectionHandshake::onOpenConnection(message, out); break;

    // Acknowledgements, and messages that are not for a client.
    case B::kRegister:
    case B::kAlive:
    case B::kWhereIs:
    case B::kAlarm:
    case B::kSuspect:
    case B::kProbeReply:
    case B::kCutDone:
    case B::kRecoveryDone:
    case B::kStateReport:
    case B::kOverload:
    case B::kUnderflow:
    case B::kOffer:
    case B::kPrepared:
    case B::kContentsDone:
    case B::kSuperseded:
    case B::kAck:
    case B::kPart:
    case B::kPartAck:
    case B::kConnectionReady:
    case B::kEpochAck:
    case B::kApplied:
    case B::kInsert:
    case B::kUpdate:
    case B::kDelete:
    case B::kSearch:
    case B::kEpoch:
    case B::kDelta:
    case B::kDeltaAck:
    case B::kDeltaNak:
    case B::kSplit:
    case B::kMoveRecords:
    case B::kPrepareBatch:
    case B::kCommit:
    case B::kAbort:
    case B::kFinish:
    case B::kAddParity:
    case B::kSendContents:
    case B::kContents:
    case B::kInvite:
    case B::kConfirm:
    case B::kCancel:
    case B::kProbe:
    case B::kLeaseRequest:
    case B::kLeaseGrant:
    case B::kCutReport:
    case B::kDeltaCopy:
    case B::kRecover:
    case B::kSliceRequest:
    case B::kSliceData:
    case B::kSpareSlice:
    case B::kRecoverRecord:
    case B::kMemberRead:
    case B::kMemberRecord:
    case B::kReportState:
    case B::kRearm:
    case B::kMerge:
    case B::kScan:
    case B::BODY_NOT_SET: break;
    }
    endScan(now, out);
    feed(now, out);
}

void Client::onReply(const pb::Message& message, Time now, Effects& out)
{
    const pb::Reply& reply = message.reply();
    if (reply.request().client() != m_context.self.node())
        return;
    if (Operation* const op = m_operations.find(reply.request().number())) {
        out.serve(op->id);
        if (m_requests.onReply(*op, reply, now, out))
            finish(*op, &reply, reply.result(), now, out);
    } else if (m_bulk && m_bulk->isOf(reply.request().number())) {
        m_file.learn(reply, out);
        m_bulk->adjusted(reply.forwards(), reply.image_adjustment());
    } // otherwise it was answered before
}

void Client::onDisplaced(const pb::Message& message, Time now, Effects& out)
{
    const pb::Displaced& displaced = message.displaced();
    m_file.hasLeft(BucketNumber(displaced.bucket()), Incarnation(displaced.incarnation()));
    if (m_scan)
        m_scan->onDisplaced(displaced, now, out);
    Operation* const op = m_operations.find(displaced.request().number());
    if (op != nullptr && displaced.request().client() == m_context.self.node())
        m_requests.onDisplaced(*op, displaced, now, out);
}

void Client::onLocation(const pb::Message& message, Time now, Effects& out)
{
    const pb::Location& location = message.location();
    if (!isValid({ location.file().i(), location.file().n() }))
        return;
    if (m_scan)
        m_scan->onLocation(location, now, out);
    for (const std::uint64_t number : m_requests.onLocation(location, now, out))
        finish(m_operations.at(number), nullptr, LHRS_MUTANT(LostAsNotFound) ? pb::NOT_FOUND : pb::LOST, now, out);
    if (m_bulk && location.exists() && !FileRequests::isUnavailable(location))
        m_bulk->goOn(now);
}

void Client::onScanReply(const pb::Message& message, Time now, Effects& out)
{
    if (m_scan)
        m_scan->onScanReply(message, now, out);
    else if (!message.scan_reply().is_last())
        NodeContext::acknowledge(message, out); // for a scan that is over: the acknowledgement stops the resends
}

void Client::onRegistered(const pb::Message& message, Time now, Effects& out)
{
    if (message.registered().file_exists())
        m_file.setExists();
    if (m_isRegistered || message.registered().too_many_clients())
        return; // the driver ends a client that was turned away
    registered(message.registered().ordinal());
    m_file.configure(message.registered().config());
    m_context.acks.setTimers(message.registered().timers());
    m_operations.forEach([&](Operation& op) {
        if (op.stage == Operation::Stage::Queued)
            begin(op, now, out);
    });
}

// ---- time

void Client::onTime(Time now, Effects& out)
{
    beat(now, out);
    if (m_scan && m_scan->deadline() <= now)
        m_scan->onTime(now, out);
    endScan(now, out);
    if (m_times.next() <= now) {
        for (const std::uint64_t number : m_requests.due(now)) {
            Operation* const op = m_operations.find(number);
            if (op == nullptr)
                continue;
            if (op->end > now) {
                m_requests.onDue(*op, now, out);
                continue;
            }
            // The deadline may be shorter than the time after which a missing bucket is noticed. So the next operation
            // asks first; otherwise no operation would ever learn where the bucket is. It asks by an alarm: the bucket
            // may be well, but it may forward to another bucket at an outdated location.
            if (op->stage == Operation::Stage::Sent)
                m_file.isUnanswered(op->target);
            finish(*op, nullptr, op->endResult(), now, out);
        }
        m_requests.onTime(now, out);
    }
    feed(now, out);
}

Time Client::deadline() const
{
    return std::min({ nextBeat(), m_scan ? m_scan->deadline() : Time::max(),
        m_bulk && !m_hold.isOn() ? m_bulk->deadline() : Time::max() });
}

void Client::inspect(Time now, pb::NodeSample& out) const
{
    (void)now;
    add(m_context.acks, out);
    m_requests.inspect(out);
}

} // namespace lhrs
