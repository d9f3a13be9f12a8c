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

// One process that simulates all others on a virtual clock.
struct SimulatedOptions {
    std::uint64_t seed = 1;
    double speed = 1; // relative to real time; 0: as fast as possible
    bool isCase = false; // plays the test case that belongs to the seed; it can be watched, not operated
    bool withMessages = false; // of a case: includes message events, which may change the run
    // Virtual time advances only while a call waits for it: seed and calls determine the run.
    bool waitsForScript = false;
};

// A ring that walks, in place of a file.
struct RingOptions {
    unsigned bits = 32; // M: ids are numbers modulo 2^M
    std::uint32_t nodes = 8; // so many join the ring as it starts
    std::uint32_t outside = 2; // further processes, which wait
    bool operator==(const RingOptions&) const = default;
};

// The options for starting a cluster of local processes.
struct LocalOptions {
    pb::FileConfig config;
    std::optional<SimulatedOptions> simulated = {}; // empty: real processes
    bool slowTimers = false; // "classroom": five times slower
    std::uint32_t dataServers = 9; // spares before the file takes any
    std::uint32_t parityServers = 7;
    bool hasGate = false; // messages and clocks can be held; a simulated cluster always has a gate
    std::optional<RingOptions> ring = {}; // a cluster of this system instead: file and servers above do not count
};

// Real processes on this machine: a coordinator, servers in both pools, and clients by name. Or lhrs-sim, which
// simulates them. They end with this process, however it ends. Their programs are found beside this process's
// program. Any thread may call any function, one at a time.
class LocalCluster {
public:
    // Files that each process of the cluster needs here: its output, its end, its commands, its events, and one in
    // reserve.
    static constexpr std::uint64_t kFilesOfProcess = 5;

    // `courtesy` as in ChildKeeper.
    LocalCluster(ControlClient& control, Ingest& ingest, int courtesy = 0);
    ~LocalCluster();
    LocalCluster(const LocalCluster&) = delete;
    LocalCluster& operator=(const LocalCluster&) = delete;

    // Makes clusters simulated by default, unless their options say otherwise; empty: real processes.
    void preferSimulated(const std::optional<SimulatedOptions>& simulated);
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
    // Ends the processes that still run and starts the same programs again. Servers come back as empty spares of
    // their pools; a coordinator takes the former address and finds the running file.
    Result<std::vector<pb::ProcessInfo>> restart(
        const std::vector<std::uint64_t>& processes, const std::stop_token& stop = {});

    bool isRunning() const;
    std::size_t processes() const;
    std::optional<LocalOptions> options() const;
    // How late the machine woke the processes of the running cluster when they started, and the timeouts chosen for
    // it. Empty: no cluster runs here, or its processes are simulated.
    std::optional<MachinePatience> patience() const;
    // The directory of the processes' logs.
    std::string logDirectory() const;

    // Sets where the programs are looked for; by default beside this process's own program.
    void setProgramDirectory(std::string directory);

private:
    Result<std::vector<pb::ProcessInfo>> startAll(std::vector<ChildProgram> programs, const std::stop_token& stop);
    Result<ChildProgram> program(
        const std::string& file, const std::string& name, std::vector<std::string> arguments) const;
    // The worst wake-up delay that these processes have measured so far, in ns.
    Result<std::int64_t> askLateness(const std::vector<std::string>& endpoints, const std::stop_token& stop) const;
    // Measures the wake-up delay and sets the coordinator's timeouts to match; called before the file begins.
    Result<void> choosePatience(const std::stop_token& stop);
    std::string nextServer(const std::string& prefix);
    std::vector<std::string> coordinatorArguments(const LocalOptions& options) const;
    Result<ChildProgram> coordinatorAgain(const pb::ProcessInfo& former) const;
    Result<void> makeLogDirectory();
    // Whether this process may open enough files to watch that many further processes.
    Result<void> checkOpenFiles(std::size_t more) const;
    // Starts a simulated cluster; m_mutex is held.
    Result<void> simulate(const LocalOptions& options, const std::stop_token& stop);
    Result<std::vector<pb::ProcessInfo>> startSimulated(const pb::StartProcesses& wanted, const std::stop_token& stop);
    Result<std::vector<pb::ProcessInfo>> restartSimulated(
        const std::vector<std::uint64_t>& processes, const std::stop_token& stop);
    Result<void> checkSimulated(const std::vector<std::uint64_t>& processes) const;
    Result<void> killSimulated(const std::vector<std::uint64_t>& processes);
    Result<void> pauseSimulated(const std::vector<std::uint64_t>& processes, std::chrono::milliseconds lease);
    Result<void> resumeSimulated(const std::vector<std::uint64_t>& processes);
    bool isSimulated() const { return !m_simulation.empty(); }
    Result<std::vector<pid_t>> pidsOf(const std::vector<std::uint64_t>& processes) const;

    ControlClient& m_control;
    Ingest& m_ingest;
    mutable std::mutex m_mutex; // guards the members below, up to the keeper
    std::string m_programDirectory;
    std::string m_logDirectory;
    std::optional<LocalOptions> m_options; // of the running cluster
    std::optional<SimulatedOptions> m_preferred;
    std::string m_simulation; // control endpoint of lhrs-sim; empty if the processes are real
    std::string m_coordinator; // where servers and clients register, HOST:PORT
    std::map<std::string, std::uint32_t> m_servers; // number started so far, by prefix
    bool m_hasFailed = false; // keep the logs
    std::map<std::uint64_t, ChildProgram> m_programs; // by process number, including ended processes
    mutable std::mutex m_patienceMutex; // separate, so that a reader does not wait for the start of a cluster
    std::optional<MachinePatience> m_patience; // guarded by m_patienceMutex
    ChildKeeper m_keeper;
};

} // namespace lhrs::gui
