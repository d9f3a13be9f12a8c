// SPDX-License-Identifier: GPL-3.0-or-later
// The commands about gates, for simulated processes. Their lease is in real time, like that of a held workload.
#include "node/sim/engine/sim_control.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr std::uint32_t kGateLeaseMs = 5'000;

void refuseIn(pb::CommandReply& reply, pb::Refusal refusal, const char* text)
{
    reply.set_refusal(refusal);
    reply.set_text(text);
}

} // namespace

// Returns false if the command is about something else.
bool SimControl::commandGate(const SimProcess& process, const pb::Command& command, Time real)
{
    const bool changes = command.has_set_gate() || command.has_release_held();
    if (!changes && !command.has_describe_gate())
        return false;
    if (changes && !m_site) {
        refuse(command.ticket(), pb::REFUSED, "this simulation plays " + m_plays + ": it is watched, not operated");
        return true;
    }
    pb::CommandReply done;
    if (changes)
        letTimePass(real);
    bool hasChanged = command.has_release_held();
    if (command.has_set_gate())
        hasChanged = setGate(command.set_gate(), real);
    else if (command.has_release_held())
        releaseHeld(process, command.release_held(), done);
    if (hasChanged && !isOver()) // a lease renewal leaves no trace, because its time is not part of the run
        m_site->tellHeld();
    if (done.refusal() == pb::NOT_REFUSED && !process.isGone())
        describeGate(process, *done.mutable_gate(), real);
    reply(command.ticket(), std::move(done));
    if (changes)
        look(real); // the process may have ended
    return true;
}

// Returns false if the state is unchanged.
bool SimControl::setGate(const pb::SetGate& order, Time real)
{
    const bool wasClosed = m_cluster.isGated();
    if (!order.is_closed()) {
        openGates("released", real);
        return wasClosed;
    }
    const std::uint32_t lease = order.lease_ms() == 0 ? kGateLeaseMs : order.lease_ms();
    m_gateEnds = real + std::chrono::milliseconds(lease);
    m_cluster.closeGates(lease);
    m_clock.setGated(true, m_cluster.now(), real);
    return !wasClosed;
}

void SimControl::openGates(const std::string& reason, Time real)
{
    m_gateEnds.reset();
    if (!m_cluster.isGated())
        return;
    m_cluster.openGates(reason);
    m_clock.setGated(false, m_cluster.now(), real);
}

// Opens gates whose lease was not renewed.
void SimControl::endGate(Time real)
{
    if (!m_gateEnds || *m_gateEnds > real || isOver())
        return;
    letTimePass(real);
    openGates("nobody has renewed it", real);
    m_site->tellHeld();
}

void SimControl::releaseHeld(const SimProcess& process, const pb::ReleaseHeld& order, pb::CommandReply& reply)
{
    if (process.pausedUntil() > m_cluster.now() && order.advance_ns() == 0) {
        refuseIn(reply, pb::REFUSED, "the process stands still by a fault; heal that first");
        return;
    }
    if (order.count() > kReleaseMax || order.advance_ns() < 0) {
        refuseIn(
            reply, pb::BAD_ARGUMENT, "1 to 1000 messages are let through by one command, or time of 0 ns and more");
        return;
    }
    if (!m_cluster.isGated()) {
        refuseIn(reply, pb::REFUSED, "the gate is open: messages are delivered as they come");
        return;
    }
    if (order.advance_ns() > 0 && process.isGated())
        m_cluster.advanceGated(process, Time(order.advance_ns()));
    if (order.advance_ns() > 0)
        return; // a process that has not begun has nothing to do
    const std::uint32_t count = order.number() != 0 || order.count() == 0 ? 1 : order.count();
    for (std::uint32_t i = 0; i < count && process.isGated() && !isOver(); ++i) {
        const auto released = m_cluster.release(process, order.number(), order.is_dropped());
        if (!released)
            break;
        *reply.mutable_gate()->add_released() = *released;
    }
    if (reply.gate().released_size() == 0 && order.number() != 0)
        refuseIn(reply, pb::REFUSED, "the gate holds no message of this number, or not any more");
}

void SimControl::describeGate(const SimProcess& process, pb::GateState& out, Time real) const
{
    m_cluster.describeGate(process, out);
    if (process.isGated() && m_gateEnds)
        out.set_lease_left_ms(std::uint32_t(std::max<std::int64_t>(
            0, std::chrono::duration_cast<std::chrono::milliseconds>(*m_gateEnds - real).count())));
}

// With closed gates, time alone brings neither messages nor events: a step that waits for them ends if none can arrive.
bool SimControl::isAtGoal() const
{
    const SimClock::Counts counts { m_cluster.eventCount(), m_cluster.messagesArrived() };
    const bool isQuiet = m_cluster.isGated() && m_clock.goal() && !m_clock.goal()->at && !m_cluster.isAnythingComing();
    return m_clock.isAtGoal(counts, isQuiet ? std::nullopt : m_cluster.nextAt());
}

} // namespace lhrs
