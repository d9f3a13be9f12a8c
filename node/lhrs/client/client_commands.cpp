// SPDX-License-Identifier: GPL-3.0-or-later
// The commands to a client of the file: bulk inserts, scans and its image.
#include "node/lhrs/client/client.h"

namespace lhrs {

// ---- bulk insert without acknowledgement

void Client::feedMore(Time now, Effects& out)
{
    if (!m_bulk || m_isFeeding)
        return;
    m_isFeeding = true; // a check that ends at once must not recurse
    if (!m_hold.isOn()) {
        m_bulk->send(m_requests, m_nextKey, m_lastNumber, now, out);
        m_bulk->onTime(now);
        m_requests.keepResultsFrom(m_bulk->keptFrom());
    }
    // A fence counts only if its `done_below` is above all earlier requests.
    while (!m_hold.isOn() && (!m_bulk->isFencing() || m_requests.doneBelow() > m_bulk->lastNumber())) {
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
    report(*out.reply(m_bulk->ticket()).mutable_workload(), now);
    m_bulk.reset();
}

// ---- commands

const char* Client::whatIsWrongHere(const pb::RunWorkload& order) const
{
    if (!order.without_acknowledgement())
        return nullptr;
    if (order.batch() > 1)
        return "batch: for operations that begin when others were answered; without acknowledgements, none waits for "
               "that";
    if (order.rate() > 0)
        return "rate: a bulk insert without acknowledgements has none";
    if (order.kind() != pb::INSERT || order.keys() != pb::NEXT || order.mix_size() != 0)
        return "without_acknowledgement: inserts of next keys only";
    return nullptr;
}

void Client::start(const pb::RunWorkload& order, std::uint64_t ticket, Time now)
{
    if (!order.without_acknowledgement())
        return ClientMachine::start(order, ticket, now);
    m_bulk = std::make_unique<BulkInsert>(order, ticket, m_lastNumber + 1, now);
    m_requests.keepResultsFrom(m_bulk->keptFrom());
}

void Client::stop()
{
    ClientMachine::stop();
    if (m_bulk)
        m_bulk->stop();
}

void Client::report(pb::WorkloadResult& out, Time now) const
{
    ClientMachine::report(out, now);
    if (!m_bulk)
        return;
    m_bulk->report(out, now);
    out.set_held_ns(held(now).count());
}

std::set<FullAt> Client::fullNow() const
{
    std::set<FullAt> full;
    m_operations.forEach([&full](const Operation& op) {
        if (op.full.isThere())
            full.insert(op.full);
    });
    return full;
}

bool Client::isMeant(const pb::Verify& order, Key key) const
{
    const FileImage file { order.file().i(), order.file().n() };
    return !order.only_bucket() || (isValid(file) && m_file.bucketOf(key, file).value == order.bucket());
}

void Client::runScan(const pb::Command& command, Time now, Effects& out)
{
    const char* wrong = nullptr;
    if (m_scan)
        wrong = "a scan is under way; wait for its end";
    else if (!m_isRegistered)
        wrong = "the coordinator has not answered yet";
    else if (command.run_scan().contains().size() > kValueBytesMax)
        wrong = "contains: 65,535 bytes at most, as long as a value can be";
    if (wrong) {
        out.refuse(command.ticket(), m_scan || !m_isRegistered ? pb::REFUSED : pb::BAD_ARGUMENT, wrong);
        return;
    }
    const bool isWanted = m_records != nullptr && m_records->wants(command.ticket());
    m_scan = std::make_unique<Scan>(
        m_context, m_file, m_lastNumber, command.run_scan(), command.ticket(), now, isWanted ? m_records : nullptr);
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
    case C::kOperate:
    case C::kRunWorkload:
    case C::kVerify:
    case C::kStopWorkload:
    case C::kWorkloadProgress:
    case C::kHoldWorkload:
    case C::kDescribeClient: obey(command, now, out); break;
    case C::kSetImage:
        m_file.obey(command.set_image());
        describe(*out.reply(command.ticket()).mutable_client());
        break;
    case C::kSetPatience: setPatience(command, out); break;
    case C::kRunScan: m_hold.isOn() ? waitForHold(command, out) : runScan(command, now, out); break;

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
    case C::BODY_NOT_SET:
        out.refuse(command.ticket(), pb::WRONG_PROCESS, "a client does not do that; ask the coordinator or a node");
        break;
    }
}

void Client::setPatience(const pb::Command& command, Effects& out)
{
    const std::uint32_t most = m_context.acks.timers().operation_ms() / 2;
    if (command.set_patience().request_ms() > most) {
        const std::string text = "request_ms: at most " + std::to_string(most)
            + ", half of the time after which an operation ends without an answer";
        out.refuse(command.ticket(), pb::BAD_ARGUMENT, text);
        return;
    }
    m_requests.setPatience(m_context.ms(command.set_patience().request_ms()));
    describe(*out.reply(command.ticket()).mutable_client());
}

void Client::describe(pb::ClientDescription& out) const
{
    ClientMachine::describe(out);
    m_file.describe(out);
    out.set_request_ms(
        std::uint32_t(std::chrono::duration_cast<std::chrono::milliseconds>(m_requests.patience()).count()));
}

} // namespace lhrs
