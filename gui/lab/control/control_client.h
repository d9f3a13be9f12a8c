// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ip.h"
#include "gui/lab/state/cluster_state.h"
#include "proto/control.pb.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace zmq {
class context_t;
}

namespace lhrs {
class WakeUp;
}

namespace lhrs::gui {

class Ingest;

// How a command ended. Every outcome except Replied carries a sentence.
struct Answer {
    enum class Outcome {
        Replied,
        Refused, // reply.refusal() and text say why
        TimedOut,
        Unreachable, // no such process, or it ended
        Stopped, // the wait was stopped; the command may still take effect
    };
    Outcome outcome = Outcome::Unreachable;
    pb::CommandReply reply;
    std::string text;
    explicit operator bool() const { return outcome == Outcome::Replied; }
};

// The receiver of a command: a process of the directory, or a control endpoint.
struct CallTarget {
    CallTarget(ProcessId id) : process(id) { }
    CallTarget(std::string at) : endpoint(std::move(at)) { }
    ProcessId process = 0;
    std::string endpoint;
};

struct KnownProcess {
    pb::ProcessInfo info;
    pb::Place place; // according to the coordinator's directory
    std::uint64_t incarnation = 0;
    std::uint32_t silentMs = 0; // time since the coordinator last heard of it
    bool isListed = false; // it has been in the coordinator's list
    // Lists without it since then; below 0: the coordinator is new and has not heard of it yet.
    std::int32_t listsWithout = 0;
    bool isPaused = false; // by the program that started it
    bool hasEnded = false;
    bool endIsPresumed = false; // its end was not observed: nobody hears of it any more
};

// The process is known not to run on this machine. This is also true of a process on another machine, whose state
// cannot be seen from here.
bool isGoneHere(const KnownProcess& known);

// Sends commands to many processes and receives their answers, in one thread with one DEALER socket per process and
// with timeouts. It also keeps the directory: it asks the coordinator for the processes, has new ones watched and
// takes their snapshots.
class ControlClient {
public:
    using Callback = std::function<void(Answer)>;
    using Milliseconds = std::chrono::milliseconds;
    static constexpr Milliseconds kDirectoryPeriod { 250 };
    static constexpr Milliseconds kSamplePeriod { 100 };
    static constexpr Milliseconds kHoldLease { 5000 }, kHoldPeriod { 1500 };

    ControlClient(zmq::context_t& context, Ingest& ingest);
    ~ControlClient();
    ControlClient(const ControlClient&) = delete;
    ControlClient& operator=(const ControlClient&) = delete;

    // Any thread may call these functions.

    // The directory follows this coordinator (its control endpoint) from now on.
    void watchCluster(const std::string& coordinatorEndpoint);
    // Forgets the cluster; outstanding commands are answered Unreachable. Not to be called in the control thread.
    void leaveCluster();
    // Adds a process that is known by other means, e.g. because it was just started.
    void addProcess(const pb::ProcessInfo& info);
    // Records that the process has ended.
    void endProcess(ProcessId process, const std::string& reason);
    // `host`: the address of its computer; none: whichever that is, because all of them run on this one.
    void endProcessOfPid(std::uint32_t pid, const std::string& reason, Ip host = {});
    // Records that a process was paused or resumed. The program that did it must report it, because no event does.
    void pauseProcessOfPid(std::uint32_t pid, bool isPaused, Ip host = {});
    // Sets the detail level of all processes, including those that join later.
    void setDetail(pb::Detail detail, std::uint32_t sample);
    pb::Detail detail() const;
    // The number of changes of the detail level.
    std::uint64_t detailChanges() const;
    // Waits until every process that was told the level has answered, or has not answered within 1 s, e.g. because it
    // is paused. What begins afterwards is observed at this level. False: not in time.
    bool awaitDetail(Milliseconds timeout, const std::stop_token& stop = {}) const;

    // Requests snapshots of the processes that were told the level since the last call. Needed only where the run's
    // clock stands still until virtual time moves it; otherwise snapshots are requested at once.
    void refreshTold();

    // ---- watched processes and the hold of the workload; both end with this object, when their leases expire

    // Samples exactly these processes ten times a second and passes the samples to the ingest.
    void watchNodes(std::vector<ProcessId> processes);
    std::vector<ProcessId> watchedNodes() const;
    // While held, no client begins a new operation; this includes clients that join later.
    void holdWorkload(bool isHeld);
    bool isWorkloadHeld() const;
    static pb::Command holdCommand(bool isHeld);
    // Keeps the gate closed (gate_orders.h): renews its lease and tells processes that join later. Blocks; not to be
    // called in the control thread.
    void keepGate(bool isClosed);
    bool isGated() const;
    // Why a closed gate has opened by itself; returned once, else empty.
    std::string takeGateTrouble();
    static pb::Command gateCommand(bool isClosed, std::int64_t atNs);

    // Sends the command. The callback runs in the control thread and must not block.
    void call(const CallTarget& to, pb::Command command, Milliseconds timeout, Callback callback);
    // The same, but waits for the answer. Not to be called in the control thread.
    Answer callAndWait(
        const CallTarget& to, pb::Command command, Milliseconds timeout, const std::stop_token& stop = {});
    // Sends all commands at once; the answers are in the order of the commands.
    std::vector<Answer> callAllAndWait(const std::vector<std::pair<CallTarget, pb::Command>>& calls,
        Milliseconds timeout, const std::stop_token& stop = {});

    std::vector<KnownProcess> directory() const;
    std::optional<KnownProcess> find(ProcessId process) const;
    // 0: no coordinator is known (yet).
    ProcessId coordinator() const;
    // The coordinator answered within the last second.
    bool coordinatorAnswers() const;
    // The simulator's last report, if the cluster is simulated.
    std::optional<pb::SimulationState> simulation() const;
    // A fault number. Where virtual time waits for commands, faults are numbered from 1 over all clusters; otherwise
    // 0, and the caller chooses any number.
    std::uint64_t nextFault() const;
    // The simulator's control endpoint; empty if no process is simulated.
    std::string simulator() const;
    // Takes in a further report of the simulator, e.g. the answer to a clock command.
    void learnSimulation(const pb::SimulationState& state);

private:
    struct Thread;
    using Clock = std::chrono::steady_clock;

    void takeSnapshot(ProcessId process);
    void end(ProcessId process, const std::string& reason, bool isPresumed);
    void tellDetail(ProcessId process);
    void tellHold(ProcessId process, bool isHeld);
    void tellGate(ProcessId process, std::int64_t atNs);
    void giveGateUp(const std::string& why);

    Ingest& m_ingest;

    mutable std::mutex m_mutex; // guards the members below
    std::map<ProcessId, KnownProcess> m_directory;
    ProcessId m_coordinator = 0;
    Clock::time_point m_answered {};
    std::optional<pb::SimulationState> m_simulation;
    mutable std::uint64_t m_faults = 0; // numbered so far
    pb::Detail m_detail = pb::FULL;
    std::uint32_t m_sample = 100;
    std::uint64_t m_detailChanges = 0;
    std::size_t m_detailUnanswered = 0; // detail commands not yet answered
    std::vector<ProcessId> m_detailTold; // processes that have answered, where virtual time waits for commands
    mutable std::condition_variable_any m_detailAnswered;
    std::vector<ProcessId> m_watched;
    bool m_isWorkloadHeld = false, m_isGated = false;
    std::string m_gateTrouble;
    std::vector<std::function<void(Thread&)>> m_tasks;

    // Used by the control thread only.
    void watchAndHold();
    void tellHolds(bool isHeld);
    void renewGate();
    Milliseconds untilSample() const;
    Clock::time_point m_sampleAt {}, m_holdAt {}, m_gateAt {};
    std::set<ProcessId> m_asked; // processes whose sample is outstanding

    void post(std::function<void(Thread&)> task);
    void askForTime(const pb::ProcessInfo& process);

    std::unique_ptr<WakeUp> m_wakeUp;
    std::jthread m_thread;
};

} // namespace lhrs::gui
