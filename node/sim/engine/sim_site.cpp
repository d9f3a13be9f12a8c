// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/engine/sim_site.h"

#include <set>
#include <utility>

namespace lhrs {

namespace {

constexpr Time kGaugesPeriod = std::chrono::milliseconds(100);

std::pair<std::uint64_t, std::uint64_t> happenedAt(const SimProcess& process)
{
    return { process.messagesIn() + process.messagesOut(), process.gate() ? process.gate()->changes() : 0 };
}

} // namespace

SimSite::SimSite(SimCluster& cluster, const MachineFactory& factory) : m_cluster(cluster), m_factory(factory) { }

void SimSite::begin()
{
    m_coordinator = startCoordinator(identity(pb::COORDINATOR, pb::NO_ROLE, "coordinator"), true).index;
    for (const MachineFactory::Servers& servers : m_factory.atStart())
        for (std::uint32_t i = 1; i <= servers.count; ++i)
            start(pb::NODE, servers.pool, servers.prefix + '-' + std::to_string(i));
    tellGauges();
}

pb::ProcessInfo SimSite::identity(pb::ProcessKind kind, pb::Role pool, const std::string& name) const
{
    pb::ProcessInfo self = m_cluster.identity(kind, name, pool);
    self.set_system(m_factory.system());
    return self;
}

// The identity is drawn before the seed of the machine, because a run depends on the order of the draws.
const SimProcess& SimSite::startCoordinator(const pb::ProcessInfo& self, bool isFirst)
{
    m_started[self.node()] = self;
    auto machine = m_factory.make({ self, {}, m_cluster.drawMachineSeed(), !isFirst });
    return isFirst ? m_cluster.start(self, std::move(machine)) : m_cluster.startAgain(self, std::move(machine));
}

const SimProcess& SimSite::start(pb::ProcessKind kind, pb::Role pool, const std::string& name)
{
    const pb::ProcessInfo self = identity(kind, pool, name);
    m_started[self.node()] = self;
    return m_cluster.start(self, m_factory.make({ self, { m_coordinator, 0, 0 }, m_cluster.drawMachineSeed(), false }));
}

Result<std::vector<const SimProcess*>> SimSite::startMore(
    pb::ProcessKind kind, pb::Role pool, const std::vector<std::string>& names)
{
    if (kind != pb::NODE && kind != pb::CLIENT)
        return Error { "servers and clients can be added; say which with kind NODE or CLIENT" };
    if (const std::string why = kind == pb::NODE ? m_factory.whyNoServer(pool) : std::string(); !why.empty())
        return Error { why };
    if (m_cluster.processes().size() + names.size() > kProcessesMax)
        return Error { "a simulated cluster has at most " + std::to_string(kProcessesMax)
            + " processes, those that ended included" };
    for (const std::string& name : names)
        if (name.empty() || name.size() > 64)
            return Error { "a process has a name of 1 to 64 bytes" };
    std::vector<const SimProcess*> started;
    for (const std::string& name : names)
        started.push_back(&start(kind, kind == pb::NODE ? pool : pb::NO_ROLE, name));
    return started;
}

Result<std::vector<const SimProcess*>> SimSite::startAgain(const std::vector<std::uint64_t>& nodes)
{
    std::vector<pb::ProcessInfo> programs;
    std::set<std::uint64_t> seen;
    for (const std::uint64_t node : nodes) {
        const auto found = m_started.find(node);
        if (found == m_started.end() || !seen.insert(node).second)
            return Error { "only a process of this simulation can be started again, and only once" };
        if (found->second.kind() == pb::CLIENT)
            return Error { "servers and the coordinator are started again, not " + found->second.name()
                + ": what a client knows ends with its process; start another one" };
        if (const std::string why = found->second.kind() == pb::COORDINATOR ? m_factory.whyNoTakeOver() : std::string();
            !why.empty())
            return Error { why };
        programs.push_back(found->second);
    }
    if (m_cluster.processes().size() + programs.size() > kProcessesMax)
        return Error { "a simulated cluster has at most " + std::to_string(kProcessesMax)
            + " processes, those that ended included" };
    for (const std::uint64_t node : nodes) {
        if (const SimProcess* former = m_cluster.numbered(NodeId(node)))
            m_cluster.kill(former->index);
        m_started.erase(node);
    }
    std::vector<const SimProcess*> started;
    for (const pb::ProcessInfo& program : programs) {
        if (program.kind() == pb::COORDINATOR)
            started.push_back(&startCoordinator(m_cluster.successorOf(m_coordinator), false));
        else
            started.push_back(&start(pb::NODE, program.pool(), program.name()));
    }
    return started;
}

// ---- gauges

void SimSite::fillGauges(const SimProcess& process, pb::Gauges& out)
{
    process.machine->gauges(out);
    out.set_messages_in(process.messagesIn());
    out.set_messages_out(process.messagesOut());
    out.set_dropped(process.lostAtGate());
    out.set_gate_held(process.gate() ? std::uint32_t(process.gate()->held()) : 0);
}

void SimSite::tellGauges()
{
    for (const auto& process : m_cluster.processes()) {
        const bool isAwake = !process->isGone() && process->pausedUntil() <= m_cluster.now();
        if (isAwake && m_told[process->index] != happenedAt(*process))
            tellGauges(*process);
    }
    m_cluster.after(kGaugesPeriod, [this] { tellGauges(); });
}

void SimSite::tellHeld()
{
    for (const auto& process : m_cluster.processes())
        if (!process->isGone() && m_told[process->index].second != happenedAt(*process).second)
            tellGauges(*process);
}

void SimSite::tellGauges(const SimProcess& process)
{
    m_told[process.index] = happenedAt(process);
    m_cluster.tell(process, [&process](Effects& out) { fillGauges(process, *out.event().mutable_gauges()); });
}

} // namespace lhrs
