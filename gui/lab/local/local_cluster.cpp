// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/local/local_cluster.h"

#include "gui/lab/control/control_client.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/local/real_processes.h"
#include "gui/lab/local/simulated_processes.h"

#include <algorithm>

namespace lhrs::gui {

LocalCluster::LocalCluster(ControlClient& control, Ingest& ingest, int courtesy)
    : m_control(control), m_ingest(ingest), m_programs(control, courtesy), m_present(none())
{
}

LocalCluster::~LocalCluster() { stop(); }

std::shared_ptr<ClusterProcesses> LocalCluster::none()
{
    return std::make_shared<RealProcesses>(ProcessParts { m_control, m_ingest, m_programs }, LocalOptions());
}

std::shared_ptr<ClusterProcesses> LocalCluster::present() const
{
    const std::lock_guard lock(m_presentMutex);
    return m_present;
}

void LocalCluster::setProgramDirectory(std::string directory)
{
    const std::lock_guard lock(m_mutex);
    m_programs.setDirectory(std::move(directory));
}

void LocalCluster::preferSimulated(const std::optional<SimulatedOptions>& simulated)
{
    const std::lock_guard lock(m_presentMutex);
    m_preferred = simulated;
    if (simulated && simulated->waitsForScript)
        m_ingest.standStill();
}

void LocalCluster::preferHosts(std::vector<HostEntry> hosts)
{
    const std::lock_guard lock(m_presentMutex);
    m_preferredHosts = std::move(hosts);
}

// ---- start and end

Result<void> LocalCluster::start(const LocalOptions& wanted, const std::stop_token& stopToken)
{
    stop();
    const std::lock_guard lock(m_mutex);
    m_control.leaveCluster();
    if (const auto made = m_programs.makeLogDirectory(); !made)
        return made;
    LocalOptions options = wanted;
    {
        const std::lock_guard presentLock(m_presentMutex);
        if (!options.simulated && options.hosts.empty())
            options.simulated = m_preferred;
        if (!options.simulated && options.hosts.empty())
            options.hosts = m_preferredHosts;
    }
    if (options.simulated && !options.hosts.empty())
        return Error { "A simulated cluster has no hosts; choose one of the two." };
    const ProcessParts parts { m_control, m_ingest, m_programs };
    std::shared_ptr<ClusterProcesses> processes;
    if (options.simulated)
        processes = std::make_shared<SimulatedProcesses>(parts, options);
    else
        processes = std::make_shared<RealProcesses>(parts, options);
    if (const auto begun = processes->begin(stopToken); !begun)
        return begun;
    {
        const std::lock_guard presentLock(m_presentMutex);
        m_present = processes;
        m_options = options;
    }
    std::vector<NewServers> pools;
    for (const SystemLines::Pool& pool : linesOf(options).pools)
        pools.push_back(newServers(pool, pool.count));
    return processes->complete(pools, stopToken);
}

NewServers LocalCluster::newServers(const SystemLines::Pool& pool, std::uint32_t count)
{
    NewServers servers { pool, {} };
    for (std::uint32_t i = 0; i < count; ++i)
        servers.names.push_back(pool.prefix + "-" + std::to_string(++m_numbers[pool.prefix]));
    return servers;
}

Result<void> LocalCluster::addServers(pb::Role pool, std::uint32_t count, const std::stop_token& stopToken)
{
    const std::lock_guard lock(m_mutex);
    const auto running = options();
    if (!running)
        return Error { "No cluster of this program runs, so no server can be added." };
    const SystemLines lines = linesOf(*running);
    const SystemLines::Pool* const known = lines.pool(pool);
    if (known == nullptr)
        return Error { "The cluster has no such pool of servers." };
    return present()->addServers(newServers(*known, count), stopToken);
}

Result<pb::ProcessInfo> LocalCluster::startClient(const std::string& name, const std::stop_token& stopToken)
{
    const std::lock_guard lock(m_mutex);
    if (!isRunning())
        return Error { "No cluster of this program runs, so no client can be started." };
    return present()->startClient(name, stopToken);
}

void LocalCluster::stop()
{
    m_programs.endAll();
    const std::lock_guard lock(m_mutex);
    {
        const std::lock_guard presentLock(m_presentMutex);
        m_present = none();
        m_options.reset();
    }
    m_numbers.clear();
    m_programs.forgetLogs();
}

// ---- faults

Result<void> LocalCluster::kill(const std::vector<std::uint64_t>& processes)
{
    const std::lock_guard lock(m_mutex);
    return present()->kill(processes);
}

Result<void> LocalCluster::pause(const std::vector<std::uint64_t>& processes, std::chrono::milliseconds lease)
{
    const std::lock_guard lock(m_mutex);
    return present()->pause(processes, lease);
}

Result<void> LocalCluster::resume(const std::vector<std::uint64_t>& processes)
{
    const std::lock_guard lock(m_mutex);
    return present()->resume(processes);
}

std::size_t LocalCluster::resumeAll() { return present()->resumeAll(); }

std::map<std::uint64_t, std::chrono::milliseconds> LocalCluster::paused() const { return present()->paused(); }

std::size_t LocalCluster::ended() const
{
    const std::lock_guard lock(m_mutex);
    const std::vector<std::uint64_t> started = present()->started();
    return std::size_t(std::count_if(started.begin(), started.end(), [this](std::uint64_t process) {
        const auto known = m_control.find(process);
        return known && known->hasEnded;
    }));
}

Result<std::vector<pb::ProcessInfo>> LocalCluster::restart(
    const std::vector<std::uint64_t>& processes, const std::stop_token& stopToken)
{
    const std::lock_guard lock(m_mutex);
    const std::vector<std::uint64_t> started = present()->started();
    for (const std::uint64_t process : processes) {
        const auto known = m_control.find(process);
        if (!known || std::find(started.begin(), started.end(), process) == started.end())
            return Error { "Only a process that this program has started can be started again." };
        if (known->info.kind() == pb::CLIENT)
            return Error { "Servers and the coordinator are started again, not " + known->info.name()
                + ": what a client knows ends with its process; start another one." };
    }
    return present()->restart(processes, stopToken);
}

// ---- for readers

bool LocalCluster::isRunning() const { return options().has_value(); }

std::vector<std::pair<std::string, std::string>> LocalCluster::hosts() const
{
    const std::lock_guard lock(m_mutex);
    std::vector<std::pair<std::string, std::string>> all;
    for (std::size_t i = 0; i < m_programs.hosts(); ++i)
        if (const ClusterPrograms::Host& host = m_programs.host(i); !host.entry.name.empty())
            all.emplace_back(host.entry.name, host.address);
    return all;
}

std::size_t LocalCluster::processes() const { return present()->running(); }

std::optional<LocalOptions> LocalCluster::options() const
{
    const std::lock_guard lock(m_presentMutex);
    return m_options;
}

std::optional<MachinePatience> LocalCluster::patience() const { return present()->patience(); }

std::string LocalCluster::keyFile() const
{
    const std::lock_guard lock(m_mutex);
    return m_programs.operatorKey();
}

std::string LocalCluster::logDirectory() const
{
    const std::lock_guard lock(m_mutex);
    return m_programs.logDirectory();
}

} // namespace lhrs::gui
