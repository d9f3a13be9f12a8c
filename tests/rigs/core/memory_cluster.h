// SPDX-License-Identifier: GPL-3.0-or-later
// Real machines that exchange messages in memory, in virtual time: for tests that need more than one machine but only
// the network faults that they ask for. (The simulator of node/sim has all faults.)
#pragma once

#include "node/lhrs/client/client.h"
#include "node/lhrs/coordinator/coordinator.h"
#include "tests/rigs/core/core_harness.h"

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
        Time jitter {}; // a random delay up to this is added: messages overtake each other
        std::uint32_t loss = 0; // per mille of datagrams
        std::uint32_t doubled = 0; // per mille of datagrams
        std::uint64_t seed = 1;
    };

    explicit MemoryCluster(Options options);
    MemoryCluster();

    // The process number is that of `info`. A node listens to its pool from the start.
    // `identity`: a process other than the earlier one with this number and address.
    Machine& add(const pb::ProcessInfo& info, std::unique_ptr<Machine> machine, NodeId identity = {});
    Machine& machine(std::uint64_t node) { return *m_processes.at(node)->machine; }
    // The process ends and loses its memory; messages on their way to it are lost.
    void kill(std::uint64_t node) { m_processes.erase(node); }

    // The process is paused for this long, as if stopped; messages that arrive meanwhile wait.
    void pause(std::uint64_t node, Time time) { m_processes.at(node)->standsUntil = m_now + time; }
    bool has(std::uint64_t node) const { return m_processes.contains(node); }

    // Sees every message before it arrives; false drops it.
    std::function<bool(const Packet&)> onPacket;
    // Sees every event as it happens.
    std::function<void(std::uint64_t node, const pb::Event&)> onEvent;
    // The one-way delay of messages that are sent from now on.
    void setDelay(Time delay) { m_options.delay = delay; }
    // No jitter, loss or duplicates from now on.
    void heal() { m_options.loss = m_options.doubled = 0; }

    Time now() const { return m_now; }
    std::uint64_t delivered() const { return m_delivered; }

    // Delivers the command; reply() has the reply later. Returns the ticket.
    std::uint64_t command(std::uint64_t node, pb::Command command);
    // Null: there is no reply yet.
    const pb::CommandReply* reply(std::uint64_t ticket) const;
    // Sends a message from a process of the test itself (which is no machine).
    void inject(std::uint64_t to, const pb::Message& message);

    // Runs until the condition holds (true) or the virtual time is over (false).
    bool runUntil(const std::function<bool()>& condition, Time limit);
    void run(Time time);
    // Carries out a command and waits for its reply; empty if there is none within the time.
    pb::CommandReply ask(std::uint64_t node, const pb::Command& what, Time limit = 60s);

private:
    struct Process {
        Process(const pb::ProcessInfo& i, NodeId identity) : info(i), stamper(identity, Address::from(i.address()))
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

    void post(Packet packet);
    void arrive();
    void wake(Process& process);
    void finish(Process& process);

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

    explicit FileRig(const Options& options);
    // `listensFirst`: it replaces a coordinator that has ended; it does not know even the file's parameters.
    // `isFileKnown`: the operator states at the start that there is a file.
    void startCoordinator(bool listensFirst, bool isFileKnown = false);
    void addSpare(std::uint64_t node, pb::Role pool);
    void addClient(std::uint64_t node);

    const Coordinator& coordinator() { return static_cast<const Coordinator&>(cluster.machine(kCoordinator)); }
    const Client& client(std::uint64_t node = kClient) { return static_cast<const Client&>(cluster.machine(node)); }
    const NodeMachine& node(std::uint64_t number) { return static_cast<const NodeMachine&>(cluster.machine(number)); }
    // Null if there is no such bucket.
    const DataBucket* data(std::uint32_t bucket);
    const ParityBucket* parity(std::uint32_t group, std::uint32_t column);

    bool waitForFile();
    bool waitForRest(Time limit = 120s);
    void kill(std::uint64_t node);
    // The process that holds the place.
    std::uint64_t holder(pb::Role role, std::uint32_t group, std::uint32_t index);
    pb::OperationResult operate(
        pb::OperationKind kind, std::uint64_t key, const std::string& value = {}, std::uint64_t node = kClient);
    pb::WorkloadResult runWorkload(const pb::RunWorkload& order, std::uint64_t node = kClient, Time limit = 600s);
    pb::WorkloadResult insertMany(
        std::uint64_t count, std::uint32_t length = 20, std::uint32_t window = 1, std::uint64_t node = kClient);
    pb::WorkloadResult verify(std::uint64_t node = kClient);

    MemoryCluster cluster;
    std::set<std::uint64_t> nodes;

private:
    std::uint64_t m_formerCoordinators = 0;
    const Options m_options;
};

} // namespace lhrs::test
