// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/lhrs/sim_site.h"

#include "node/lhrs/client/client.h"
#include "node/lhrs/coordinator/coordinator.h"
#include "node/lhrs/server/node_machine.h"

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

SimSite::SimSite(SimCluster& cluster, Options options)
    : m_cluster(cluster), m_options(std::move(options))
{
}

void SimSite::begin(std::uint32_t dataServers, std::uint32_t parityServers)
{
    m_coordinator = startCoordinator(m_cluster.identity(pb::COORDINATOR, "coordinator", pb::NO_ROLE), true).index;
    for (std::uint32_t i = 1; i <= parityServers; ++i)
        startNode(pb::PARITY, "parity-" + std::to_string(i));
    for (std::uint32_t i = 1; i <= dataServers; ++i)
        startNode(pb::DATA, "data-" + std::to_string(i));
    tellGauges();
}

const SimProcess& SimSite::startCoordinator(const pb::ProcessInfo& self, bool isFirst)
{
    CoordinatorOptions options;
    options.self = self;
    options.config = m_options.file;
    options.timers = m_options.timers;
    options.recruiting = m_options.recruiting;
    options.seed = m_cluster.drawMachineSeed();
    options.listensFirst = !isFirst;
    m_started[self.node()] = self;
    auto machine = std::make_unique<Coordinator>(options);
    return isFirst ? m_cluster.start(self, std::move(machine)) : m_cluster.startAgain(self, std::move(machine));
}

const SimProcess& SimSite::startNode(pb::Role pool, const std::string& name)
{
    NodeOptions options;
    options.self = m_cluster.identity(pb::NODE, name, pool);
    options.coordinator = { m_coordinator, 0, 0 };
    options.pool = pool;
    options.seed = m_cluster.drawMachineSeed();
    m_started[options.self.node()] = options.self;
    return m_cluster.start(options.self, std::make_unique<NodeMachine>(options));
}

const SimProcess& SimSite::startClient(const std::string& name)
{
    ClientOptions options;
    options.self = m_cluster.identity(pb::CLIENT, name, pb::NO_ROLE);
    options.coordinator = { m_coordinator, 0, 0 };
    options.seed = m_cluster.drawMachineSeed();
    m_started[options.self.node()] = options.self;
    return m_cluster.start(options.self, std::make_unique<Client>(options));
}

Result<std::vector<const SimProcess*>> SimSite::startMore(pb::ProcessKind kind, pb::Role pool, const std::vector<std::string>& names)
{
    if (kind != pb::NODE && kind != pb::CLIENT)
        return Error { "servers and clients can be added; say which with kind NODE or CLIENT" };
    if (kind == pb::NODE && pool != pb::DATA && pool != pb::PARITY)
        return Error { "a server waits in a pool of spares; say which with pool DATA or PARITY" };
    if (m_cluster.processes().size() + names.size() > kProcessesMax)
        return Error { "a simulated cluster has at most " + std::to_string(kProcessesMax) + " processes, those that ended included" };
    for (const std::string& name : names)
        if (name.empty() || name.size() > 64)
            return Error { "a process has a name of 1 to 64 bytes" };
    std::vector<const SimProcess*> started;
    for (const std::string& name : names)
        started.push_back(kind == pb::NODE ? &startNode(pool, name) : &startClient(name));
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
        programs.push_back(found->second);
    }
    if (m_cluster.processes().size() + programs.size() > kProcessesMax)
        return Error { "a simulated cluster has at most " + std::to_string(kProcessesMax) + " processes, those that ended included" };
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
            started.push_back(&startNode(program.spare_role(), program.name()));
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
