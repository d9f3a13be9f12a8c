// SPDX-License-Identifier: GPL-3.0-or-later
// A whole ring in memory: a master (process 1), nodes (from 10 on), clients (from 1000 on). After each step it checks
// that no two nodes answer for the same id.
#pragma once

#include "node/walk/walk_client.h"
#include "node/walk/walk_master.h"
#include "node/walk/walk_node.h"
#include "tests/rigs/core/memory_cluster.h"

#include <map>
#include <set>
#include <string>

namespace lhrs::test {

using Walk = pb::WalkMessage;
using Told = pb::WalkEvent::BodyCase;

class WalkRig {
public:
    struct Options {
        std::uint32_t nodes = 4;
        std::uint32_t joined = 4; // number of these that joined by themselves
        std::uint32_t clients = 1;
        unsigned bits = 32;
        MemoryCluster::Options network = {};
        pb::Timers timers = {};
    };
    static constexpr std::uint64_t kMaster = 1, kNode = 10, kClient = 1000;

    explicit WalkRig(const Options& options) : cluster(options.network)
    {
        const pb::ProcessInfo self = process(kMaster, pb::COORDINATOR);
        cluster.add(self,
            std::make_unique<WalkMaster>(WalkMasterOptions { self, options.bits, options.joined, options.timers }));
        for (std::uint32_t n = 0; n < options.nodes; ++n)
            addNode(kNode + n);
        for (std::uint32_t c = 0; c < options.clients; ++c)
            addClient(kClient + c);
    }
    // A ring of this many nodes, all at rest.
    static Options of(std::uint32_t joined, std::uint32_t spares = 0, std::uint32_t clients = 1)
    {
        return { .nodes = joined + spares, .joined = joined, .clients = clients };
    }

    void addNode(std::uint64_t number, NodeId identity = {})
    {
        pb::ProcessInfo info = process(number, pb::NODE);
        const std::uint64_t address = info.node();
        if (identity.value != 0)
            info.set_node(identity.value);
        auto machine = std::make_unique<WalkNode>(WalkNodeOptions { info, addressOfProcess(kMaster) });
        info.set_node(address);
        cluster.add(info, std::move(machine), identity);
        nodes.insert(number);
    }
    void addClient(std::uint64_t number)
    {
        const pb::ProcessInfo info = process(number, pb::CLIENT);
        cluster.add(info, std::make_unique<WalkClient>(WalkClientOptions { info, addressOfProcess(kMaster), number }));
        clients.insert(number);
    }
    void kill(std::uint64_t number)
    {
        cluster.kill(number);
        nodes.erase(number);
    }

    const WalkMaster& master() { return static_cast<const WalkMaster&>(cluster.machine(kMaster)); }
    const WalkNode& node(std::uint64_t number) { return static_cast<const WalkNode&>(cluster.machine(number)); }
    const WalkClient& client(std::uint64_t number = kClient)
    {
        return static_cast<const WalkClient&>(cluster.machine(number));
    }

    // Empty, or the error: two nodes answer for the same id.
    std::string overlap()
    {
        for (const std::uint64_t a : nodes)
            for (const std::uint64_t b : nodes)
                if (a != b && node(b).state() != pb::WALK_SPARE && node(a).answersFor(node(b).id())
                    && node(b).answersFor(node(b).id()))
                    return std::to_string(a) + " and " + std::to_string(b) + " answer for the id of "
                        + std::to_string(b);
        return {};
    }
    // Empty, or how the ring at rest differs from the master's: ranges, successors, keys outside their range.
    std::string differenceAtRest()
    {
        const auto& ring = master().ring();
        std::size_t members = 0;
        for (const std::uint64_t number : nodes) {
            const WalkNode& shown = node(number);
            const std::string who = "node " + std::to_string(number);
            if (shown.held() > 0 || shown.openChange() != 0)
                return who + " still takes part in a change";
            const auto place = ring.find(shown.id());
            const bool isIn = place != ring.end() && place->second.node() == number;
            if (isIn != (shown.state() == pb::WALK_IN))
                return who + (isIn ? " does not know that it is in the ring" : " believes that it is in the ring");
            if (!isIn) {
                if (shown.store().size() > 0)
                    return who + " has keys and is not in the ring";
                continue;
            }
            ++members;
            const auto next = std::next(place) == ring.end() ? ring.begin() : std::next(place);
            const auto before = place == ring.begin() ? std::prev(ring.end()) : std::prev(place);
            if (shown.successor().node() != next->second.node() || shown.from() != before->first)
                return who + " has the wrong neighbours";
            for (const auto& [key, value] : shown.store().entries())
                if (!shown.answersFor(key.id))
                    return who + " has a key of another node";
        }
        return members == ring.size() ? std::string() : "a node of the ring is missing";
    }

    bool runUntil(const std::function<bool()>& condition, Time limit = 60s)
    {
        return cluster.runUntil(
            [&] {
                if (violation.empty())
                    violation = overlap();
                return condition();
            },
            limit);
    }
    void run(Time time)
    {
        runUntil([] { return false; }, time);
    }
    bool isQuiet()
    {
        return master().isAtRest()
            && std::all_of(nodes.begin(), nodes.end(), [&](std::uint64_t n) { return node(n).openChange() == 0; })
            && std::all_of(clients.begin(), clients.end(),
                [&](std::uint64_t c) { return client(c).entries().size() == master().ring().size(); });
    }
    bool waitForRest(Time limit = 120s)
    {
        return runUntil([&] { return isQuiet(); }, limit);
    }
    const pb::CommandReply& await(std::uint64_t ticket, Time limit = 600s)
    {
        static const pb::CommandReply kNone;
        runUntil([&] { return cluster.reply(ticket) != nullptr; }, limit);
        return cluster.reply(ticket) ? *cluster.reply(ticket) : kNone;
    }

    std::uint64_t order(bool isLeave, std::uint64_t number)
    {
        pb::Command command;
        if (isLeave)
            command.mutable_walk()->mutable_leave_ring()->set_node(number);
        else
            command.mutable_walk()->mutable_join_ring()->set_node(number);
        return cluster.command(kMaster, command);
    }
    std::uint64_t orderJoin(std::uint64_t number) { return order(false, number); }
    std::uint64_t orderLeave(std::uint64_t number) { return order(true, number); }
    pb::CommandReply join(std::uint64_t number) { return await(orderJoin(number)); }
    pb::CommandReply leave(std::uint64_t number) { return await(orderLeave(number)); }

    std::uint64_t begin(
        pb::OperationKind kind, std::uint64_t key, const std::string& value = {}, std::uint64_t client = kClient)
    {
        pb::Command command;
        command.mutable_operate()->set_kind(kind);
        command.mutable_operate()->set_key(key);
        command.mutable_operate()->set_value(value);
        return cluster.command(client, command);
    }
    pb::OperationResult operate(
        pb::OperationKind kind, std::uint64_t key, const std::string& value = {}, std::uint64_t client = kClient)
    {
        return await(begin(kind, key, value, client)).operation();
    }
    pb::LookUpResult lookUp(std::uint64_t key, std::uint64_t via, std::uint64_t client = kClient)
    {
        pb::Command command;
        command.mutable_walk()->mutable_look_up()->set_key(key);
        command.mutable_walk()->mutable_look_up()->set_via(via);
        return await(cluster.command(client, command)).walk().looked_up();
    }
    std::uint64_t beginWorkload(const pb::RunWorkload& order, std::uint64_t client = kClient)
    {
        pb::Command command;
        *command.mutable_run_workload() = order;
        return cluster.command(client, command);
    }
    pb::WorkloadResult insertMany(std::uint64_t count, std::uint32_t length = 20, std::uint64_t client = kClient)
    {
        pb::RunWorkload order;
        order.set_kind(pb::INSERT);
        order.set_count(count);
        order.set_length(length);
        order.set_window(8);
        return await(beginWorkload(order, client)).workload();
    }
    pb::WorkloadResult verify(std::uint64_t client = kClient)
    {
        pb::Command command;
        command.mutable_verify()->set_window(8);
        return await(cluster.command(client, command)).workload();
    }
    // The node that holds the keys of this id now.
    std::uint64_t ownerOf(RingId id)
    {
        for (const std::uint64_t number : nodes)
            if (node(number).answersFor(id))
                return number;
        return 0;
    }

    MemoryCluster cluster;
    std::set<std::uint64_t> nodes, clients;
    std::string violation;
};

// The events of the walk that a rig has published, by kind.
struct Events {
    explicit Events(WalkRig& rig)
    {
        rig.cluster.onEvent = [this](std::uint64_t, const pb::Event& event) {
            if (event.has_walk())
                ++counts[event.walk().body_case()];
        };
    }
    int operator[](Told told) const { return counts.contains(told) ? counts.at(told) : 0; }
    std::map<Told, int> counts;
};

// A key whose id is in the range that a join of `joins` would take from the ring.
inline std::uint64_t keyThatMovesTo(WalkRig& rig, std::uint64_t joins)
{
    const IdRing ids = rig.master().ids();
    const RingId to = ids.idOf("0.0.0." + std::to_string(joins) + ":0");
    const auto& ring = rig.master().ring();
    const auto after = ring.lower_bound(to);
    const RingId from = after == ring.begin() ? ring.rbegin()->first : std::prev(after)->first;
    for (std::uint64_t key = 5'000'000;; ++key)
        if (ids.inRight(ids.idOf(Key(key)), from, to))
            return key;
}

inline bool isBody(const MemoryCluster::Packet& packet, Walk::BodyCase body)
{
    return packet.message->walk().body_case() == body;
}

} // namespace lhrs::test

// The ring comes to rest as the master knows it, and no two nodes have ever answered for the same id.
#define QUIET(rig)                                                                                                     \
    QVERIFY2(                                                                                                          \
        (rig).waitForRest(), qPrintable(QString::fromStdString((rig).master().underWay() + (rig).master().broken()))); \
    QCOMPARE(QString::fromStdString((rig).differenceAtRest()), QString());                                             \
    QCOMPARE(QString::fromStdString((rig).violation), QString())

// Everything that the client has stored can be read.
#define READS_BACK(rig)                                                                                                \
    do {                                                                                                               \
        const pb::WorkloadResult found = (rig).verify();                                                               \
        QVERIFY(found.operations() > 0);                                                                               \
        QCOMPARE(found.wrong() + found.missing() + found.unanswered(), std::uint64_t(0));                              \
    } while (false)
