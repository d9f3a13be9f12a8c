// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/children/child_keeper.h"
#include "gui/lab/hosts/server_spread.h"
#include "gui/lab/local/cluster_processes.h"
#include "gui/lab/local/cluster_programs.h"

#include <mutex>

namespace lhrs::gui {

struct KnownProcess;

// The file at which a client that was started on this computer serves Redis is NAME.redis in the directory of the logs.
inline constexpr const char* kDoorEnd = ".redis";

// Real processes on this computer or on several hosts, signalled by the operating system. Before begin() there are
// none.
class RealProcesses : public ClusterProcesses {
public:
    RealProcesses(const ProcessParts& parts, const LocalOptions& options);

    Result<void> begin(const std::stop_token& stop) override;
    // Before the last pool it measures how late the machine wakes the processes, and sets the coordinator's timeouts
    // to match.
    Result<void> complete(const std::vector<NewServers>& pools, const std::stop_token& stop) override;
    Result<void> addServers(const NewServers& servers, const std::stop_token& stop) override;
    Result<pb::ProcessInfo> startClient(const std::string& name, const std::stop_token& stop) override;
    Result<void> kill(const Processes& processes) override;
    Result<void> pause(const Processes& processes, std::chrono::milliseconds lease) override;
    Result<void> resume(const Processes& processes) override;
    Started restart(const Processes& processes, const std::stop_token& stop) override;
    Processes started() const override;
    std::size_t running() const override;
    std::map<std::uint64_t, std::chrono::milliseconds> paused() const override;
    std::size_t resumeAll() override;
    std::optional<MachinePatience> patience() const override;

private:
    // A program, and on which of the hosts it runs.
    struct Placed {
        ChildProgram program;
        std::size_t host = 0;
    };
    // A process by its number there.
    struct PlacedPid {
        std::size_t host = 0;
        pid_t pid = 0;
    };
    Started startAll(const std::vector<Placed>& programs, const std::stop_token& stop);
    Result<Placed> program(
        const std::string& file, const std::string& name, std::vector<std::string> arguments, std::size_t host) const;
    Result<Placed> coordinatorAgain(const pb::ProcessInfo& former) const;
    Keeper& keeperOf(std::size_t host) const { return *m_parts.programs.host(host).keeper; }
    // Of a process that this object started and that is known to run; 0: it has ended, or is not one of them.
    PlacedPid pidOf(const KnownProcess& known) const;
    void killAll(const std::vector<PlacedPid>& pids) const;
    // The worst wake-up delay that these processes have measured so far, in ns.
    Result<std::int64_t> askLateness(const std::vector<std::string>& endpoints, const std::stop_token& stop) const;
    Result<void> choosePatience(const std::stop_token& stop);
    Result<std::vector<PlacedPid>> pidsOf(const Processes& processes) const;

    ProcessParts m_parts;
    const LocalOptions m_options;
    std::string m_control; // endpoint of the first coordinator
    std::string m_coordinator; // where servers and clients register, HOST:PORT
    ServerSpread m_spread;
    std::map<std::uint64_t, Placed> m_programs; // by process number, including ended processes
    mutable std::mutex m_patienceMutex;
    std::optional<MachinePatience> m_patience; // guarded by m_patienceMutex
};

} // namespace lhrs::gui
