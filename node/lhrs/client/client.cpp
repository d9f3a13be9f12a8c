// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/client/client.h"

#include "node/lhrs/client/adopted_image.h"

#include "common/failpoints.h"
#include "common/lhrs/failpoint_list.h"
#include "node/lhrs/group/bucket_parts.h"
#include "node/machine/transfer/connection_handshake.h"
#include "node/machine/event_stamp.h"
#include "node/lhrs/group/key_request.h"
#include "node/lhrs/group/message_check.h"

#include <algorithm>
#include <utility>

namespace lhrs {

namespace {

std::string wordsOf(const FullAt& full)
{
    return full.role == pb::PARITY ? "parity bucket " + std::to_string(full.number) + "." + std::to_string(full.column)
                                   : "data bucket " + std::to_string(full.number);
}

} // namespace

Client::Client(ClientOptions options) : ClientOf(std::move(options.self), options.coordinator) { }

// ---- one operation

void Client::begin(Operation& op, Time now, Effects& out)
{
    if (!isFirstOfKey(op))
        return; // its key is in use; it begins when that operation is done
    if (!m_isRegistered)
        return; // key addressing is a parameter of the file, not known yet
    address(op, now, out);
}

void Client::address(Operation& op, Time now, Effects& out)
{
    if (out.fires(Failpoint::ImageForgotten))
        m_image = {};
    op.target = addressOf(addressed(op.key, m_config), m_image);
    if (out.fires(Failpoint::CacheForgotten))
        m_locations.erase(op.target);
    const bool isKnown = m_locations.contains(op.target);
    if (isKnown && (m_mode != pb::EXACT || op.knowsTruth))
        send(op, now, out);
    else if ((m_unavailable.contains(op.target) || m_unanswered.erase(op.target) > 0) && m_mode != pb::EXACT)
        alarm(op, now, out); // for an unavailable bucket the coordinator expects an alarm
    else
        ask(op, now, out);
}

void Client::ask(Operation& op, Time now, Effects& out)
{
    op.stage = Stage::Asking;
    op.wasAsked = true;
    op.awaitsRecord = false;
    out.serve(op.id);
    const auto [asked, isFirst] = m_asked.emplace(op.target, now + m_context.ms(m_context.acks.timers().resend_ms()));
    lookAt(asked->second, now);
    if (isFirst || m_mode == pb::EXACT)
        out.send(m_context.coordinator).mutable_where_is()->set_bucket(op.target.value);
}

void Client::send(Operation& op, Time now, Effects& out)
{
    out.serve(op.id);
    if (op.copies == 0) {
        if (pb::Event* told = out.operationEvent()) {
            auto* event = told->mutable_operation_started();
            event->set_kind(op.kind);
            event->set_key(op.key.value);
            event->set_bucket(op.target.value);
            event->mutable_image()->set_i(m_image.i);
            event->mutable_image()->set_n(m_image.n);
            event->set_length(std::uint32_t(op.value.size()));
        }
    }
    const HolderInfo& holder = m_locations.at(op.target);
    pb::Message& message = out.send(holder.address, Way::Auto, op.tries, holder.node);
    pb::KeyRequest* request = &keyRequestIn(message, op.kind);
    request->set_copy(op.copies++);
    request->unsafe_arena_set_allocated_request(out.share(op.id));
    request->set_done_below(doneBelow());
    request->set_key(op.key.value);
    if (!op.value.empty())
        out.setValue(*request->mutable_value(), op.value);
    request->set_target(op.target.value);
    request->set_incarnation(holder.incarnation.value);
    request->unsafe_arena_set_allocated_client(m_context.self.mutable_address()); // shared: it outlives the message
    if (out.fires(Failpoint::RequestTwice)) {
        pb::Message& twice = out.send(holder.address, Way::Auto, op.tries, holder.node);
        twice = message;
        keyRequestIn(twice, op.kind).set_copy(op.copies++);
    }
    op.stage = Stage::Sent;
    op.sent = now;
    op.due = now + resendInterval(op);
    lookAt(op.due, now);
}

void Client::giveUp(Operation& op, Time now, Effects& out)
{
    // Demo paper, section 4(d): at its timeout the client alarms the coordinator, which knows whether the address was
    // wrong.
    out.serve(op.id);
    const auto holder = m_locations.find(op.target);
    auto* event = out.event().mutable_message_given_up();
    event->set_kind(nameOf(op.kind));
    event->set_tries(op.tries);
    if (holder != m_locations.end()) {
        event->set_to(holder->second.node.value);
        holder->second.address.to(*event->mutable_address());
    }
    op.tries = 0;
    alarm(op, now, out);
}

void Client::alarm(Operation& op, Time now, Effects& out)
{
    out.serve(op.id);
    op.stage = Stage::Asking;
    op.wasAsked = true;
    op.hasAlarmed = true;
    // If the record does not come, the next alarm asks about the bucket instead.
    op.awaitsRecord = op.kind == pb::SEARCH && !op.awaitsRecord && m_unavailable.contains(op.target);
    op.due = now + 2 * m_context.ms(m_context.acks.timers().resend_ms());
    lookAt(op.due, now);
    if (!op.awaitsRecord)
        m_asked[op.target] = op.due;
    pb::Message& message = out.send(m_context.coordinator);
    auto* alarm = message.mutable_alarm();
    alarm->mutable_suspect()->set_role(pb::DATA);
    alarm->mutable_suspect()->set_index(op.target.value);
    alarm->set_message(nameOf(op.kind));
    alarm->set_is_search(op.kind == pb::SEARCH);
    alarm->set_knows_unavailable(op.awaitsRecord);
    auto* request = alarm->mutable_request();
    *request->mutable_request() = op.id;
    request->set_done_below(doneBelow());
    request->set_key(op.key.value);
    request->set_target(op.target.value);
    *request->mutable_client() = m_context.self.address();
    const auto holder = m_locations.find(op.target);
    if (holder == m_locations.end())
        return;
    holder->second.to(*alarm->mutable_suspect()->mutable_holder());
    m_locations.erase(holder);
}

void Client::onReply(const pb::Message& message, Time now, Effects& out)
{
    const pb::Reply& reply = message.reply();
    if (reply.request().client() != m_context.self.node())
        return;
    Operation* const open = m_operations.find(reply.request().number());
    if (open == nullptr) { // answered before
        if (m_bulk && m_bulk->isOf(reply.request().number())) {
            learn(reply, out);
            m_bulk->adjusted(reply.forwards(), reply.image_adjustment());
        }
        return;
    }
    Operation& op = *open;
    out.serve(op.id);
    if (op.tries == 0 && op.stage == Stage::Sent && reply.forwards() == 0)
        measured(op, now);
    learn(reply, out);
    op.forwards = std::max(op.forwards, reply.forwards());
    op.isImageAdjusted = op.isImageAdjusted || reply.image_adjustment();
    if (reply.result() == pb::RETRY && reply.degraded()) { // this time the parity bucket could not recover the record
        if (op.stage == Stage::Asking) {
            op.stage = Stage::Sleeping;
            op.alarms = true;
            lookAt(op.due = now + m_context.ms(std::max(1u, reply.retry_after_ms())), now);
        }
        return;
    }
    if (reply.result() == pb::RETRY) {
        op.refusals.add(reply.copy());
        op.full = FullAt::from(reply.full());
        if (op.stage != Stage::Sent || reply.copy() + 1 != op.copies)
            return; // a later copy is under way
        op.stage = Stage::Sleeping;
        lookAt(op.due = now + m_context.ms(std::max(1u, reply.retry_after_ms())), now);
        return;
    }
    finish(op, &reply, reply.result(), now, out);
}

void Client::learn(const pb::Reply& reply, Effects& out)
{
    if (reply.has_holder() && reply.holder().incarnation() != 0) {
        m_locations[BucketNumber(reply.bucket())] = HolderInfo::from(reply.holder());
        m_unavailable.erase(BucketNumber(reply.bucket()));
    }
    if (reply.image_adjustment()) {
        ++m_imageAdjustments;
        const FileImage before = m_image;
        if (m_mode != pb::FROZEN)
            m_image = adjustImage(m_image, BucketNumber(reply.iam_bucket()), reply.iam_level());
        pb::Event* const told = m_image == before ? out.operationEvent() : &out.event();
        if (told == nullptr)
            return;
        auto* event = told->mutable_image_adjusted();
        event->set_bucket(reply.iam_bucket());
        event->set_level(reply.iam_level());
        event->mutable_before()->set_i(before.i);
        event->mutable_before()->set_n(before.n);
        event->mutable_after()->set_i(m_image.i);
        event->mutable_after()->set_n(m_image.n);
    }
}

void Client::onDisplaced(const pb::Message& message, Time now, Effects& out)
{
    const pb::Displaced& displaced = message.displaced();
    Operation* const open = m_operations.find(displaced.request().number());
    const BucketNumber bucket(displaced.bucket());
    const auto known = m_locations.find(bucket);
    if (known != m_locations.end() && known->second.incarnation.value == displaced.incarnation())
        m_locations.erase(known);
    if (m_scan)
        m_scan->onDisplaced(displaced, now, out);
    if (open == nullptr || displaced.request().client() != m_context.self.node())
        return;
    open->refusals.add(displaced.copy());
    if (open->stage != Stage::Sent || displaced.copy() + 1 != open->copies)
        return; // a later copy is under way
    open->tries = 0;
    // A bucket forwarded the request to a former location of the right bucket; the coordinator informs both the client
    // and that bucket.
    if (open->target != bucket)
        alarm(*open, now, out);
    else
        address(*open, now, out);
}

void Client::onLocation(const pb::Message& message, Time now, Effects& out)
{
    const pb::Location& location = message.location();
    const BucketNumber a(location.bucket());
    const FileImage truth { location.file().i(), location.file().n() };
    if (!isValid(truth))
        return;
    if (m_scan)
        m_scan->onLocation(location, now, out);
    if (location.adopt_file()) { // the key belongs elsewhere, and the bucket addressed does not answer
        adoptImage(m_image, truth, out);
        leaveForTheRightBucket(a, truth, now, out);
    }
    const bool isLost = location.state() == pb::MEMBER_LOST;
    if (location.retry_after_ms() > 0 || location.state() == pb::FAILED || isLost) {
        leaveForTheRightBucket(a, truth, now, out);
        becomeUnavailable(a, isLost, truth, m_context.ms(location.retry_after_ms()), now, out);
        if (location.state() == pb::FAILED)
            m_unavailable.insert(a);
        return;
    }
    m_unavailable.erase(a);
    if (location.exists()) {
        m_asked.erase(a);
        m_locations[a] = HolderInfo::from(location.holder());
        if (m_bulk)
            m_bulk->goOn(now);
    } else if (a.value >= bucketCount(truth)) {
        m_asked.erase(a);
        adoptImage(m_image, truth, out); // the image is ahead of the file, which has shrunk
    } else {
        lookAt(m_asked[a] = now + 50ms, now); // no such bucket yet: the file is being created
    }
    for (const std::uint64_t number : askingFor(a)) {
        Operation& op = m_operations.at(number);
        if (m_mode == pb::EXACT && location.exists() && !op.knowsTruth) {
            adoptImage(m_image, truth, out);
            op.knowsTruth = true;
        }
        if (location.exists() || a.value >= bucketCount(truth))
            address(op, now, out);
    }
}

std::vector<std::uint64_t> Client::askingFor(BucketNumber a) const
{
    std::vector<std::uint64_t> numbers;
    m_operations.forEach([&](const Operation& op) {
        if (op.stage == Stage::Asking && op.target == a)
            numbers.push_back(op.id.number());
    });
    return numbers;
}

void Client::leaveForTheRightBucket(BucketNumber a, FileImage truth, Time now, Effects& out)
{
    // A request that was sent to a missing bucket because of an old image belongs elsewhere; the loss of that bucket
    // does not concern its key.
    std::vector<std::uint64_t> elsewhere = askingFor(a);
    std::erase_if(elsewhere,
        [&](std::uint64_t number) { return addressOf(addressed(m_operations.at(number).key, m_config), truth) == a; });
    if (elsewhere.empty())
        return;
    adoptImage(m_image, truth, out);
    for (const std::uint64_t number : elsewhere)
        address(m_operations.at(number), now, out);
}

void Client::becomeUnavailable(BucketNumber a, bool isLost, FileImage truth, Time retryAfter, Time now, Effects& out)
{
    m_asked.erase(a);
    m_locations.erase(a);
    for (const std::uint64_t number : askingFor(a)) {
        Operation& op = m_operations.at(number);
        if (isLost && addressOf(addressed(op.key, m_config), truth) == a) {
            finish(op, nullptr, LHRS_MUTANT(LostAsNotFound) ? pb::NOT_FOUND : pb::LOST, now, out);
            continue;
        }
        if (retryAfter == Time()) { // an answer to WhereIs, not to an alarm
            alarm(op, now, out);
            continue;
        }
        op.stage = Stage::Sleeping;
        op.alarms = true;
        lookAt(op.due = now + retryAfter, now);
    }
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
        endCheck(op, reply, result, out);
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

void Client::onScanReply(const pb::Message& message, Time now, Effects& out)
{
    if (m_scan)
        m_scan->onScanReply(message, now, out);
    else if (!message.scan_reply().is_last())
        NodeContext::acknowledge(message, out); // for a scan that is over: the acknowledgement stops the resends
}

void Client::onRegistered(const pb::Message& message, Time now, Effects& out)
{
    m_knowsFile = m_knowsFile || message.registered().file_exists();
    if (m_isRegistered)
        return;
    registered(message.registered().ordinal());
    m_config = message.registered().config();
    m_context.acks.setTimers(message.registered().timers());
    m_operations.forEach([&](Operation& op) {
        if (op.stage == Stage::Queued)
            begin(op, now, out);
    });
}

std::uint64_t Client::doneBelow() const
{
    return m_bulk && !m_bulk->isFencing() ? std::min(lowestOpen(), m_bulk->firstNumber()) : lowestOpen();
}

} // namespace lhrs
