// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "gui/lab/local/cluster_processes.h"
#include "gui/lab/local/cluster_programs.h"
#include "gui/lab/local/local_options.h"
#include "proto/control.pb.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace lhrs::gui {

class ControlClient;
class Ingest;

// Real processes on this machine, or on several hosts: a coordinator, servers in both pools, and clients by name. Or
// lhrs-sim, which simulates them. They end with this process, however it ends. Their programs are found beside this
// process's program. Any thread may call any function, one at a time.
class LocalCluster {
public:
    // `courtesy` as in ChildKeeper.
    LocalCluster(ControlClient& control, Ingest& ingest, int courtesy = 0);
    ~LocalCluster();
    LocalCluster(const LocalCluster&) = delete;
    LocalCluster& operator=(const LocalCluster&) = delete;

    // Makes clusters simulated by default, unless their options say otherwise; empty: real processes.
    void preferSimulated(const std::optional<SimulatedOptions>& simulated);
    // Starts the processes of real clusters on these hosts, unless their options name others; empty: on this computer.
    void preferHosts(std::vector<HostEntry> hosts);
    // Ends the present cluster, if any, and starts another, which `control` and `ingest` then follow.
    Result<void> start(const LocalOptions& options, const std::stop_token& stop = {});
    // Adds servers to a pool.
    Result<void> addServers(pb::Role pool, std::uint32_t count, const std::stop_token& stop = {});
    // Starts a client process of that name and returns its process number and endpoints. Each name is started once.
    Result<pb::ProcessInfo> startClient(const std::string& name, const std::stop_token& stop = {});
    // Ends all processes of the cluster.
    void stop();

    // ---- process faults; each call refuses, in words, a process that is not of this cluster or has ended

    // Sends SIGKILL, like a crash, and returns when the processes are gone.
    Result<void> kill(const std::vector<std::uint64_t>& processes);
    // Pauses the processes until they are resumed, at the latest until the lease ends.
    Result<void> pause(const std::vector<std::uint64_t>& processes, std::chrono::milliseconds lease);
    Result<void> resume(const std::vector<std::uint64_t>& processes);
    // The paused processes with their remaining leases.
    std::map<std::uint64_t, std::chrono::milliseconds> paused() const;
    // The number of processes that have ended, killed or not, and were not restarted.
    std::size_t ended() const;
    // Resumes all paused processes and returns their number.
    std::size_t resumeAll();
    // Ends the processes that still run and starts the same programs again. Servers come back empty and wait for
    // a place; a coordinator takes the former address and finds the running cluster.
    Result<std::vector<pb::ProcessInfo>> restart(
        const std::vector<std::uint64_t>& processes, const std::stop_token& stop = {});

    // Names and addresses of the hosts of the running cluster; empty: it runs on this computer alone, or none runs.
    std::vector<std::pair<std::string, std::string>> hosts() const;

    bool isRunning() const;
    std::size_t processes() const;
    std::optional<LocalOptions> options() const;
    // How late the machine woke the processes of the running cluster when they started, and the timeouts chosen for
    // it. Empty: no cluster runs here, or its processes are simulated.
    std::optional<MachinePatience> patience() const;
    // The directory of the processes' logs.
    std::string logDirectory() const;
    // A key of the running cluster for programs that command it; empty: it has no keys.
    std::string keyFile() const;

    // Sets where the programs are looked for; by default beside this process's own program.
    void setProgramDirectory(std::string directory);

private:
    // The processes of no cluster.
    std::shared_ptr<ClusterProcesses> none();
    // Named in the order of starting, e.g. "data-3".
    NewServers newServers(const SystemLines::Pool& pool, std::uint32_t count);
    std::shared_ptr<ClusterProcesses> present() const;

    ControlClient& m_control;
    Ingest& m_ingest;
    mutable std::mutex m_mutex; // held by each call that changes the cluster; guards programs and numbers
    ClusterPrograms m_programs;
    std::map<std::string, std::uint32_t> m_numbers; // of servers started so far, by prefix

    mutable std::mutex m_presentMutex; // separate, so that a reader does not wait for the start of a cluster
    // Guarded by m_presentMutex.
    std::optional<SimulatedOptions> m_preferred;
    std::vector<HostEntry> m_preferredHosts;
    std::optional<LocalOptions> m_options; // of the running cluster; empty: none runs
    std::shared_ptr<ClusterProcesses> m_present; // never null
};

} // namespace lhrs::gui
