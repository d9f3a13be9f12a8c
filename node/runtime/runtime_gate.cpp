// SPDX-License-Identifier: GPL-3.0-or-later
// The gate of the process: closing it, releasing messages one by one, and opening it. See "The gate" in
// node/lhrs/PROTOCOL.md.
#include "common/wire.h"
#include "node/runtime/runtime.h"

#include <vector>

namespace lhrs {

namespace {

std::int64_t ns(Gate::Instant instant) { return instant.time_since_epoch().count(); }

void refuse(pb::CommandReply& reply, pb::Refusal refusal, const char* text)
{
    reply.set_refusal(refusal);
    reply.set_text(text);
}

} // namespace

// Called in the control server's thread. Returns false if the command is about something else.
bool Runtime::commandGate(const pb::Command& command, pb::CommandReply& reply)
{
    if (!command.has_set_gate() && !command.has_release_held() && !command.has_describe_gate())
        return false;
    if (!m_options.hasGate) {
        refuse(reply, pb::NOT_ALLOWED, "this process was started without --gate: its messages and its clock go on");
        return true;
    }
    const std::lock_guard turn(m_gateMutex);
    if (command.has_set_gate()) {
        const pb::SetGate& order = command.set_gate();
        const Gate::Instant now = ProtocolClock::Real::now();
        if (order.is_closed())
            closeGate(order);
        else
            openGate(order.at_ns() > 0 ? Gate::Instant(Time(order.at_ns())) : now, "released");
    } else if (command.has_release_held()) {
        releaseHeld(command.release_held(), reply);
    }
    if (reply.refusal() == pb::NOT_REFUSED) {
        const auto lock = lockCore();
        describeGate(*reply.mutable_gate());
    }
    return true;
}

void Runtime::closeGate(const pb::SetGate& order)
{
    const auto lease = order.lease_ms() == 0 ? Gate::kLease : std::chrono::milliseconds(order.lease_ms());
    {
        const auto lock = lockCore();
        const Gate::Instant now = ProtocolClock::Real::now();
        const Gate::Instant told = order.at_ns() > 0 ? Gate::Instant(Time(order.at_ns())) : now;
        if (m_gate.close(told, now, lease))
            tellInCore([&](Effects& out) {
                auto* closed = out.event().mutable_gate_closed();
                closed->set_lease_ms(std::uint32_t(lease.count()));
                closed->set_clock_ns(m_clock.now().count());
            });
        m_gateEnds = ns(*m_gate.leaseEnd());
    }
    wakeRun(); // run() ends the lease
}

// The clock runs first, then the held messages are delivered in their order, then new messages take their usual path
// again.
void Runtime::openGate(Gate::Instant told, const char* reason)
{
    {
        const auto lock = lockCore();
        if (!m_gate.isClosed())
            return;
        const Time gated = m_gate.open(told, ProtocolClock::Real::now());
        m_gateEnds = std::numeric_limits<std::int64_t>::max();
        tellInCore([&](Effects& out) {
            auto* opened = out.event().mutable_gate_opened();
            opened->set_reason(reason);
            opened->set_gated_ns(gated.count());
            opened->set_held(std::uint32_t(m_gate.held()));
            opened->set_released(std::uint32_t(m_gate.released()));
            opened->set_dropped(std::uint32_t(m_gate.dropped()));
        });
        markChanged();
    }
    m_ackManager->lookAgain();
    deliverHeld();
}

void Runtime::deliverHeld()
{
    for (bool isDone = false; !isDone;) {
        std::vector<Gate::Held> turn; // must live until its effects have been carried out
        Time deadline;
        {
            const auto lock = lockCore();
            if (m_faults->touches(FaultBook::Pause)) { // a paused process must not get deliveries
                queueHeld();
                return;
            }
            while (turn.size() < kStepsInTurn) {
                auto held = m_gate.take();
                if (!held) {
                    m_gate.finish();
                    isDone = true;
                    break;
                }
                step({ held->message.get(), held->bytes, held->transport, nullptr, held->preparation },
                    m_gateWorker->next(), false);
                turn.push_back(std::move(*held));
            }
            deadline = nextStep();
        }
        m_ackManager->expect(deadline);
        carryOut(*m_gateWorker);
    }
}

// Puts the messages back into the queue of the working threads, which are paused too. Called with the core held.
void Runtime::queueHeld()
{
    while (const auto held = m_gate.take()) {
        Input input;
        input.transport = held->transport;
        input.bytes.resize(sizeInBody(*held->message));
        appendMessage(*held->message, input.bytes.data());
        input.bodySize = input.bytes.size();
        --m_messagesTaken; // it will be taken again
        if (m_inputs.pushSome({ &input, 1 }) == 0)
            m_counters.dropped(Drop::QueueFull);
    }
    m_gate.finish();
}

void Runtime::openGateWhenUnrenewed()
{
    if (ns(ProtocolClock::Real::now()) < m_gateEnds)
        return;
    const std::lock_guard turn(m_gateMutex);
    const std::int64_t end = m_gateEnds;
    if (ns(ProtocolClock::Real::now()) >= end) // it was not renewed in the meantime
        openGate(Gate::Instant(Time(end)), "nobody has renewed it");
}

void Runtime::releaseHeld(const pb::ReleaseHeld& order, pb::CommandReply& reply)
{
    if (m_faults->touches(FaultBook::Pause)) {
        refuse(reply, pb::REFUSED, "the process stands still by a fault; heal that first");
        return;
    }
    if (order.count() > kReleaseMax || order.advance_ns() < 0) {
        refuse(reply, pb::BAD_ARGUMENT, "1 to 1000 messages are let through by one command, or time of 0 ns and more");
        return;
    }
    const std::uint32_t count = order.number() != 0 || order.count() == 0 ? 1 : order.count();
    std::vector<Gate::Held> taken;
    Time deadline;
    {
        const auto lock = lockCore();
        if (!m_gate.isClosed()) {
            refuse(reply, pb::REFUSED, "the gate is open: messages are delivered as they come");
            return;
        }
        if (order.advance_ns() > 0) {
            advanceGated(Time(order.advance_ns()));
        } else {
            while (taken.size() < count) {
                auto held = m_gate.take(order.number());
                if (!held)
                    break;
                held->describe(*reply.mutable_gate()->add_released());
                if (order.is_dropped()) {
                    m_gate.countDropped();
                    m_counters.dropped(Drop::Gate);
                } else {
                    m_gate.countReleased();
                    step({ held->message.get(), held->bytes, held->transport, nullptr, held->preparation },
                        m_gateWorker->next(), false);
                }
                taken.push_back(std::move(*held));
            }
            if (taken.empty() && order.number() != 0)
                refuse(reply, pb::REFUSED, "the gate holds no message of this number, or not any more");
            markChanged();
        }
        deadline = nextStep();
    }
    m_ackManager->expect(deadline);
    carryOut(*m_gateWorker);
}

// Called with the core held. If a timer is due now, it is the step.
void Runtime::advanceGated(Time by)
{
    m_clock.advance(by);
    const Time now = m_clock.now(), begin = clock();
    if (m_machine->deadline() > now)
        return;
    Effects& out = m_gateWorker->next();
    prepare(out, nullptr);
    m_machine->onTime(now, out);
    publish(out, begin);
    markChanged();
}

// Called with the core held.
void Runtime::describeGate(pb::GateState& out)
{
    m_gate.describe(out, ProtocolClock::Real::now());
    const Time deadline = m_machine->deadline();
    out.set_next_timer_ns(deadline == Time::max() ? -1 : std::max<std::int64_t>(0, (deadline - m_clock.now()).count()));
    out.set_messages_in(m_messagesTaken);
    out.set_messages_out(m_counters.out());
}

} // namespace lhrs
