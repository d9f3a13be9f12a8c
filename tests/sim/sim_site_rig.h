// SPDX-License-Identifier: GPL-3.0-or-later
// A simulated cluster that is operated by commands, without a socket. It has the same objects as lhrs-sim, but real
// time is an argument.
#pragma once

#include "node/lhrs/server/file_machines.h"
#include "node/machine/ack_list.h"
#include "node/sim/engine/sim_control.h"

#include <QTest>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace lhrs::test {

using namespace std::chrono_literals;

struct Site : SimObserver {
    explicit Site(std::uint64_t seed = 1, std::uint32_t b = 10, pb::RecoveryWay recovery = pb::RECOVERY_AUTOMATIC)
        : cluster(options(seed)), faults(cluster),
          machines({ config(b, recovery), withDefaults({}), Recruiting::Auto, 6, 4 }), site(cluster, machines),
          control(cluster, clock, { seed, 4711, "tcp://events", "tcp://control", [](Time at) { return at.count(); } },
              [this](pb::CommandReply& reply) { replies[reply.ticket()] = reply; })
    {
        control.operate(site, faults);
        cluster.setObserver(this);
        site.begin();
    }

    static SimCluster::Options options(std::uint64_t seed)
    {
        SimCluster::Options options;
        options.network.set_delay_us(100);
        options.network.set_jitter_us(50);
        options.seed = seed;
        options.clockOffsetMax = {};
        options.withMessages = true;
        return options;
    }
    static pb::FileConfig config(std::uint32_t b, pb::RecoveryWay recovery)
    {
        pb::FileConfig config;
        config.set_m(2);
        config.set_availability(1);
        config.set_b(b);
        config.set_recovery(recovery);
        return config;
    }

    void onStep(const SimProcess& process, const SimInput&, Effects& effects, Time) override
    {
        for (const pb::Event* event : effects.events()) {
            events.push_back(*event);
            stream += process.info.name() + ' ' + event->SerializeAsString();
        }
    }
    void onCopied(const pb::Message&) override { ++copies; }

    std::uint64_t give(pb::Command command, std::uint64_t process = 0)
    {
        command.set_ticket(++ticket);
        command.set_process(process);
        control.command(command, real);
        return ticket;
    }
    // Lets virtual time pass until the command is answered.
    pb::CommandReply ask(const pb::Command& command, std::uint64_t process = 0)
    {
        const std::uint64_t mine = give(command, process);
        cluster.runUntil([&] { return control.look(real), replies.contains(mine); }, 120s);
        return replies.contains(mine) ? replies[mine] : pb::CommandReply();
    }
    // As lhrs-sim does: everything that may happen up to this real time.
    void runTo(Time until)
    {
        real = until;
        for (control.look(real); cluster.nextAt() && clock.mayHappen(*cluster.nextAt(), real) && !control.isOver();
             control.look(real))
            cluster.happenNext();
    }
    pb::SimulationState step(pb::StepClock until)
    {
        pb::Command command;
        *command.mutable_step_clock() = std::move(until);
        const std::uint64_t mine = give(command);
        runTo(real);
        return replies[mine].simulation();
    }
    pb::SimulationState stepNs(Time time)
    {
        pb::StepClock until;
        until.set_ns(std::uint64_t(time.count()));
        return step(until);
    }

    std::vector<std::uint64_t> started(pb::ProcessKind kind, pb::Role pool, const std::vector<std::string>& names)
    {
        pb::Command command;
        command.mutable_start_processes()->set_kind(kind);
        command.mutable_start_processes()->set_pool(pool);
        for (const std::string& name : names)
            command.mutable_start_processes()->add_names(name);
        return nodesOf(replies[give(command)]);
    }
    static std::vector<std::uint64_t> nodesOf(const pb::CommandReply& reply)
    {
        std::vector<std::uint64_t> nodes;
        for (const auto& entry : reply.processes().processes())
            nodes.push_back(entry.process().node());
        return nodes;
    }
    pb::OperationResult operate(std::uint64_t client, pb::OperationKind kind, std::uint64_t key)
    {
        pb::Command command;
        command.mutable_operate()->set_kind(kind);
        command.mutable_operate()->set_key(key);
        command.mutable_operate()->set_value("value of " + std::to_string(key));
        return ask(command, client).operation();
    }
    std::uint64_t place(pb::Role role, std::uint32_t number)
    {
        pb::Command command;
        command.mutable_list_processes();
        const pb::CommandReply list = replies[give(command)];
        for (const auto& entry : list.processes().processes())
            if (entry.place().role() == role && entry.place().number() == number
                && !cluster.numbered(NodeId(entry.process().node()))->isGone()) // the dead stay in the list for a while
                return entry.process().node();
        return 0;
    }
    pb::FileDescription file()
    {
        pb::Command command;
        command.mutable_describe_file();
        return replies[give(command)].file();
    }
    void awaitRest()
    {
        pb::Command command;
        command.mutable_await_rest()->set_timeout_ms(60'000);
        QCOMPARE(ask(command).refusal(), pb::NOT_REFUSED);
    }
    pb::CommandReply arm(std::uint64_t process, const pb::Fault& fault)
    {
        pb::Command command;
        *command.mutable_arm_fault()->mutable_fault() = fault;
        return replies[give(command, process)];
    }
    std::size_t count(pb::Event::BodyCase kind) const
    {
        return std::size_t(std::count_if(
            events.begin(), events.end(), [kind](const pb::Event& event) { return event.body_case() == kind; }));
    }

    SimCluster cluster;
    SimFaults faults;
    FileMachines machines;
    SimSite site;
    SimClock clock;
    std::map<std::uint64_t, pb::CommandReply> replies;
    SimControl control;
    std::vector<pb::Event> events;
    std::string stream;
    std::uint64_t copies = 0;
    std::uint64_t ticket = 0;
    Time real {};
};

} // namespace lhrs::test
