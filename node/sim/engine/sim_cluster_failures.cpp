// SPDX-License-Identifier: GPL-3.0-or-later
// Processes that end, pause, run slowly, or are started as replacements.
#include "node/sim/engine/sim_cluster.h"

#include "common/errors.h"
#include "node/sim/engine/sim_happening.h"

#include <algorithm>
#include <utility>

namespace lhrs {

void SimCluster::kill(std::uint32_t index)
{
    SimProcess& process = *m_processes.at(index - 1);
    if (process.isGone())
        return;
    ++m_kills;
    if (process.isGated() && process.m_gate->held() > 0)
        lose(process, process.m_gate->held(), "held at the gate of a process that ended");
    process.m_gate.reset();
    process.machine.reset();
    process.m_inbox.clear();
    process.m_stepIsScheduled = false;
    process.pool = pb::NO_ROLE;
    // Of its last messages, all have been sent, none, or any subset.
    const std::uint64_t lost = m_failures.below(3);
    m_agenda->forEach([&](Happening& happening) {
        if (happening.from == index && happening.kind == Happening::Kind::Arrival
            && (lost == 1 || (lost == 2 && m_failures.chance(500))))
            happening.input = {}, happening.process = nullptr;
    });
}

void SimCluster::pause(std::uint32_t index, Time time)
{
    SimProcess& process = *m_processes.at(index - 1);
    process.m_pausedUntil = std::max(process.m_pausedUntil, m_now + time);
    process.m_hasJustWoken = true;
}

void SimCluster::slowDown(std::uint32_t index, std::uint32_t factor, Time time)
{
    SimProcess& process = *m_processes.at(index - 1);
    process.m_slowness = std::max(1U, factor);
    process.m_slowUntil = m_now + time;
}

void SimCluster::wake(std::uint32_t index)
{
    SimProcess& process = *m_processes.at(index - 1);
    if (process.m_pausedUntil <= m_now)
        return;
    process.m_pausedUntil = m_now;
    if (process.m_stepIsScheduled)
        scheduleWork(process, std::max(m_now, process.m_busyUntil));
}

void SimCluster::heal()
{
    m_network.becomeQuiet();
    for (const auto& process : m_processes) {
        process->m_slowUntil = std::min(process->m_slowUntil, m_now);
        wake(process->index);
    }
}

pb::ProcessInfo SimCluster::successorOf(std::uint32_t index)
{
    pb::ProcessInfo info = m_processes.at(index - 1)->info;
    info.set_node(m_machineSeeds.next() | 1);
    return info;
}

SimProcess& SimCluster::startAgain(const pb::ProcessInfo& identity, std::unique_ptr<Machine> machine)
{
    const std::uint32_t index = identity.address().ip();
    SimProcess& process = *m_processes.at(index - 1);
    LHRS_CHECK(process.isGone());
    process.info = identity;
    process.machine = std::move(machine);
    process.m_stamper.emplace(NodeId(identity.node()), Address { index, 0, 0 });
    process.m_stamper->setDetail(m_options.withMessages ? pb::FULL : pb::OPERATIONS, 1);
    process.m_busyUntil = m_now;
    process.m_pausedUntil = m_now;
    process.m_timerAt = Time::max();
    process.m_hasBegun = false;
    process.m_timeIsQueued = true;
    arrive(process, SimInput {});
    return process;
}

SimProcess& SimCluster::moveAway(std::uint32_t index)
{
    SimProcess& former = *m_processes.at(index - 1);
    const auto moved = std::uint32_t(m_processes.size() + 1);
    auto process = std::unique_ptr<SimProcess>(new SimProcess(NodeId(former.info.node()), Address { moved, 0, 0 }));
    process->index = moved;
    process->info = former.info;
    process->info.set_name(former.info.name() + " (former)");
    process->clockOffset = former.clockOffset;
    process->driftPpm = former.driftPpm;
    process->machine = std::move(former.machine);
    process->m_inbox = std::move(former.m_inbox);
    process->m_pausedUntil = former.m_pausedUntil;
    process->m_hasJustWoken = true;
    process->m_timeIsQueued = former.m_timeIsQueued;
    process->m_hasBegun = former.m_hasBegun;
    process->m_gate = std::move(former.m_gate);
    process->m_stamper->setDetail(m_options.withMessages ? pb::FULL : pb::OPERATIONS, 1);
    former.m_inbox.clear();
    former.m_stepIsScheduled = false;
    m_processes.push_back(std::move(process));
    SimProcess& now = *m_processes.back();
    if (!now.m_inbox.empty())
        scheduleWork(now, std::max(m_now, now.m_pausedUntil));
    wind(now);
    return now;
}

} // namespace lhrs
