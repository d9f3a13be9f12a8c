// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/network/fault_book.h"
#include "node/machine/event_stamp.h"
#include "node/machine/machine.h"
#include "node/sim/engine/random.h"
#include "node/sim/engine/sim_gate.h"
#include "node/sim/engine/sim_network.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lhrs {

// The input of a simulated process in one step: a message, a command, or (both empty) the time.
struct SimInput {
    std::shared_ptr<const pb::Message> message;
    std::shared_ptr<const pb::Command> command;
    std::uint32_t bytes = 0;
    pb::Transport transport = pb::UDP;
};

// A simulated process: a machine, an inbox and a clock of its own.
struct SimProcess {
    std::uint32_t index = 0; // from 1; also the ip of its address
    pb::ProcessInfo info;
    std::unique_ptr<Machine> machine;
    pb::Role pool = pb::NO_ROLE; // the multicast group that it has joined

    // Its clock shows: offset + time * (1 + drift).
    Time clockOffset {};
    std::int64_t driftPpm = 0;

    // The process was killed: it no longer has a machine.
    bool isGone() const { return machine == nullptr; }
    // The process does nothing until then, but its clock runs.
    Time pausedUntil() const { return m_pausedUntil; }
    Time slowUntil() const { return m_slowUntil; }
    const EventStamper& stamper() const { return *m_stamper; }
    std::uint64_t messagesIn() const { return m_messagesIn; }
    std::uint64_t messagesOut() const { return m_messagesOut; }
    // Number of inputs that wait for its next step, and the highest number so far.
    std::size_t inbox() const { return m_inbox.size(); }
    std::size_t inboxMost() const { return m_inboxMost; }
    const pb::Place& place() const { return m_place; }
    // The gate is closed: the machine gets no messages and no time.
    bool isGated() const { return m_gate && m_gate->isClosed(); }
    // nullptr: the gate was never closed.
    const SimGate* gate() const { return m_gate.get(); }

private:
    friend class SimCluster;
    SimProcess(NodeId node, Address self) { m_stamper.emplace(node, self); }

    std::optional<EventStamper> m_stamper;
    Time m_wallOffset {};
    std::deque<SimInput> m_inbox;
    std::size_t m_inboxMost = 0;
    Time m_busyUntil {};
    Time m_workAt {}; // time of its next step, if one is scheduled
    Time m_pausedUntil {};
    Time m_slowUntil {};
    std::uint32_t m_slowness = 1;
    bool m_hasJustWoken = false;
    bool m_stepIsScheduled = false;
    bool m_timeIsQueued = false;
    bool m_hasBegun = false; // its machine has taken its first step
    std::unique_ptr<SimGate> m_gate;
    Time m_timerAt = Time::max(); // global time of its earliest timer in the queue
    pb::Place m_place; // its place after its last step
    std::uint64_t m_messagesIn = 0;
    std::uint64_t m_messagesOut = 0;
    std::uint64_t m_messagesTaken = 0; // taken from the inbox: held or delivered
    std::uint64_t m_lostAtGate = 0;

public:
    std::uint64_t messagesTaken() const { return m_messagesTaken; }
    // Messages lost by command, for lack of room, or with the process.
    std::uint64_t lostAtGate() const { return m_lostAtGate; }
};

// Stands between a process and its network, and may end the process at an event: the interface for armed faults.
class SimDoor {
public:
    virtual ~SimDoor() = default;
    // The fate of a message that leaves the process or arrives at it.
    virtual Fate judge(const SimProcess& process, const FaultBook::Passing& passing, Time now) = 0;
    // Called before the events of a step are numbered; true: the process ends instead.
    virtual bool crashesAt(const SimProcess& process, const std::vector<pb::Event*>& events) = 0;
};

// Watches the steps of all processes: the oracle, or a recorder of events.
class SimObserver {
public:
    virtual ~SimObserver() = default;
    // A step is over, or an event was emitted: the events are numbered, and messages have not left yet.
    virtual void onStep(const SimProcess& process, const SimInput& input, Effects& effects, Time now) = 0;
    // The network makes a second copy of a datagram.
    virtual void onCopied(const pb::Message& message) = 0;
};

// A whole cluster in one thread: drives real machines and carries out their effects in virtual time. The event queue is
// ordered by time and then by a drawn number, so a seed determines a run to the last byte. It is the other driver of
// machines, beside node/runtime.
class SimCluster {
public:
    using OnReply = std::function<void(const pb::CommandReply&)>;

    struct Options {
        pb::NetworkFaults network;
        std::uint64_t seed = 0;
        std::uint32_t driftPpmMax = 0;
        Time clockOffsetMax = std::chrono::seconds(10); // clocks start between 0 and this value
        Time stepCost = std::chrono::microseconds(5);
        Time stepCostPerKib {};
        std::uint32_t reparseEvery = 64; // 0: never
        bool allByStream = false;
        bool withMessages = false; // also record events of messages
        bool withHash = true;
        std::uint32_t inboxMax = 1000; // limit on datagrams that wait at a paused process
    };

    explicit SimCluster(const Options& options);
    ~SimCluster();

    void setFailpoints(Failpoints* failpoints) { m_effects.setFailpoints(failpoints); }
    void setObserver(SimObserver* observer) { m_observer = observer; }
    void setDoor(SimDoor* door) { m_door = door; }

    // The identity of the next process: number, name, address. `pool`: for a node.
    pb::ProcessInfo identity(pb::ProcessKind kind, const std::string& name, pb::Role pool);
    // Starts a process with this machine. The process listens to its pool's multicast group from the start.
    SimProcess& start(const pb::ProcessInfo& identity, std::unique_ptr<Machine> machine);
    std::uint64_t drawMachineSeed() { return m_machineSeeds.next(); }

    const std::deque<std::unique_ptr<SimProcess>>& processes() const { return m_processes; }
    // nullptr if there is no process with this address or number.
    const SimProcess* at(const Address& address) const;
    const SimProcess* numbered(NodeId node) const;

    // Gives a command to a process; `onReply` is called with the reply after the step that produced it.
    void command(const SimProcess& process, pb::Command command, OnReply onReply);
    // Calls `what` after some time.
    void after(Time delay, std::function<void()> what);
    // Runs until the condition holds (true), or until the time limit passes or something fails (false).
    bool runUntil(const std::function<bool()>& condition, Time limit);

    // For callers that control the passing of time. The time of the next happening; nothing: there is none.
    std::optional<Time> nextAt() const;
    // Executes the next happening.
    void happenNext();
    // Lets time pass until `at` without a happening; not beyond nextAt().
    void passTo(Time at) { m_now = std::max(m_now, at); }
    // Sets a function that runUntil calls before each happening, repeatedly while it returns AskAgain. The function may
    // give commands.
    enum class Gate { Open, AskAgain, Ended };
    void setGate(std::function<Gate()> gate) { m_gate = std::move(gate); }

    // A query without side effects: answered at once, outside of virtual time, so that watching does not change a run.
    pb::CommandReply ask(const SimProcess& process, const pb::Command& question);
    pb::Snapshot snapshot(const SimProcess& process) const;
    void setDetail(const SimProcess& process, pb::Detail detail, std::uint32_t sample);
    // What a driver would measure of the process's memory. Do not call it within a step.
    void setMemory(const SimProcess& process, const MemoryReading& reading);
    // Emits events that do not come from its machine; `fill` creates them. Do not call it within a step.
    void tell(const SimProcess& process, const std::function<void(Effects&)>& fill);

    // Closes or opens the gates of all processes at one instant. A process that starts later is gated after its first
    // step. Messages that arrive at a closed gate are held, and the clock of the machine stands still. Do not call it
    // within a step.
    void closeGates(std::uint32_t leaseMs);
    void openGates(const std::string& reason);
    bool isGated() const { return m_isGated; }
    // Delivers the held message with this number, or the oldest one (0), to the process now, as one step; or drops it.
    // Returns nothing if there is no such message.
    std::optional<pb::HeldMessage> release(const SimProcess& process, std::uint64_t number, bool isDropped);
    // Advances the clock of the process's machine by this amount. If a timer is due, that is one step, unless the
    // process is paused.
    void advanceGated(const SimProcess& process, Time by);
    void describeGate(const SimProcess& process, pb::GateState& out);
    // Whether anything is under way to a process, or waits in the inbox of a process that is not paused.
    bool isAnythingComing();

    // Failures. Kills the process and its memory: its inputs are discarded, and some or all of the messages that it has
    // just sent may be lost, as if it had ended earlier.
    void kill(std::uint32_t process);
    // The process does nothing during this time. Inputs wait, up to a limit.
    void pause(std::uint32_t process, Time time);
    void wake(std::uint32_t process);
    // Each of its steps takes `factor` times as long.
    void slowDown(std::uint32_t process, std::uint32_t factor, Time time);
    // Sets the wall clock of the process; the time given to its machine does not change.
    void setWallClock(std::uint32_t process, Time jump) { m_processes.at(process - 1)->m_wallOffset += jump; }
    // The identity of a process that replaces one that has ended or was moved away: a new number, the same address.
    pb::ProcessInfo successorOf(std::uint32_t process);
    SimProcess& startAgain(const pb::ProcessInfo& identity, std::unique_ptr<Machine> machine);
    // The process continues at another address; messages to its former address do not reach it.
    SimProcess& moveAway(std::uint32_t process);
    void part(SimNetwork::Parting parting) { m_network.part(std::move(parting)); }
    // Ends network faults and slowness, and wakes paused processes.
    void heal();

    Time now() const { return m_now; }
    // What the clock of the process shows; its machine's clock stands still while the gate is closed.
    Time clockOf(const SimProcess& process) const { return localTime(process, m_now); }
    Time protocolClockOf(const SimProcess& process) const;
    // The error, if a check inside a machine failed or a message did not survive serialization. The run is then over.
    const std::optional<std::string>& failure() const { return m_failure; }
    // SHA-256 over (time, process, event bytes) of all events so far, in hex.
    std::string hash() const;
    std::uint64_t steps() const { return m_steps; }
    std::uint64_t kills() const { return m_kills; }
    std::uint64_t eventCount() const { return m_eventCount; }
    std::uint64_t messagesDelivered() const { return m_messagesDelivered; }
    // Delivered to a machine or held at its gate; a message that is held and then released counts for both.
    std::uint64_t messagesArrived() const { return m_messagesDelivered + m_messagesHeld; }
    std::uint32_t inboxMax() const { return m_options.inboxMax; }

private:
    struct Happening;
    class Agenda;
    struct Digest;

    void schedule(Happening happening);
    void happen(Happening& happening);
    void comeIn(Happening& arrival);
    void arrive(SimProcess& process, SimInput input);
    void count(const SimProcess& process, const SimInput& input);
    void scheduleWork(SimProcess& process, Time at);
    void workOff(SimProcess& process);
    void closeGate(SimProcess& process);
    void openGate(SimProcess& process, const std::string& reason);
    void hold(SimProcess& process, const SimInput& input);
    void lose(SimProcess& process, std::uint64_t count, const char* why);
    void step(SimProcess& process, const SimInput& input);
    void wind(SimProcess& process);
    void carryOut(SimProcess& process, Time leaves);
    void send(SimProcess& process, const Effects::Send& send, Time leaves);
    void multicast(SimProcess& process, const Effects::Multicast& multicast, Time leaves);
    std::shared_ptr<const pb::Message> throughTheWire(const pb::Message& message);
    SimProcess* processAt(const Address& address);
    Time localTime(const SimProcess& process, Time global) const;
    Time globalTime(const SimProcess& process, Time local) const;

    const Options m_options;
    SimNetwork m_network;
    Generator m_order;
    Generator m_machineSeeds;
    Generator m_faults;
    Generator m_failures;
    SimObserver* m_observer = nullptr;
    SimDoor* m_door = nullptr;
    std::function<Gate()> m_gate;
    std::deque<std::unique_ptr<SimProcess>> m_processes; // by index - 1
    std::unique_ptr<Agenda> m_agenda;
    std::map<std::uint64_t, OnReply> m_waiting; // commands by ticket
    std::uint64_t m_lastTicket = 0;
    Effects m_effects;
    std::vector<Time> m_delays;
    Time m_now {};
    std::optional<std::string> m_failure;
    std::uint64_t m_steps = 0;
    std::uint64_t m_kills = 0;
    std::uint64_t m_eventCount = 0;
    std::uint64_t m_messagesDelivered = 0;
    std::uint64_t m_messagesHeld = 0;
    bool m_isGated = false;
    std::uint32_t m_gateLeaseMs = 0;
    std::string m_bytes;
    std::unique_ptr<Digest> m_digest;
};

} // namespace lhrs
