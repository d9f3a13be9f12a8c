// SPDX-License-Identifier: GPL-3.0-or-later
// Real machines that talk to each other in memory, in virtual time: for what needs more than one machine but no faults
// of the network beyond what a test asks for. (The simulator of node/sim is the thorough one.)
#pragma once

#include "node/core/client.h"
#include "node/core/coordinator.h"
#include "tests/core_harness.h"

#include <map>
#include <memory>
#include <queue>
#include <set>

namespace lhrs::test {

class MemoryCluster {
public:
    struct Packet {
        std::uint64_t from = 0;
        std::uint64_t to = 0;
        std::shared_ptr<const pb::Message> message;
        pb::Transport transport = pb::UDP;
    };
    struct Options {
        Time delay = 50us;
        Time jitter {};            // added, 0 to this: messages overtake each other
        std::uint32_t loss = 0;    // per mille of datagrams
        std::uint32_t doubled = 0; // per mille of datagrams
        std::uint64_t seed = 1;
    };

    explicit MemoryCluster(Options options)
        : m_options(options)
        , m_numbers(options.seed)
    {
    }
    MemoryCluster()
        : MemoryCluster(Options {})
    {
    }

    // The process number is that of `info`. A node listens to its pool from the start.
    // `identity`: another process than the one that had this number, and address, before.
    Machine& add(const pb::ProcessInfo& info, std::unique_ptr<Machine> machine, NodeId identity = {})
    {
        auto& process = m_processes[info.node()];
        process = std::make_unique<Process>(info, identity.value == 0 ? NodeId(info.node()) : identity);
        process->machine = std::move(machine);
        process->pool = info.spare_role();
        process->wakes = m_now;
        return *process->machine;
    }
    Machine& machine(std::uint64_t node) { return *m_processes.at(node)->machine; }
    // The process ends, and its memory with it; what is on its way to it is lost.
    void kill(std::uint64_t node) { m_processes.erase(node); }

    // The process stands still for this long, as if stopped; what comes meanwhile waits for it.
    void pause(std::uint64_t node, Time time) { m_processes.at(node)->standsUntil = m_now + time; }
    bool has(std::uint64_t node) const { return m_processes.contains(node); }

    // Sees every message before it arrives; false loses it.
    std::function<bool(const Packet&)> onPacket;
    // Sees every event as it happens.
    std::function<void(std::uint64_t node, const pb::Event&)> onEvent;
    // One way, for what is sent from now on.
    void setDelay(Time delay) { m_options.delay = delay; }
    // The network is quiet from now on.
    void heal() { m_options.loss = m_options.doubled = 0; }

    Time now() const { return m_now; }
    std::uint64_t delivered() const { return m_delivered; }

    // Gives the command; the reply comes to reply() later. Returns the ticket.
    std::uint64_t command(std::uint64_t node, pb::Command command)
    {
        command.set_ticket(++m_tickets);
        Process& process = *m_processes.at(node);
        m_effects.begin(nullptr);
        process.machine->onCommand(command, m_now, m_effects);
        finish(process);
        return command.ticket();
    }
    // Nothing yet: null.
    const pb::CommandReply* reply(std::uint64_t ticket) const
    {
        const auto found = m_replies.find(ticket);
        return found == m_replies.end() ? nullptr : &found->second;
    }
    // A message that a process of the test itself (which is no machine) sends.
    void inject(std::uint64_t to, const pb::Message& message)
    {
        post({ message.sender(), to, std::make_shared<const pb::Message>(message), pb::UDP });
    }

    // Runs until the condition holds (true), or the virtual time is over (false).
    bool runUntil(const std::function<bool()>& condition, Time limit)
    {
        const Time end = m_now + limit;
        while (!condition()) {
            Process* next = nullptr;
            for (auto& [node, process] : m_processes) {
                if (!next || process->wakes < next->wakes)
                    next = process.get();
            }
            const Time wakes = next ? next->wakes : Time::max();
            const Time arrives = m_queue.empty() ? Time::max() : m_queue.top().at;
            if (std::min(wakes, arrives) > end) {
                m_now = end;
                return condition();
            }
            if (arrives <= wakes)
                arrive();
            else
                wake(*next);
        }
        return true;
    }
    void run(Time time)
    {
        runUntil([] { return false; }, time);
    }
    // Carries out a command and waits for its reply; an empty reply if there is none within the time.
    pb::CommandReply ask(std::uint64_t node, const pb::Command& what, Time limit = 60s)
    {
        const std::uint64_t ticket = command(node, what);
        runUntil([&] { return reply(ticket) != nullptr; }, limit);
        return reply(ticket) ? *reply(ticket) : pb::CommandReply();
    }

private:
    struct Process {
        Process(const pb::ProcessInfo& i, NodeId identity)
            : info(i)
            , stamper(identity, Address::from(i.address()))
        {
            stamper.setDetail(pb::OPERATIONS, 1);
        }
        pb::ProcessInfo info;
        std::unique_ptr<Machine> machine;
        EventStamper stamper;
        pb::Role pool = pb::NO_ROLE;
        Time wakes {};
        Time standsUntil {};
    };
    struct Flight {
        Time at {};
        std::uint64_t number = 0;
        Packet packet;
        bool operator<(const Flight& other) const { return at != other.at ? at > other.at : number > other.number; }
    };

    void post(Packet packet)
    {
        const bool isDatagram = packet.transport != pb::STREAM;
        if (isDatagram && m_numbers.below(1000) < m_options.loss)
            return;
        const int copies = isDatagram && m_numbers.below(1000) < m_options.doubled ? 2 : 1;
        for (int copy = 0; copy < copies; ++copy) {
            const Time extra
                = m_options.jitter > 0ns ? Time(m_numbers.below(std::uint64_t(m_options.jitter.count()))) : 0ns;
            m_queue.push({ m_now + m_options.delay + extra, ++m_posted, packet });
        }
    }
    void arrive()
    {
        const Flight flight = m_queue.top();
        m_queue.pop();
        m_now = std::max(m_now, flight.at);
        const auto found = m_processes.find(flight.packet.to);
        if (found != m_processes.end() && m_now < found->second->standsUntil) {
            m_queue.push({ found->second->standsUntil, flight.number, flight.packet });
            return;
        }
        if ((onPacket && !onPacket(flight.packet)) || found == m_processes.end())
            return;
        ++m_delivered;
        m_effects.begin(flight.packet.message.get());
        found->second->machine->onMessage(*flight.packet.message, m_now, m_effects);
        finish(*found->second);
    }
    void wake(Process& process)
    {
        m_now = std::max(m_now, process.wakes);
        if (m_now < process.standsUntil) {
            process.wakes = process.standsUntil;
            return;
        }
        m_effects.begin(nullptr);
        process.machine->onTime(m_now, m_effects);
        finish(process);
        // A machine whose deadline is not after now would be asked for ever.
        process.wakes = std::max(process.wakes, m_now + 1us);
    }
    void finish(Process& process)
    {
        process.stamper.stamp(m_effects, m_now, 0, 0ns);
        if (m_effects.poolToLeave() == process.pool)
            process.pool = pb::NO_ROLE;
        if (m_effects.poolToJoin() != pb::NO_ROLE)
            process.pool = m_effects.poolToJoin();
        std::vector<pb::Event> events;
        for (const pb::Event* event : m_effects.events())
            events.push_back(*event);
        for (const pb::CommandReply* answer : m_effects.replies())
            m_replies[answer->ticket()] = *answer;
        for (const Effects::Send& send : m_effects.sends())
            post({ process.info.node(), send.to.ip, std::make_shared<const pb::Message>(*send.message),
                send.way != Way::Auto ? pb::STREAM : pb::UDP });
        for (const Effects::Multicast& multicast : m_effects.multicasts()) {
            for (const auto& [node, other] : m_processes) {
                if (other->pool == multicast.pool)
                    post({ process.info.node(), node, std::make_shared<const pb::Message>(*multicast.message),
                        pb::MULTICAST });
            }
        }
        m_effects.clear();
        process.wakes = process.machine->deadline();
        if (onEvent) {
            for (const pb::Event& event : events)
                onEvent(process.info.node(), event);
        }
    }

    Options m_options;
    SeededNumbers m_numbers;
    std::map<std::uint64_t, std::unique_ptr<Process>> m_processes;
    std::priority_queue<Flight> m_queue;
    std::map<std::uint64_t, pb::CommandReply> m_replies;
    Effects m_effects;
    Time m_now {};
    std::uint64_t m_posted = 0;
    std::uint64_t m_tickets = 0;
    std::uint64_t m_delivered = 0;
};

// A file in memory: a coordinator (process 1), spares (from 10 on; parity from 500 on), one client (1000).
class FileRig {
public:
    struct Options {
        pb::FileConfig config = fileConfig();
        std::uint32_t dataSpares = 8;
        std::uint32_t paritySpares = 8;
        std::uint32_t clients = 1;
        MemoryCluster::Options network = {};
        pb::Timers timers = {};
        Recruiting recruiting = Recruiting::Auto;
    };
    static constexpr std::uint64_t kCoordinator = 1, kData = 10, kParity = 500, kClient = 1000;

    explicit FileRig(const Options& options)
        : cluster(options.network)
        , m_options(options)
    {
        startCoordinator(false);
        for (std::uint32_t s = 0; s < options.dataSpares; ++s)
            addSpare(kData + s, pb::DATA);
        for (std::uint32_t s = 0; s < options.paritySpares; ++s)
            addSpare(kParity + s, pb::PARITY);
        for (std::uint32_t c = 0; c < options.clients; ++c)
            addClient(kClient + c);
    }
    // `listensFirst`: after another one that has ended; it knows nothing, not even the file's parameters.
    void startCoordinator(bool listensFirst)
    {
        const pb::ProcessInfo self = process(kCoordinator, pb::COORDINATOR);
        const pb::FileConfig config = listensFirst ? fileConfig() : m_options.config;
        cluster.add(self,
            std::make_unique<Coordinator>(
                CoordinatorOptions { self, config, m_options.timers, m_options.recruiting, 1, listensFirst }),
            NodeId(kCoordinator + 1'000'000 * m_formerCoordinators++));
    }
    void addSpare(std::uint64_t node, pb::Role pool)
    {
        const pb::ProcessInfo info = process(node, pb::NODE, pool);
        cluster.add(
            info, std::make_unique<NodeMachine>(NodeOptions { info, addressOfProcess(kCoordinator), pool, node }));
        nodes.insert(node);
    }
    void addClient(std::uint64_t node)
    {
        const pb::ProcessInfo info = process(node, pb::CLIENT);
        cluster.add(info, std::make_unique<Client>(ClientOptions { info, addressOfProcess(kCoordinator), node }));
    }

    const Coordinator& coordinator() { return static_cast<const Coordinator&>(cluster.machine(kCoordinator)); }
    const Client& client(std::uint64_t node = kClient) { return static_cast<const Client&>(cluster.machine(node)); }
    const NodeMachine& node(std::uint64_t number) { return static_cast<const NodeMachine&>(cluster.machine(number)); }
    // Null where there is no such bucket.
    const DataBucket* data(std::uint32_t bucket)
    {
        for (const std::uint64_t number : nodes) {
            const DataBucket* found = node(number).dataBucket();
            if (found && found->number().value == bucket && coordinator().file().isHolder(found->incarnation()))
                return found;
        }
        return nullptr;
    }
    const ParityBucket* parity(std::uint32_t group, std::uint32_t column)
    {
        for (const std::uint64_t number : nodes) {
            const ParityBucket* found = node(number).parityBucket();
            if (found && found->group().value == group && found->column().value == column
                && coordinator().file().isHolder(found->incarnation()))
                return found;
        }
        return nullptr;
    }

    bool waitForFile()
    {
        return cluster.runUntil([&] { return coordinator().file().exists() && client().isRegistered(); }, 30s);
    }
    bool waitForRest(Time limit = 120s)
    {
        return cluster.runUntil([&] { return coordinator().isAtRest(); }, limit);
    }
    void kill(std::uint64_t node)
    {
        cluster.kill(node);
        nodes.erase(node);
    }
    // The process that holds the place.
    std::uint64_t holder(pb::Role role, std::uint32_t group, std::uint32_t index)
    {
        const FileState::Group& g = coordinator().file().groups().at(GroupNumber(group));
        return (role == pb::DATA ? g.data.at(Position(index)) : g.parity.at(ParityColumn(index))).holder.node.value;
    }
    pb::OperationResult operate(
        pb::OperationKind kind, std::uint64_t key, const std::string& value = {}, std::uint64_t node = kClient)
    {
        pb::Command command;
        command.mutable_operate()->set_kind(kind);
        command.mutable_operate()->set_key(key);
        command.mutable_operate()->set_value(value);
        return cluster.ask(node, command).operation();
    }
    pb::WorkloadResult runWorkload(const pb::RunWorkload& order, std::uint64_t node = kClient, Time limit = 600s)
    {
        pb::Command command;
        *command.mutable_run_workload() = order;
        return cluster.ask(node, command, limit).workload();
    }
    pb::WorkloadResult insertMany(
        std::uint64_t count, std::uint32_t length = 20, std::uint32_t window = 1, std::uint64_t node = kClient)
    {
        pb::RunWorkload order;
        order.set_kind(pb::INSERT);
        order.set_count(count);
        order.set_length(length);
        order.set_window(window);
        return runWorkload(order, node);
    }
    pb::WorkloadResult verify(std::uint64_t node = kClient)
    {
        pb::Command command;
        command.mutable_verify()->set_window(8);
        return cluster.ask(node, command, 600s).workload();
    }

    MemoryCluster cluster;
    std::set<std::uint64_t> nodes;

private:
    std::uint64_t m_formerCoordinators = 0;
    const Options m_options;
};

} // namespace lhrs::test
