// SPDX-License-Identifier: GPL-3.0-or-later
// The commands to a client: single operations, workloads, its image.
#include "node/lhrs/client/client.h"

#include "node/lhrs/group/bucket_parts.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr std::uint32_t kBytesMax = kValueMost;

} // namespace

void Client::feedWorkload(Time now, Effects& out)
{
    if (m_isFeeding || !m_workload || !m_isRegistered)
        return; // the keys of a workload depend on this client's ordinal
    m_isFeeding = true; // an operation that ends at once must not feed recursively
    const Time held = m_hold.sum(now) - m_heldBefore;
    while (!m_hold.isOn() && m_workload->wantsMore(now, held)) {
        const Time due = m_workload->isOpenLoop() ? m_workload->due(held) : now;
        const auto step = m_workload->next(m_ledger, m_nextKey);
        if (!step) {
            m_workload->endEarly();
            break;
        }
        m_workload->begun(now - due);
        Operation& op = create(step->kind, step->key, now);
        op.counted = due;
        if (step->kind == pb::INSERT || step->kind == pb::UPDATE) {
            makeValue(m_context.self.node(), op.key, op.id.number(), m_workload->order().length(), op.value);
            op.isGenerated = true;
        }
        begin(op, now, out);
    }
    m_isFeeding = false;
    if (m_workload->isOver()) {
        reportWorkload(*out.reply(m_workload->ticket()).mutable_workload(), now);
        m_workload.reset();
    }
}

// ---- bulk insert without acknowledgement

bool Client::sendUnanswered(Time now, Effects& out)
{
    const Key key(m_nextKey);
    const BucketNumber target = addressOf(addressed(key, m_config), m_image);
    const auto holder = m_context.locations.find(target);
    if (holder == m_context.locations.end()) {
        out.send(m_context.coordinator).mutable_where_is()->set_bucket(target.value);
        m_bulk->waits(now + 50ms);
        return false;
    }
    ++m_nextKey;
    const std::uint64_t number = ++m_lastNumber;
    pb::Message& message = out.send(holder->second.address, Way::Auto, 0, holder->second.node);
    pb::KeyRequest* request = message.mutable_insert();
    request->mutable_request()->set_client(m_context.self.node());
    request->mutable_request()->set_number(number);
    message.unsafe_arena_set_allocated_operation(out.share(request->request()));
    request->set_done_below(doneBelow());
    request->set_key(key.value);
    request->set_value(makeValue(m_context.self.node(), key, number, m_bulk->order().length()));
    request->set_target(target.value);
    request->set_incarnation(holder->second.incarnation.value);
    *request->mutable_client() = m_context.self.address();
    request->set_unanswered(true);
    out.serve(request->request());
    if (pb::Event* told = out.operationEvent()) {
        auto* event = told->mutable_operation_started();
        event->set_kind(pb::INSERT);
        event->set_key(key.value);
        event->set_bucket(target.value);
        event->mutable_image()->set_i(m_image.i);
        event->mutable_image()->set_n(m_image.n);
        event->set_length(m_bulk->order().length());
    }
    m_bulk->sent({ number, key });
    return true;
}

void Client::feedBulkInsert(Time now, Effects& out)
{
    if (!m_bulk || m_isFeeding)
        return;
    m_isFeeding = true; // a check that ends at once must not recurse
    std::uint32_t due = m_hold.isOn() ? 0 : m_bulk->due(now);
    if (due > 0) {
        while (due > 0 && sendUnanswered(now, out))
            --due;
        if (due == 0)
            m_bulk->burstSent(now);
    }
    if (!m_hold.isOn())
        m_bulk->onTime(now);
    // A fence counts only if it lets go of all earlier requests.
    while (!m_hold.isOn() && (!m_bulk->isFencing() || doneBelow() > m_bulk->lastNumber())) {
        const auto request = m_bulk->nextCheck(now);
        if (!request)
            break;
        Operation& op = create(m_bulk->isFencing() ? pb::UPDATE : pb::SEARCH, request->key, now);
        op.bulkNumber = request->number;
        op.isGenerated = true;
        if (op.kind == pb::UPDATE)
            op.value = makeValue(m_context.self.node(), op.key, op.id.number(), m_bulk->order().length());
        begin(op, now, out);
    }
    m_isFeeding = false;
    if (!m_bulk->isOver())
        return;
    reportWorkload(*out.reply(m_bulk->ticket()).mutable_workload(), now);
    m_bulk.reset();
}

void Client::endCheck(const Operation& op, const pb::Reply* reply, pb::ResultCode result, Effects& out)
{
    const bool isFence = op.kind == pb::UPDATE;
    const std::uint32_t length = m_bulk->order().length();
    const bool isWrong = !isFence && result == pb::OK && !m_bulk->order().unchecked()
        && reply->value() != makeValue(m_context.self.node(), op.key, op.bulkNumber, length);
    using Outcome = BulkInsert::Checked::Outcome;
    const BulkInsert::Checked checked = m_bulk->ended(op.key, isFence, result, isWrong);
    if (checked.outcome == Outcome::Open)
        return;
    if (checked.outcome == Outcome::Stored && !isFence)
        m_ledger.wrote(op.key, op.bulkNumber, length, true);
    // Reports the outcome of the insert, to which there was no reply.
    pb::RequestId id = op.id;
    id.set_number(op.bulkNumber);
    out.serve(id);
    auto* event = out.event().mutable_operation_done();
    event->set_kind(pb::INSERT);
    event->set_key(op.key.value);
    event->set_result(checked.outcome == Outcome::Stored ? pb::OK : checked.outcome == Outcome::Lost ? pb::RETRY : pb::UNKNOWN_OUTCOME);
    event->set_bucket(reply ? reply->bucket() : op.target.value);
    event->set_rank(reply ? reply->rank() : 0);
}

// ---- commands

void Client::operate(const pb::Command& command, Time now, Effects& out)
{
    const pb::Operate& order = command.operate();
    const char* wrong = nullptr;
    if (order.kind() < pb::INSERT || order.kind() > pb::SEARCH)
        wrong = "kind: insert, update, delete or search is wanted";
    else if (order.value().size() > kBytesMax || order.length() > kBytesMax)
        wrong = "value: 65,535 bytes at most";
    if (wrong) {
        auto* answer = out.reply(command.ticket()).mutable_operation();
        answer->set_key(order.key());
        answer->set_result(pb::INVALID); // nothing was sent
        answer->set_text(wrong);
        return;
    }
    Operation& op = create(order.kind(), Key(order.key()), now);
    op.ticket = command.ticket();
    op.isGenerated = order.generate_value();
    if (order.kind() == pb::INSERT || order.kind() == pb::UPDATE)
        op.value = op.isGenerated ? makeValue(m_context.self.node(), op.key, op.id.number(), order.length()) : order.value();
    if (order.kind() == pb::INSERT && order.key() >= m_nextKey && order.key() - m_nextKey < (std::uint64_t(1) << 31))
        m_nextKey = order.key() + 1; // so that "next" stays unused
    begin(op, now, out);
}

void Client::runWorkload(const pb::Command& command, const pb::RunWorkload& order, Time now, Effects& out)
{
    const char* wrong = nullptr;
    if (m_workload || m_bulk)
        wrong = "a workload is running; stop it or wait for its end";
    else if (!m_isRegistered)
        wrong = "the coordinator has not answered yet";
    else if (const char* words = whatIsWrong(order))
        wrong = words;
    else if (order.batch() > 1 && (order.rate() > 0 || order.without_acknowledgement()))
        wrong = "batch: for operations that begin when others were answered; with a rate, or without acknowledgements, none waits for that";
    else if (order.without_acknowledgement() && order.rate() > 0)
        wrong = "rate: a bulk insert without acknowledgements has none";
    else if (order.without_acknowledgement() && (order.kind() != pb::INSERT || order.keys() != pb::NEXT || order.mix_size() != 0))
        wrong = "without_acknowledgement: inserts of next keys only";
    if (wrong) {
        pb::CommandReply& reply = out.reply(command.ticket());
        reply.set_refusal(m_workload || m_bulk || !m_isRegistered ? pb::REFUSED : pb::BAD_ARGUMENT);
        reply.set_text(wrong);
        return;
    }
    if (order.without_acknowledgement())
        m_bulk = std::make_unique<BulkInsert>(order, command.ticket(), m_lastNumber + 1, now);
    else
        m_workload = std::make_unique<Workload>(order, command.ticket(), now);
    m_heldBefore = m_hold.sum(now);
    feedWorkload(now, out);
    feedBulkInsert(now, out);
}

void Client::runScan(const pb::Command& command, Time now, Effects& out)
{
    const char* wrong = nullptr;
    if (m_scan)
        wrong = "a scan is under way; wait for its end";
    else if (!m_isRegistered)
        wrong = "the coordinator has not answered yet";
    else if (command.run_scan().contains().size() > kBytesMax)
        wrong = "contains: 65,535 bytes at most, as long as a value can be";
    if (wrong) {
        pb::CommandReply& reply = out.reply(command.ticket());
        reply.set_refusal(m_scan || !m_isRegistered ? pb::REFUSED : pb::BAD_ARGUMENT);
        reply.set_text(wrong);
        return;
    }
    m_scan = std::make_unique<Scan>(m_context, m_image, m_lastNumber, command.run_scan(), command.ticket(), now);
    m_scan->start(now, out);
}

void Client::endScan(Time now, Effects& out)
{
    if (!m_scan || !m_scan->isOver())
        return;
    m_scan->report(*out.reply(m_scan->ticket()).mutable_scan(), now, out);
    m_scan.reset();
}

void Client::onCommand(const pb::Command& command, Time now, Effects& out)
{
    using C = pb::Command;
    switch (command.body_case()) {
    case C::kOperate: m_hold.isOn() ? waitForHold(command, out) : operate(command, now, out); break;
    case C::kRunWorkload: runWorkload(command, command.run_workload(), now, out); break;
    case C::kVerify: runWorkload(command, orderOf(command.verify()), now, out); break;
    case C::kStopWorkload:
        if (m_workload)
            m_workload->stop();
        if (m_bulk)
            m_bulk->stop();
        describe(*out.reply(command.ticket()).mutable_client());
        feedWorkload(now, out);
        feedBulkInsert(now, out);
        break;
    case C::kWorkloadProgress: {
        auto* progress = out.reply(command.ticket()).mutable_workload();
        reportWorkload(*progress, now);
        break;
    }
    case C::kHoldWorkload: holdWorkload(command, now, out); break;
    case C::kSetImage:
        m_mode = command.set_image().mode();
        if (command.set_image().forget()) {
            m_image = {};
            m_context.locations.clear();
        }
        describe(*out.reply(command.ticket()).mutable_client());
        break;
    case C::kSetPatience: setPatience(command, out); break;
    case C::kRunScan: m_hold.isOn() ? waitForHold(command, out) : runScan(command, now, out); break;
    case C::kDescribeClient: describe(*out.reply(command.ticket()).mutable_client()); break;

    case C::kWhoAreYou:
    case C::kTakeSnapshot:
    case C::kStatistics:
    case C::kSetDetail:
    case C::kShutdown:
    case C::kReadContents:
    case C::kAudit:
    case C::kListProcesses:
    case C::kDescribeFile:
    case C::kForceSplit:
    case C::kForceMerge:
    case C::kRaiseAvailability:
    case C::kCreateParity:
    case C::kRecoverGroup:
    case C::kAcknowledgeLoss:
    case C::kSetRecovery:
    case C::kSetTimeScale:
    case C::kAwaitRest:
    case C::kArmFault:
    case C::kHealFaults:
    case C::kListFaults:
    case C::kSetClock:
    case C::kStepClock:
    case C::kDescribeSimulation:
    case C::kStartProcesses:
    case C::kWatch:
    case C::kSetGate:
    case C::kReleaseHeld:
    case C::kDescribeGate:
    case C::BODY_NOT_SET: {
        pb::CommandReply& reply = out.reply(command.ticket());
        reply.set_refusal(pb::WRONG_PROCESS);
        reply.set_text("a client does not do that; ask the coordinator or a node");
        break;
    }
    }
}

pb::RunWorkload Client::orderOf(const pb::Verify& verify) const
{
    pb::RunWorkload order;
    order.set_kind(pb::SEARCH);
    order.set_keys(pb::LISTED);
    order.set_window(std::max(1u, verify.window()));
    const FileImage file { verify.file().i(), verify.file().n() };
    for (const Key key : m_ledger.keys()) {
        if (!verify.only_bucket() || (isValid(file) && addressOf(addressed(key, m_config), file).value == verify.bucket()))
            order.add_key_list(key.value);
    }
    order.set_count(std::uint64_t(order.key_list_size()));
    return order;
}

void Client::setPatience(const pb::Command& command, Effects& out)
{
    const std::uint32_t most = m_context.acks.timers().operation_ms() / 2;
    if (command.set_patience().request_ms() > most) {
        pb::CommandReply& reply = out.reply(command.ticket());
        reply.set_refusal(pb::BAD_ARGUMENT);
        reply.set_text("request_ms: at most " + std::to_string(most) + ", half of the time after which an operation ends without an answer");
        return;
    }
    m_patience = m_context.ms(command.set_patience().request_ms());
    describe(*out.reply(command.ticket()).mutable_client());
}

void Client::describe(pb::ClientDescription& out) const
{
    out.mutable_image()->set_i(m_image.i);
    out.mutable_image()->set_n(m_image.n);
    out.set_mode(m_mode);
    out.set_operations(m_done);
    out.set_forwards(m_forwards);
    out.set_image_adjustments(m_imageAdjustments);
    out.set_resends(m_resends);
    out.set_keys_known(m_ledger.keys().size());
    out.set_next_key(m_nextKey);
    out.set_under_way(m_operations.size());
    out.set_request_ms(std::uint32_t(std::chrono::duration_cast<std::chrono::milliseconds>(patience()).count()));
    out.set_is_held(m_hold.isOn());
    out.set_waiting(m_hold.waiting());
}

void Client::snapshot(pb::Snapshot& out) const
{
    *out.mutable_info() = m_context.self;
    describe(*out.mutable_client());
}

void Client::gauges(pb::Gauges& out) const
{
    out.set_operations(m_done);
    out.set_unacknowledged(std::uint32_t(m_operations.size()));
}

} // namespace lhrs
