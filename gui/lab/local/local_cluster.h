// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "gui/lab/local/child_keeper.h"
#include "gui/lab/local/machine_patience.h"
#include "proto/config.pb.h"
#include "proto/control.pb.h"
#include "proto/message.pb.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace lhrs::gui {

class ControlClient;
class Ingest;

// One process that simulates all others, on a virtual clock.
struct SimulatedOptions {
    std::uint64_t seed = 1;
    double speed = 1;    // of real time; 0: as fast as possible
    bool isCase = false; // the case that the seed stands for in the tests is played; it is watched, not operated
    bool withMessages = false; // of a case: in its events, which may make another run of it
    bool waitsForScript = false; // virtual time goes on only while a call waits for it: the run is decided by seed and calls
};

// What a cluster of local processes is started with.
struct LocalOptions {
    pb::FileConfig config;
    std::optional<SimulatedOptions> simulated = {}; // none: real processes
    bool slowTimers = false;       // "classroom": five times slower
    std::uint32_t dataServers = 9; // in the pools before the file takes any
    std::uint32_t parityServers = 7;
    bool hasGate = false;          // their messages and clocks may be held; a simulated cluster always has that
};

// Real processes on this machine: a coordinator, servers in both pools, clients by name; or lhrs-sim, which simulates
// them. They die with this process, however it ends. Programs are found beside this process' own program. Each function may be called by any thread; one
// at a time.
class LocalCluster {
public:
    // Files that each process of the cluster takes here: its output, its end, its commands, its events, and one to spare.
    static constexpr std::uint64_t kFilesOfProcess = 5;

    // `courtesy` as in ChildKeeper.
    LocalCluster(ControlClient& control, Ingest& ingest, int courtesy = 0);
    ~LocalCluster();
    LocalCluster(const LocalCluster&) = delete;
    LocalCluster& operator=(const LocalCluster&) = delete;

    // From now on clusters are simulated unless their options say how; nothing: real processes.
    void preferSimulated(const std::optional<SimulatedOptions>& simulated);
    // Ends the present cluster, if any, and starts another; from then on `control` and `ingest` follow it.
    Result<void> start(const LocalOptions& options, const std::stop_token& stop = {});
    // Further servers for a pool.
    Result<void> addServers(pb::Role pool, std::uint32_t count, const std::stop_token& stop = {});
    // A client process of that name, with its process number and endpoints; a name is started once.
    Result<pb::ProcessInfo> startClient(const std::string& name, const std::stop_token& stop = {});
    // Ends all its processes.
    void stop();

    // ---- faults of processes; each refuses in words what is no process of this cluster, or has ended

    // At once, as a crash (SIGKILL); returns when they are gone.
    Result<void> kill(const std::vector<std::uint64_t>& processes);
    // They stand still until they are resumed, at the latest when the lease ends.
    Result<void> pause(const std::vector<std::uint64_t>& processes, std::chrono::milliseconds lease);
    Result<void> resume(const std::vector<std::uint64_t>& processes);
    // Those that stand still, with what is left of their leases.
    std::map<std::uint64_t, std::chrono::milliseconds> paused() const;
    // How many have ended, killed or by themselves, and were not started again.
    std::size_t ended() const;
    // Lets all paused processes go on; how many there were.
    std::size_t resumeAll();
    // Ends those that still run and starts the same programs again: servers are empty then, spares of their pools; a
    // coordinator has the address of the former one and finds the running file.
    Result<std::vector<pb::ProcessInfo>> restart(const std::vector<std::uint64_t>& processes, const std::stop_token& stop = {});

    bool isRunning() const;
    std::size_t processes() const;
    std::optional<LocalOptions> options() const;
    // How late the machine woke the processes of the running cluster when they started, and what was made of it; nothing: none runs
    // here, or its processes are simulated.
    std::optional<MachinePatience> patience() const;
    // Where the processes' logs are.
    std::string logDirectory() const;

    // Where the programs are looked for: beside this process' own, unless set.
    void setProgramDirectory(std::string directory);

private:
    Result<std::vector<pb::ProcessInfo>> startAll(std::vector<ChildProgram> programs, const std::stop_token& stop);
    Result<ChildProgram> program(const std::string& file, const std::string& name,
        std::vector<std::string> arguments) const;
    // The worst lateness that these processes have measured so far, in ns.
    Result<std::int64_t> askLateness(const std::vector<std::string>& endpoints, const std::stop_token& stop) const;
    // Asks them, and lets the coordinator be as patient as the answer demands; before the file begins.
    Result<void> choosePatience(const std::stop_token& stop);
    std::string nextServer(pb::Role pool);
    std::vector<std::string> coordinatorArguments(const LocalOptions& options) const;
    Result<ChildProgram> coordinatorAgain(const pb::ProcessInfo& former) const;
    Result<void> makeLogDirectory();
    // Whether that many further processes can be watched with the files that this one may open.
    Result<void> checkOpenFiles(std::size_t more) const;
    // The same where the processes are simulated; m_mutex is held.
    Result<void> simulate(const LocalOptions& options, const std::stop_token& stop);
    Result<std::vector<pb::ProcessInfo>> startSimulated(const pb::StartProcesses& wanted, const std::stop_token& stop);
    Result<std::vector<pb::ProcessInfo>> restartSimulated(const std::vector<std::uint64_t>& processes, const std::stop_token& stop);
    Result<void> checkSimulated(const std::vector<std::uint64_t>& processes) const;
    Result<void> killSimulated(const std::vector<std::uint64_t>& processes);
    Result<void> pauseSimulated(const std::vector<std::uint64_t>& processes, std::chrono::milliseconds lease);
    Result<void> resumeSimulated(const std::vector<std::uint64_t>& processes);
    bool isSimulated() const { return !m_simulation.empty(); }
    Result<std::vector<pid_t>> pidsOf(const std::vector<std::uint64_t>& processes) const;

    ControlClient& m_control;
    Ingest& m_ingest;
    mutable std::mutex m_mutex; // guards what follows up to the keeper
    std::string m_programDirectory;
    std::string m_logDirectory;
    std::optional<LocalOptions> m_options; // of the running cluster
    std::optional<SimulatedOptions> m_preferred;
    std::string m_simulation;              // where lhrs-sim takes commands; empty: the processes are real
    std::string m_coordinator;             // where servers and clients register, HOST:PORT
    std::uint32_t m_dataServers = 0, m_parityServers = 0; // started so far
    bool m_hasFailed = false; // keep the logs
    std::map<std::uint64_t, ChildProgram> m_programs; // by process number, those that have ended included
    mutable std::mutex m_patienceMutex;        // apart: whoever shows it does not wait until a cluster has started
    std::optional<MachinePatience> m_patience; // guarded by m_patienceMutex
    ChildKeeper m_keeper;
};

} // namespace lhrs::gui
