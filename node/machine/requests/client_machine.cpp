// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/machine/requests/client_machine.h"

#include <algorithm>
#include <utility>

namespace lhrs {

ClientMachine::ClientMachine(pb::ProcessInfo self, Address coordinator)
    : m_context { std::move(self), coordinator, AckList(pb::Timers()), 0 }
{
}

// ---- operations

ClientOperation& ClientMachine::create(pb::OperationKind kind, Key key, Time now)
{
    const std::uint64_t number = ++m_lastNumber;
    ClientOperation& op = newOperation(number);
    op.id.set_client(m_context.self.node());
    op.id.set_number(number);
    op.kind = kind;
    op.key = key;
    op.started = op.counted = now;
    op.end = now + m_context.ms(m_context.acks.timers().operation_ms());
    if (const std::uint64_t first = m_byKey.find(key); first == 0) {
        m_byKey.set(key, number);
        op.lastOfKey = number;
    } else {
        operationAt(std::exchange(operationAt(first).lastOfKey, number)).nextOfKey = number;
    }
    m_times.lookAt(op.end, now);
    return op;
}

ClientOperation* ClientMachine::leaveKey(const ClientOperation& op)
{
    const std::uint64_t number = op.id.number(), first = m_byKey.find(op.key);
    if (first != number) { // it has ended while it was waiting for its key
        ClientOperation* before = &operationAt(first);
        while (before->nextOfKey != number)
            before = &operationAt(before->nextOfKey);
        before->nextOfKey = op.nextOfKey;
        if (op.nextOfKey == 0)
            operationAt(first).lastOfKey = before->id.number();
        return nullptr;
    }
    if (op.nextOfKey == 0) {
        m_byKey.erase(op.key);
        return nullptr;
    }
    ClientOperation& next = operationAt(op.nextOfKey);
    next.lastOfKey = op.lastOfKey;
    m_byKey.set(op.key, op.nextOfKey);
    return &next;
}

Workload::Result ClientMachine::settle(const ClientOperation& op, pb::ResultCode result, const std::string& value,
    std::uint32_t forwards, std::uint32_t resends, Time now)
{
    Workload::Result outcome {
        .kind = op.kind, .code = result, .forwards = forwards, .resends = resends, .time = now - op.counted
    };
    const EndedOperation ended { m_context.self.node(), op.id.number(), op.kind, op.key, std::uint32_t(op.value.size()),
        op.isGenerated, result };
    lhrs::settle(m_ledger, ended, value, outcome);
    ++m_done;
    m_forwards += forwards;
    m_resends += resends;
    return outcome;
}

bool ClientMachine::isRight(const ClientOperation& op, const Workload::Result& outcome) const
{
    return op.kind == pb::SEARCH && outcome.code == pb::OK && !outcome.isWrong && !outcome.isNewer
        && m_ledger.find(op.key) != nullptr;
}

void ClientMachine::makeGenerated(ClientOperation& op, std::uint32_t length) const
{
    makeValue(m_context.self.node(), op.key, op.id.number(), length, op.value);
    op.isGenerated = true;
}

// ---- workloads

void ClientMachine::feed(Time now, Effects& out)
{
    feedWorkload(now, out);
    feedMore(now, out);
}

void ClientMachine::feedWorkload(Time now, Effects& out)
{
    if (m_isFeeding || !m_workload || !m_isRegistered)
        return; // the keys of a workload depend on this client's ordinal
    m_isFeeding = true;
    const Time pause = held(now);
    while (!m_hold.isOn() && m_workload->wantsMore(now, pause)) {
        const Time due = m_workload->isOpenLoop() ? m_workload->due(pause) : now;
        const auto step = m_workload->next(m_ledger, m_nextKey);
        if (!step) {
            m_workload->endEarly();
            break;
        }
        m_workload->begun(now - due);
        ClientOperation& op = create(step->kind, step->key, now);
        op.counted = due;
        if (step->kind == pb::INSERT || step->kind == pb::UPDATE)
            makeGenerated(op, m_workload->order().length());
        beginOperation(op, now, out);
    }
    m_isFeeding = false;
    if (m_workload->isOver()) {
        report(*out.reply(m_workload->ticket()).mutable_workload(), now);
        m_workload.reset();
    }
}

void ClientMachine::start(const pb::RunWorkload& order, std::uint64_t ticket, Time now)
{
    m_workload = std::make_unique<Workload>(order, ticket, now);
}

void ClientMachine::stop()
{
    if (m_workload)
        m_workload->stop();
}

void ClientMachine::report(pb::WorkloadResult& out, Time now) const
{
    if (!m_workload)
        return;
    m_workload->report(out, now - held(now), fullNow());
    out.set_held_ns(held(now).count());
}

void ClientMachine::runWorkload(const pb::Command& command, const pb::RunWorkload& order, Time now, Effects& out)
{
    const char* wrong = whatIsWrong(order);
    if (wrong == nullptr)
        wrong = whatIsWrongHere(order);
    if (isBusy()) {
        out.refuse(command.ticket(), pb::REFUSED, "a workload is running; stop it or wait for its end");
    } else if (!m_isRegistered) {
        out.refuse(command.ticket(), pb::REFUSED, "the coordinator has not answered yet");
    } else if (wrong != nullptr) {
        out.refuse(command.ticket(), pb::BAD_ARGUMENT, wrong);
    } else {
        start(order, command.ticket(), now);
        m_heldBefore = m_hold.sum(now);
        feed(now, out);
    }
}

pb::RunWorkload ClientMachine::orderOf(const pb::Verify& verify) const
{
    pb::RunWorkload order;
    order.set_kind(pb::SEARCH);
    order.set_keys(pb::LISTED);
    order.set_window(std::max(1u, verify.window()));
    for (const Key key : m_ledger.keys()) {
        if (isMeant(verify, key))
            order.add_key_list(key.value);
    }
    order.set_count(std::uint64_t(order.key_list_size()));
    return order;
}

// ---- commands

bool ClientMachine::obey(const pb::Command& command, Time now, Effects& out)
{
    if (command.has_operate())
        m_hold.isOn() ? waitForHold(command, out) : operate(command, now, out);
    else if (command.has_run_workload())
        runWorkload(command, command.run_workload(), now, out);
    else if (command.has_verify())
        runWorkload(command, orderOf(command.verify()), now, out);
    else if (command.has_workload_progress())
        report(*out.reply(command.ticket()).mutable_workload(), now);
    else if (command.has_hold_workload())
        holdWorkload(command, now, out);
    else if (command.has_describe_client())
        describe(*out.reply(command.ticket()).mutable_client());
    else if (command.has_stop_workload()) {
        stop();
        describe(*out.reply(command.ticket()).mutable_client());
        feed(now, out);
    } else
        return false;
    return true;
}

void ClientMachine::operate(const pb::Command& command, Time now, Effects& out)
{
    const pb::Operate& order = command.operate();
    const char* wrong = nullptr;
    if (order.kind() < pb::INSERT || order.kind() > pb::SEARCH)
        wrong = "kind: insert, update, delete or search is wanted";
    else if (order.value().size() > kValueBytesMax || order.length() > kValueBytesMax)
        wrong = "value: 65,535 bytes at most";
    if (wrong) {
        auto* answer = out.reply(command.ticket()).mutable_operation();
        answer->set_key(order.key());
        answer->set_result(pb::INVALID); // nothing was sent
        answer->set_text(wrong);
        return;
    }
    ClientOperation& op = create(order.kind(), Key(order.key()), now);
    op.ticket = command.ticket();
    op.isGenerated = order.generate_value();
    if (order.kind() == pb::INSERT || order.kind() == pb::UPDATE) {
        if (op.isGenerated)
            makeGenerated(op, order.length());
        else
            op.value = order.value();
    }
    if (order.kind() == pb::INSERT && order.key() >= m_nextKey && order.key() - m_nextKey < (std::uint64_t(1) << 31))
        m_nextKey = order.key() + 1; // so that the keys from m_nextKey on stay unused
    beginOperation(op, now, out);
}

void ClientMachine::holdWorkload(const pb::Command& command, Time now, Effects& out)
{
    const pb::HoldWorkload& order = command.hold_workload();
    if (!order.is_held()) {
        if (m_hold.isOn())
            endHold("released", now, out);
    } else if (m_hold.hold(order.lease_ms(), now)) {
        auto* event = out.event().mutable_workload_held();
        event->set_is_held(true);
        event->set_reason("somebody holds the workload");
    }
    describe(*out.reply(command.ticket()).mutable_client());
}

void ClientMachine::endHold(const std::string& reason, Time now, Effects& out)
{
    out.event().mutable_workload_held()->set_reason(reason);
    for (const pb::Command& command : m_hold.end(now))
        onCommand(command, now, out);
    feed(now, out);
}

void ClientMachine::waitForHold(const pb::Command& command, Effects& out)
{
    if (!m_hold.keep(command))
        out.refuse(
            command.ticket(), pb::REFUSED, "the workload is held and too many commands wait already; end the hold");
}

void ClientMachine::describe(pb::ClientDescription& out) const
{
    out.set_operations(m_done);
    out.set_forwards(m_forwards);
    out.set_resends(m_resends);
    out.set_keys_known(m_ledger.keys().size());
    out.set_next_key(m_nextKey);
    out.set_under_way(underWay());
    out.set_is_held(m_hold.isOn());
    out.set_waiting(m_hold.waiting());
}

void ClientMachine::snapshot(pb::Snapshot& out) const
{
    *out.mutable_info() = m_context.self;
    describe(*out.mutable_client());
}

void ClientMachine::gauges(pb::Gauges& out) const
{
    out.set_operations(m_done);
    out.set_unacknowledged(std::uint32_t(underWay()));
}

// ---- time

void ClientMachine::registered(std::uint32_t ordinal)
{
    m_isRegistered = true;
    m_ordinal = ordinal;
    m_nextKey = std::uint64_t(ordinal) << 32; // each client has its own keys; their low bits run through all addresses
}

void ClientMachine::beat(Time now, Effects& out)
{
    if (!std::exchange(m_isStarted, true)) {
        m_context.enter(now, out);
        m_nextAlive = now;
    }
    m_context.acks.onTime(now, out, [](const AckList::Entry&) {});
    if (m_nextAlive <= now) {
        m_nextAlive = now + m_context.ms(m_context.acks.timers().alive_ms());
        out.begin(nullptr);
        pb::Alive& alive = m_context.sayAlive(out);
        alive.set_ordinal(m_isRegistered ? m_ordinal + 1 : 0);
        addTo(alive);
    }
    if (m_hold.isOver(now))
        endHold("nobody has renewed the hold", now, out);
}

Time ClientMachine::nextBeat() const
{
    if (!m_isStarted)
        return Time();
    const bool isFed = m_workload && m_isRegistered && !m_hold.isOn();
    return std::min({ m_times.next(), m_nextAlive, m_context.acks.deadline(), m_hold.deadline(),
        isFed ? m_workload->deadline(held({})) : Time::max() });
}

} // namespace lhrs
