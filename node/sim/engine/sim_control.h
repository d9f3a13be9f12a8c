// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/sim/engine/sim_clock.h"
#include "node/sim/engine/sim_cluster.h"
#include "node/sim/engine/sim_faults.h"
#include "node/sim/engine/sim_site.h"
#include "proto/control.pb.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lhrs {

// Carries out the commands of control.proto on a simulated cluster, each for the process that it names. A query is
// answered outside virtual time, so that watching does not change a run. A command that changes something takes effect
// at the present virtual time. It has no socket or thread: the caller passes in commands and takes the replies.
class SimControl {
public:
    using OnReply = std::function<void(pb::CommandReply& reply)>;

    // What the program reports about itself and all its processes.
    struct Self {
        std::uint64_t seed = 0;
        std::uint32_t pid = 0;
        std::string eventsEndpoint;
        std::string controlEndpoint;
        std::function<std::int64_t(Time at)> wallAt; // ns since 1970 shown to watchers for a virtual time
    };

    SimControl(SimCluster& cluster, SimClock& clock, Self self, OnReply onReply);

    // operate: the cluster is operated from outside. watch: it is only watched, and `plays` describes its run.
    void operate(SimSite& site, SimFaults& faults);
    void watch(const std::string& plays) { m_plays = plays; }

    // `real` is the time that drives the clock, as in the functions below.
    void command(const pb::Command& command, Time real);
    // Call it before and after virtual time advances: completes steps that have reached their goal, and handles
    // processes that have ended.
    void look(Time real);
    // The run is over; `violation` is empty if every check passed.
    void finish(const std::string& violation);

    // A Shutdown command that names no process arrived.
    bool isEnding() const { return m_isEnding; }
    // Nothing will happen any more.
    bool isOver() const { return m_isOver || m_cluster.failure(); }
    Time virtualNow(Time real) const;
    pb::SimulationState state(Time real) const;
    // Fills in the endpoints for commands to a process of this cluster, and for events from it.
    void introduce(pb::ProcessInfo& info) const;

private:
    struct Open {
        std::uint64_t node = 0;
        std::string name;
    };

    bool commandClock(const pb::Command& command, Time real);
    void commandProcess(const SimProcess& process, const pb::Command& command, Time real);
    bool question(const SimProcess& process, const pb::Command& command);
    void sample(const SimProcess& process, pb::NodeSample& out) const;
    void endHolds(Time real);
    // The gate (sim_control_gate.cpp).
    bool commandGate(const SimProcess& process, const pb::Command& command, Time real);
    bool setGate(const pb::SetGate& order, Time real);
    void releaseHeld(const SimProcess& process, const pb::ReleaseHeld& order, pb::CommandReply& reply);
    void describeGate(const SimProcess& process, pb::GateState& out, Time real) const;
    void endGate(Time real);
    void openGates(const std::string& reason, Time real);
    bool isAtGoal() const;
    void startProcesses(const pb::Command& command, Time real);
    const SimProcess* processOf(const pb::Command& command) const;
    void letTimePass(Time real);
    void endAwaited(Time real);
    void refuse(std::uint64_t ticket, pb::Refusal refusal, const std::string& text);
    void reply(std::uint64_t ticket, pb::CommandReply reply);

    SimCluster& m_cluster;
    SimClock& m_clock;
    const Self m_self;
    const OnReply m_onReply;
    SimSite* m_site = nullptr;
    SimFaults* m_faults = nullptr;
    std::string m_plays;
    std::string m_violation;
    bool m_isOver = false;
    bool m_isEnding = false;
    std::map<std::uint64_t, Open> m_open; // commands given to machines, by ticket
    std::vector<std::pair<std::uint64_t, pb::Command>> m_deferred; // for paused processes, by process number
    // Clients whose workload is held: the real time at which the hold ends unless it is renewed.
    std::map<std::uint64_t, Time> m_holds;
    std::optional<Time> m_gateEnds; // the same for the gates
    // By ticket: commands for whose answer virtual time waits, and the latest time until which it waits.
    std::map<std::uint64_t, Time> m_awaited;
    std::vector<std::uint64_t> m_steppers; // tickets
    std::uint64_t m_kills = 0; // kills already handled
};

} // namespace lhrs
