// SPDX-License-Identifier: GPL-3.0-or-later
// A simulated ring that is operated by commands, and all events of its processes, for tests of the watching side.
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "node/machine/ack_list.h"
#include "node/sim/engine/sim_control.h"
#include "node/walk/walk_machines.h"
#include "node/walk/walk_node.h"

#include <QTest>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace lhrs::test {

using namespace std::chrono_literals;

class RingSite : private SimObserver {
public:
    explicit RingSite(std::uint64_t seed = 1, std::uint32_t nodes = 5, std::uint32_t servers = 7)
        : cluster(options(seed)), m_faults(cluster), m_machines({ 16, servers, nodes, withDefaults({}) }),
          m_site(cluster, m_machines),
          m_control(cluster, m_clock,
              { seed, 4711, "tcp://events", "tcp://control", [](Time at) { return at.count(); } },
              [this](pb::CommandReply& reply) { m_replies[reply.ticket()] = reply; })
    {
        m_control.operate(m_site, m_faults);
        cluster.setObserver(this);
        m_site.begin();
        pb::Command rest;
        rest.mutable_await_rest()->set_timeout_ms(60'000);
        ask(rest);
        pb::Command start;
        start.mutable_start_processes()->set_kind(pb::CLIENT);
        start.mutable_start_processes()->add_names("alice");
        client = ask(start).processes().processes(0).process().node();
    }

    std::uint64_t give(pb::Command command, std::uint64_t process = 0)
    {
        command.set_ticket(++m_ticket);
        command.set_process(process);
        m_control.command(command, {});
        return m_ticket;
    }
    // Lets virtual time pass until the command is answered.
    pb::CommandReply ask(const pb::Command& command, std::uint64_t process = 0)
    {
        return await(give(command, process));
    }
    pb::CommandReply await(std::uint64_t ticket)
    {
        cluster.runUntil([&] { return m_control.look({}), m_replies.contains(ticket); }, 120s);
        return m_replies.contains(ticket) ? m_replies[ticket] : pb::CommandReply();
    }
    // The reply to a command that takes no virtual time.
    pb::CommandReply answerNow(const pb::Command& command, std::uint64_t process)
    {
        return m_replies[give(command, process)];
    }
    // False: the condition does not hold within two minutes.
    bool passUntil(const std::function<bool()>& holds)
    {
        return cluster.runUntil([&] { return m_control.look({}), holds(); }, 120s);
    }
    // Advances time by this much, up to the last thing that happens in it.
    void pass(Time time)
    {
        cluster.runUntil([&] { return m_control.look({}), false; }, time);
    }
    pb::OperationResult operate(pb::OperationKind kind, std::uint64_t key, const std::string& value = "value")
    {
        pb::Command command;
        command.mutable_operate()->set_kind(kind);
        command.mutable_operate()->set_key(key);
        command.mutable_operate()->set_value(value);
        return ask(command, client).operation();
    }
    pb::CommandReply join(std::uint64_t node = 0)
    {
        pb::Command command;
        command.mutable_walk()->mutable_join_ring()->set_node(node);
        return ask(command);
    }
    pb::CommandReply leave(std::uint64_t node)
    {
        pb::Command command;
        command.mutable_walk()->mutable_leave_ring()->set_node(node);
        return ask(command);
    }
    pb::RingDescription ring()
    {
        pb::Command command;
        command.mutable_walk()->mutable_describe_ring();
        return ask(command).walk().ring();
    }
    // The snapshot of each process, as it would answer a watcher that joins late.
    std::vector<pb::Snapshot> snapshots() const
    {
        std::vector<pb::Snapshot> all;
        for (const auto& process : cluster.processes())
            if (!process->isGone())
                all.push_back(cluster.snapshot(*process));
        return all;
    }

    using Told = std::pair<std::uint64_t, pb::Event>; // events by process, in the order in which they happened
    std::vector<Told> told;
    SimCluster cluster;
    std::uint64_t client = 0;

private:
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
    void onStep(const SimProcess& process, const SimInput&, Effects& effects, Time) override
    {
        for (const pb::Event* event : effects.events())
            told.emplace_back(process.info.node(), *event);
    }
    void onCopied(const pb::Message&) override { }

    SimFaults m_faults;
    WalkMachines m_machines;
    SimSite m_site;
    SimClock m_clock;
    std::map<std::uint64_t, pb::CommandReply> m_replies;
    SimControl m_control;
    std::uint64_t m_ticket = 0;
};

inline gui::ClusterState folded(const std::vector<RingSite::Told>& told)
{
    gui::ClusterState state;
    std::int64_t at = 0;
    for (const auto& [process, event] : told)
        state.apply(process, event, ++at);
    return state;
}

// Another order of the events that keeps the order within each process.
inline std::vector<RingSite::Told> interleaved(const std::vector<RingSite::Told>& told, std::uint32_t seed)
{
    std::map<std::uint64_t, std::vector<const pb::Event*>> open;
    for (const auto& [process, event] : told)
        open[process].push_back(&event);
    std::mt19937 random(seed);
    std::vector<RingSite::Told> mixed;
    std::map<std::uint64_t, std::size_t> next;
    while (mixed.size() < told.size()) {
        auto at = open.begin();
        std::advance(at, random() % open.size());
        const auto run = std::min<std::size_t>(at->second.size() - next[at->first], 1 + random() % 40);
        for (std::size_t i = 0; i < run; ++i)
            mixed.emplace_back(at->first, *at->second[next[at->first]++]);
    }
    return mixed;
}

} // namespace lhrs::test
