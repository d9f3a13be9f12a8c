// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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

namespace lhrs::gui {

class Ingest;
class WakeUp;

// How a command ended. Everything but Replied carries a sentence.
struct Answer {
    enum class Outcome {
        Replied,
        Refused,     // the process says why: reply.refusal() and text
        TimedOut,
        Unreachable, // no such process, or it ended
        Stopped,     // the wait was stopped; the command may still be carried out
    };
    Outcome outcome = Outcome::Unreachable;
    pb::CommandReply reply;
    std::string text;
    explicit operator bool() const { return outcome == Outcome::Replied; }
};

// Who a command goes to: a process of the directory, or a control endpoint.
struct CallTarget {
    CallTarget(ProcessId id) : process(id) {}
    CallTarget(std::string at) : endpoint(std::move(at)) {}
    ProcessId process = 0;
    std::string endpoint;
};

struct KnownProcess {
    pb::ProcessInfo info;
    pb::Place place;               // as the coordinator's directory says
    std::uint64_t incarnation = 0;
    std::uint32_t silentMs = 0;    // since the coordinator heard of it
    bool isListed = false;         // was in the coordinator's list
    std::int32_t listsWithout = 0; // since then; below 0: the coordinator is new and has yet to hear of it
    bool hasEnded = false;
    bool endIsPresumed = false;    // nobody saw it: the coordinator has not heard of it for long
};

// Its process is known not to run on this machine. One that runs on another machine is called gone, too: nobody here can tell.
bool isGoneHere(const KnownProcess& known);

// Commands to many processes and their answers, in one thread: one DEALER socket per process, time-outs, and the
// directory, which asks the coordinator who there is, has new processes watched and their snapshots taken.
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

    // All of these may be called by any thread.

    // From now on the directory follows this coordinator (its control endpoint).
    void watchCluster(const std::string& coordinatorEndpoint);
    // Forgets the cluster; commands under way are answered Unreachable. Not in the control thread.
    void leaveCluster();
    // A process known by other means, e.g. because it was just started.
    void addProcess(const pb::ProcessInfo& info);
    // The end of a process is known.
    void endProcess(ProcessId process, const std::string& reason);
    void endProcessOfPid(std::uint32_t pid, const std::string& reason);
    // A process of this machine stands still, or goes on again: known by who did it, since no event tells.
    void pauseProcessOfPid(std::uint32_t pid, bool isPaused);
    // How much all processes publish from now on, those that come later included.
    void setDetail(pb::Detail detail, std::uint32_t sample);
    pb::Detail detail() const;
    // How often the level became another one.
    std::uint64_t detailChanges() const;
    // Waits until every process that was told of it has answered, or did not within a second, as one that is paused; so what begins
    // afterwards is at this level. False: not in time.
    bool awaitDetail(Milliseconds timeout, const std::stop_token& stop = {}) const;

    // Asks for snapshots of those that were told since the last call, where the clock of the run stands until virtual time moves it;
    // else they are asked for at once.
    void refreshTold();

    // ---- who is watched, and the hold of the workload; both end with this object, by their leases

    // These processes, and no others, are asked ten times a second what they do; the ingest gets the samples.
    void watchNodes(std::vector<ProcessId> processes);
    std::vector<ProcessId> watchedNodes() const;
    // All clients, those that come later included, begin no new operations until this is called with false.
    void holdWorkload(bool isHeld);
    bool isWorkloadHeld() const;
    static pb::Command holdCommand(bool isHeld);
    // The gate is closed (gate_orders.h): its lease is renewed, and processes that come later are told.
    // Waits; not in the control thread.
    void keepGate(bool isClosed);
    bool isGated() const;
    // Why a gate that was closed is open again by itself; once, else empty.
    std::string takeGateTrouble();
    static pb::Command gateCommand(bool isClosed, std::int64_t atNs);

    // Sends the command; the callback comes in the control thread and must not wait.
    void call(const CallTarget& to, pb::Command command, Milliseconds timeout, Callback callback);
    // The same, waiting for the answer; not in the control thread.
    Answer callAndWait(const CallTarget& to, pb::Command command, Milliseconds timeout,
        const std::stop_token& stop = {});
    // All at once; answers in the order of the commands.
    std::vector<Answer> callAllAndWait(const std::vector<std::pair<CallTarget, pb::Command>>& calls,
        Milliseconds timeout,
        const std::stop_token& stop = {});

    std::vector<KnownProcess> directory() const;
    std::optional<KnownProcess> find(ProcessId process) const;
    // 0: none is known (yet).
    ProcessId coordinator() const;
    // The coordinator answered within the last second.
    bool coordinatorAnswers() const;
    // What the simulator said last, if the cluster is a simulated one.
    std::optional<pb::SimulationState> simulation() const;
    // A number for a fault, from 1 on over all clusters, where virtual time waits for commands; else 0: any will do.
    std::uint64_t nextFault() const;
    // Where it takes commands; empty: no process is simulated.
    std::string simulator() const;
    // Another word of it, e.g. the answer to a command about its clock.
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

    mutable std::mutex m_mutex; // the members below
    std::map<ProcessId, KnownProcess> m_directory;
    ProcessId m_coordinator = 0;
    Clock::time_point m_answered {};
    std::optional<pb::SimulationState> m_simulation;
    mutable std::uint64_t m_faults = 0; // numbered so far
    pb::Detail m_detail = pb::FULL;
    std::uint32_t m_sample = 100;
    std::uint64_t m_detailChanges = 0;
    std::size_t m_detailUnanswered = 0; // orders of a level that are on their way
    std::vector<ProcessId> m_detailTold; // processes that have answered, while virtual time waits for commands
    mutable std::condition_variable_any m_detailAnswered;
    std::vector<ProcessId> m_watched;
    bool m_isWorkloadHeld = false, m_isGated = false;
    std::string m_gateTrouble;
    std::vector<std::function<void(Thread&)>> m_tasks;

    // Of the control thread alone.
    void watchAndHold();
    void tellHolds(bool isHeld);
    void renewGate();
    Milliseconds untilSample() const;
    Clock::time_point m_sampleAt {}, m_holdAt {}, m_gateAt {};
    std::set<ProcessId> m_asked; // whose sample is on its way

    void post(std::function<void(Thread&)> task);

    std::unique_ptr<WakeUp> m_wakeUp;
    std::jthread m_thread;
};

} // namespace lhrs::gui
