// SPDX-License-Identifier: GPL-3.0-or-later
// The gates of the simulated processes. See "The gate" in node/lhrs/PROTOCOL.md. All of them close or open between two
// happenings, so their clocks leave out the same time.
#include "node/sim/engine/sim_cluster.h"

#include "node/sim/engine/sim_happening.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lhrs {

Time SimCluster::protocolClockOf(const SimProcess& process) const
{
    return localTime(process, process.m_gate ? process.m_gate->clockAt(m_now) : m_now);
}

void SimCluster::closeGates(std::uint32_t leaseMs)
{
    m_gateLeaseMs = leaseMs;
    if (std::exchange(m_isGated, true))
        return; // renewed
    for (const auto& process : m_processes)
        if (!process->isGone() && process->m_hasBegun)
            closeGate(*process);
}

void SimCluster::closeGate(SimProcess& process)
{
    if (!process.m_gate)
        process.m_gate = std::make_unique<SimGate>();
    process.m_gate->close(m_now);
    tell(process, [&](Effects& out) {
        auto* closed = out.event().mutable_gate_closed();
        closed->set_lease_ms(m_gateLeaseMs);
        closed->set_clock_ns(protocolClockOf(process).count());
    });
}

void SimCluster::openGates(const std::string& reason)
{
    m_isGated = false;
    for (const auto& process : m_processes)
        if (!process->isGone() && process->isGated())
            openGate(*process, reason);
}

// The clock runs first; then held messages are delivered in order, before later ones that are in the inbox.
void SimCluster::openGate(SimProcess& process, const std::string& reason)
{
    SimGate& gate = *process.m_gate;
    const Time gated = gate.open(m_now);
    tell(process, [&](Effects& out) {
        auto* opened = out.event().mutable_gate_opened();
        opened->set_reason(reason);
        opened->set_gated_ns(gated.count());
        opened->set_held(std::uint32_t(gate.held()));
        opened->set_released(std::uint32_t(gate.released()));
        opened->set_dropped(std::uint32_t(gate.dropped()));
    });
    std::deque<SimInput> first;
    while (auto held = gate.take())
        first.push_back({ std::move(held->message), nullptr, held->bytes, held->transport });
    process.m_messagesTaken -= first.size(); // they will be taken again, before the inputs that wait
    std::move(process.m_inbox.begin(), process.m_inbox.end(), std::back_inserter(first));
    process.m_inbox = std::move(first);
    process.m_inboxMost = std::max(process.m_inboxMost, process.m_inbox.size());
    if (!process.m_inbox.empty() && !process.m_stepIsScheduled)
        scheduleWork(process, std::max({ m_now, process.m_busyUntil, process.m_pausedUntil }));
    wind(process);
}

// Holds the inputs of a machine whose gate is closed. Its clock stands still, so the machine is not given the time.
void SimCluster::hold(SimProcess& process, const SimInput& input)
{
    if (!input.message) {
        process.m_timeIsQueued = false;
        return;
    }
    ++process.m_messagesTaken;
    ++m_messagesHeld;
    if (!process.m_gate->hold({ 0, input.message, input.bytes, input.transport, m_now }))
        lose(process, 1, kDroppedAtGate);
}

void SimCluster::lose(SimProcess& process, std::uint64_t count, const char* why)
{
    process.m_lostAtGate += count;
    tell(process, [count, why](Effects& out) {
        auto* dropped = out.event().mutable_message_dropped();
        dropped->set_reason(why);
        dropped->set_count(count);
    });
}

std::optional<pb::HeldMessage> SimCluster::release(const SimProcess& from, std::uint64_t number, bool isDropped)
{
    SimProcess& process = *m_processes.at(from.index - 1);
    auto held = process.m_gate->take(number);
    if (!held)
        return std::nullopt;
    pb::HeldMessage told;
    held->describe(told);
    if (isDropped) {
        process.m_gate->countDropped();
        lose(process, 1, kDroppedAtGate);
        return told;
    }
    process.m_gate->countReleased();
    step(process, { std::move(held->message), nullptr, held->bytes, held->transport });
    return told;
}

void SimCluster::advanceGated(const SimProcess& of, Time by)
{
    SimProcess& process = *m_processes.at(of.index - 1);
    process.m_gate->advance(by);
    if (process.m_pausedUntil <= m_now && process.machine->deadline() <= protocolClockOf(process))
        step(process, {});
}

void SimCluster::describeGate(const SimProcess& process, pb::GateState& out)
{
    if (process.m_gate)
        process.m_gate->describe(out);
    out.set_is_closed(out.is_closed() || (m_isGated && !process.m_hasBegun)); // it will close with the first step
    const Time deadline = process.machine->deadline();
    const bool wantsNone = deadline == Time::max() || process.m_pausedUntil > m_now;
    const Time left = wantsNone ? Time(-1) : std::max(Time(), deadline - protocolClockOf(process));
    out.set_next_timer_ns(left.count());
    out.set_messages_in(process.messagesTaken());
    out.set_messages_out(process.messagesOut());
    std::uint32_t coming = process.pausedUntil() > m_now ? 0 : std::uint32_t(process.inbox());
    m_agenda->forEach([&](const Happening& happening) {
        coming += happening.kind == Happening::Kind::Arrival && happening.process == &process ? 1 : 0;
    });
    out.set_coming(coming);
}

bool SimCluster::isAnythingComing()
{
    bool isComing = std::any_of(m_processes.begin(), m_processes.end(),
        [this](const auto& process) { return process->inbox() > 0 && process->pausedUntil() <= m_now; });
    m_agenda->forEach([&](const Happening& happening) {
        const bool isArrival = happening.kind == Happening::Kind::Arrival && happening.process;
        isComing = isComing || (isArrival && !happening.process->isGone());
    });
    return isComing;
}

} // namespace lhrs
