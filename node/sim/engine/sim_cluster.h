// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/fault_book.h"
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

// What a simulated process is given to do in one step: a message, a command, or (both empty) the time.
struct SimInput {
    std::shared_ptr<const pb::Message> message;
    std::shared_ptr<const pb::Command> command;
    std::uint32_t bytes = 0;
    pb::Transport transport = pb::UDP;
};

// A simulated process: a machine, an inbox, a clock of its own.
struct SimProcess {
    std::uint32_t index = 0; // from 1; also the ip of its address
    pb::ProcessInfo info;
    std::unique_ptr<Machine> machine;
    pb::Role pool = pb::NO_ROLE; // the multicast group it listens to

    // Its clock: offset + time * (1 + drift).
    Time clockOffset {};
    std::int64_t driftPpm = 0;

    // It was killed: there is no machine any more, and never will be.
    bool isGone() const { return machine == nullptr; }
    // It does nothing until then; its clock goes on.
    Time pausedUntil() const { return m_pausedUntil; }
    Time slowUntil() const { return m_slowUntil; }
    const EventStamper& stamper() const { return *m_stamper; }
    std::uint64_t messagesIn() const { return m_messagesIn; }
    std::uint64_t messagesOut() const { return m_messagesOut; }
    // What waits for its next step; the most that ever did.
    std::size_t inbox() const { return m_inbox.size(); }
    std::size_t inboxMost() const { return m_inboxMost; }
    const pb::Place& place() const { return m_place; }
    // Its gate is closed: it is given no messages, and its machine no time.
    bool isGated() const { return m_gate && m_gate->isClosed(); }
    // Nothing: none was ever closed.
    const SimGate* gate() const { return m_gate.get(); }

private:
    friend class SimCluster;
    SimProcess(NodeId node, Address self) { m_stamper.emplace(node, self); }

    std::optional<EventStamper> m_stamper;
    Time m_wallOffset {};
    std::deque<SimInput> m_inbox;
    std::size_t m_inboxMost = 0;
    Time m_busyUntil {};
    Time m_workAt {}; // of the next step, if one is scheduled
    Time m_pausedUntil {};
    Time m_slowUntil {};
    std::uint32_t m_slowness = 1;
    bool m_hasJustWoken = false;
    bool m_stepIsScheduled = false;
    bool m_timeIsQueued = false;
    bool m_hasBegun = false; // its machine has taken its first step
    std::unique_ptr<SimGate> m_gate;
    Time m_timerAt = Time::max(); // global time of the earliest timer in the queue
    pb::Place m_place;            // as its last step left it
    std::uint64_t m_messagesIn = 0;
    std::uint64_t m_messagesOut = 0;
    std::uint64_t m_messagesTaken = 0; // out of the inbox: held or delivered
    std::uint64_t m_lostAtGate = 0;

public:
    std::uint64_t messagesTaken() const { return m_messagesTaken; }
    // On command, for want of room, or with the process.
    std::uint64_t lostAtGate() const { return m_lostAtGate; }
};

// What stands between a process and its network, and may end it at an event: faults that somebody arms.
class SimDoor {
public:
    virtual ~SimDoor() = default;
    // What happens to a message that leaves the process, or has arrived at it.
    virtual Fate judge(const SimProcess& process, const FaultBook::Passing& passing, Time now) = 0;
    // Before the events of a step are numbered: true, if the process ends instead.
    virtual bool crashesAt(const SimProcess& process, const std::vector<pb::Event*>& events) = 0;
};

// Whoever watches the steps of all processes: the oracle, a recorder of events.
class SimObserver {
public:
    virtual ~SimObserver() = default;
    // A step is over, or something is told: the events are numbered, messages have not left yet.
    virtual void onStep(const SimProcess& process, const SimInput& input, Effects& effects, Time now) = 0;
    // The network makes a second copy of a datagram.
    virtual void onCopied(const pb::Message& message) = 0;
};

// A whole cluster in one thread: drives real machines and carries out their effects in virtual time. The event queue
// is ordered by time and then by a drawn number, so a seed is one run, to the last byte. The other driver beside
// node/runtime.
class SimCluster {
public:
    using OnReply = std::function<void(const pb::CommandReply&)>;

    struct Options {
        pb::NetworkFaults network;
        std::uint64_t seed = 0;
        std::uint32_t driftPpmMax = 0;
        Time clockOffsetMax = std::chrono::seconds(10); // clocks start at 0 up to this
        Time stepCost = std::chrono::microseconds(5);
        Time stepCostPerKib {};
        std::uint32_t reparseEvery = 64; // 0: never
        bool allByStream = false;
        bool withMessages = false; // events of messages too
        bool withHash = true;
        std::uint32_t inboxMax = 1000; // datagrams that wait at a paused process
    };

    explicit SimCluster(const Options& options);
    ~SimCluster();

    void setPoints(Points* points) { m_effects.setPoints(points); }
    void setObserver(SimObserver* observer) { m_observer = observer; }
    void setDoor(SimDoor* door) { m_door = door; }

    // The identity of the next process: number, name, address. `pool`: a node's.
    pb::ProcessInfo identity(pb::ProcessKind kind, const std::string& name, pb::Role pool);
    // Starts a process. `makes` its machine; the process listens to its pool's multicast group from the start.
    SimProcess& start(const pb::ProcessInfo& identity, std::unique_ptr<Machine> machine);
    std::uint64_t drawMachineSeed() { return m_machineSeeds.next(); }

    const std::deque<std::unique_ptr<SimProcess>>& processes() const { return m_processes; }
    // nullptr when there is no process at this address or of this number.
    const SimProcess* at(const Address& address) const;
    const SimProcess* numbered(NodeId node) const;

    // Gives a command to a process; `onReply` is called with its reply, after the step that made it.
    void command(const SimProcess& process, pb::Command command, OnReply onReply);
    // Calls `what` after some time.
    void after(Time delay, std::function<void()> what);
    // Runs until the condition holds (true), or the time is over or something failed (false).
    bool runUntil(const std::function<bool()>& condition, Time limit);

    // For who lets time pass by himself. When the next thing happens; nothing: never.
    std::optional<Time> nextAt() const;
    // Lets the next thing happen.
    void happenNext();
    // Nothing happens but time, until then; not beyond nextAt().
    void passTo(Time at) { m_now = std::max(m_now, at); }
    // May be asked before each thing that happens in runUntil, as often as it says so; it may give commands meanwhile.
    enum class Gate { Open, AskAgain, Ended };
    void setGate(std::function<Gate()> gate) { m_gate = std::move(gate); }

    // A question that changes nothing: answered at once, outside of time, so that no run depends on who watches it.
    pb::CommandReply ask(const SimProcess& process, const pb::Command& question);
    pb::Snapshot snapshot(const SimProcess& process) const;
    void setDetail(const SimProcess& process, pb::Detail detail, std::uint32_t sample);
    // What a driver would measure of its memory. Not within a step.
    void setMemory(const SimProcess& process, const MemoryReading& reading);
    // Events that are not of its machine: `fill` makes them. Not within a step.
    void tell(const SimProcess& process, const std::function<void(Effects&)>& fill);

    // The gates of all processes, closed and opened at one instant; one that begins later is gated when it has taken
    // its first step. What arrives at a closed one is held, and the clock of the machine stands. Not within a step.
    void closeGates(std::uint32_t leaseMs);
    void openGates(const std::string& reason);
    bool isGated() const { return m_isGated; }
    // The held message with this number, or the oldest one (0), is given to the process now, as one step, or is lost.
    // Nothing: there is none.
    std::optional<pb::HeldMessage> release(const SimProcess& process, std::uint64_t number, bool isDropped);
    // The clock of its machine goes on by so much; a timer that is due is one step, unless the process is paused.
    void advanceGated(const SimProcess& process, Time by);
    void describeGate(const SimProcess& process, pb::GateState& out);
    // Whether anything is under way to a process, or waits in the inbox of one that is not paused.
    bool isAnythingComing();

    // Failures. The process ends, and its memory with it: what waits for it is gone, and of what it has just sent some or
    // all may be lost, as if it had ended before.
    void kill(std::uint32_t process);
    // It does nothing for a time. What arrives waits, up to a bound.
    void pause(std::uint32_t process, Time time);
    void wake(std::uint32_t process);
    // Each of its steps takes `factor` times as long.
    void slowDown(std::uint32_t process, std::uint32_t factor, Time time);
    // Its wall clock is set; what the machine is told of time does not change.
    void setWallClock(std::uint32_t process, Time jump) { m_processes.at(process - 1)->m_wallOffset += jump; }
    // Another process starts where one has ended (or was moved away): a new number, the same address.
    pb::ProcessInfo successorOf(std::uint32_t process);
    SimProcess& startAgain(const pb::ProcessInfo& identity, std::unique_ptr<Machine> machine);
    // The process goes on, under another address; what is sent to its former one does not reach it.
    SimProcess& moveAway(std::uint32_t process);
    void part(SimNetwork::Parting parting) { m_network.part(std::move(parting)); }
    // The network is quiet from now on, nobody is slow, and who is paused wakes up.
    void heal();

    Time now() const { return m_now; }
    // What the process' own clock shows; its machine's stands while the gate is closed.
    Time clockOf(const SimProcess& process) const { return localTime(process, m_now); }
    Time protocolClockOf(const SimProcess& process) const;
    // A machine's check of itself failed, or a message did not survive the wire: the sentence. The run is over.
    const std::optional<std::string>& failure() const { return m_failure; }
    // SHA-256 over (time, process, event bytes) of all events so far, in hex.
    std::string hash() const;
    std::uint64_t steps() const { return m_steps; }
    std::uint64_t kills() const { return m_kills; }
    std::uint64_t eventCount() const { return m_eventCount; }
    std::uint64_t messagesDelivered() const { return m_messagesDelivered; }
    // Delivered to a machine, or held at its gate; what a gate held and lets through counts for both.
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
    std::map<std::uint64_t, OnReply> m_waiting;          // commands by ticket
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
