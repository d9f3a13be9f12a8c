// SPDX-License-Identifier: GPL-3.0-or-later
// Faults of processes and of their network.
#include "tests/thrash/nemesis.h"

#include <algorithm>
#include <array>

namespace lhrs::thrash {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

const char* const kCrashEvents[] = { "split_prepared", "split_applied", "batch_applied", "records_moved",
    "slice_stored", "slice_recovered", "epoch_changed", "state_changed", "node_recruited", "contents_arrived" };

} // namespace

bool Nemesis::killNode()
{
    Process* node = anyNode();
    if (node == nullptr || !mayHurt({ node->info.node() }))
        return false;
    m_tell("kill " + node->name);
    m_fleet.kill(*node);
    hurtFor(*node, 0ms);
    return true;
}

// As many members of one group as it survives, at once.
bool Nemesis::killMany()
{
    const auto known = file();
    if (!known || known->groups().empty())
        return false;
    const auto& group = known->groups(int(m_draws.below(std::uint64_t(known->groups_size()))));
    std::vector<Process*> holders;
    for (const pb::Member& member : group.view().members())
        if (Process* holder = m_fleet.find(member.holder().node()))
            holders.push_back(holder);
    std::set<std::uint64_t> victims;
    while (victims.size() < group.k() && !holders.empty()) {
        const std::size_t drawn = m_draws.below(holders.size());
        victims.insert(holders[drawn]->info.node());
        holders.erase(holders.begin() + std::ptrdiff_t(drawn));
    }
    if (victims.size() < group.k() || !mayHurt(victims))
        return false;
    std::string names;
    for (const std::uint64_t node : victims) {
        Process* victim = m_fleet.find(node);
        names += " " + victim->name;
        m_fleet.kill(*victim);
        hurtFor(*victim, 0ms);
    }
    m_tell("kill k of group " + std::to_string(group.number()) + ":" + names);
    return true;
}

bool Nemesis::killClient()
{
    const auto clients = m_fleet.living(Kind::Client);
    if (clients.size() < m_shape.clients || isTooSoon("kill a client", 3s))
        return false;
    Process& client = *clients[m_draws.below(clients.size())];
    m_tell("kill " + client.name);
    m_fleet.kill(client);
    m_haveClientsChanged = true;
    return true;
}

void Nemesis::sleepFor(Process& process, milliseconds from, milliseconds time)
{
    const std::uint64_t node = process.info.node();
    m_agenda.emplace(Clock::now() + from, [this, node] {
        if (Process* found = m_fleet.find(node))
            m_fleet.pause(*found);
    });
    m_agenda.emplace(Clock::now() + from + time, [this, node] {
        if (Process* found = m_fleet.find(node))
            m_fleet.resume(*found);
    });
    hurtFor(process, from + time);
}

// Below the suspicion time, between it and the lease, above the lease.
bool Nemesis::pauseNode()
{
    Process* node = anyNode();
    if (node == nullptr || !mayHurt({ node->info.node() }))
        return false;
    const double scale = m_shape.timeScale;
    const std::array<milliseconds, 3> times { drawTime(20, int(150 * scale)),
        drawTime(int(150 * scale), int(400 * scale)), drawTime(int(400 * scale), int(1'500 * scale)) };
    const milliseconds time = m_draws.oneOf(times);
    m_tell("pause " + node->name + " for " + std::to_string(time.count()) + " ms");
    sleepFor(*node, 0ms, time);
    return true;
}

bool Nemesis::pauseCoordinator()
{
    Process* coordinator = m_fleet.coordinator();
    if (coordinator == nullptr || coordinator->isPaused || isTooSoon("pause the coordinator", 4s))
        return false;
    const milliseconds time = drawTime(100, 2'000);
    m_tell("pause coordinator for " + std::to_string(time.count()) + " ms");
    sleepFor(*coordinator, 0ms, time);
    return true;
}

void Nemesis::arm(const std::vector<Process*>& at, pb::Fault fault, milliseconds lease)
{
    fault.set_number(++m_faults);
    fault.set_lease_ms(std::uint32_t(lease.count()));
    fault.set_seed(m_draws.next());
    for (const Process* process : at) {
        pb::Command command;
        *command.mutable_arm_fault()->mutable_fault() = fault;
        // A paused process receives it later.
        m_fleet.control().call(process->info.node(), command, 2s, [](const gui::Answer&) {});
    }
}

// A little of everything, everywhere: no process may be declared failed for that.
bool Nemesis::disturbAll()
{
    if (isTooSoon("disturb all", 4s))
        return false;
    std::vector<Process*> all;
    for (const auto& process : m_fleet.all())
        if (!process->hasEnded)
            all.push_back(process.get());
    pb::Fault fault;
    pb::NetworkFault& network = *fault.mutable_network();
    network.set_way(pb::OUTGOING);
    const auto share = [this](std::uint64_t perMille) {
        return m_draws.chance(500) ? double(m_draws.below(perMille)) / 1000 : 0.0;
    };
    network.set_drop(share(50));
    network.set_duplicate(share(500));
    network.set_reorder(share(300));
    network.set_corrupt(share(20));
    network.set_cut(share(200));
    network.set_delay_ms(m_draws.chance(500) ? std::uint32_t(m_draws.below(6)) : 0);
    network.set_jitter_ms(m_draws.chance(500) ? std::uint32_t(m_draws.below(12)) : 0);
    const milliseconds lease = drawTime(500, 4'000);
    m_tell("disturb all for " + std::to_string(lease.count()) + " ms: " + network.ShortDebugString());
    arm(all, fault, lease);
    return true;
}

// One process behind a bad network link.
bool Nemesis::disturbOne()
{
    Process* node = anyNode();
    if (node == nullptr || !mayHurt({ node->info.node() }))
        return false;
    pb::Fault fault;
    pb::NetworkFault& network = *fault.mutable_network();
    network.set_way(m_draws.chance(500) ? pb::BOTH_WAYS : m_draws.chance(500) ? pb::OUTGOING : pb::INCOMING);
    switch (m_draws.below(4)) {
    case 0: network.set_drop(0.05 + double(m_draws.below(250)) / 1000); break;
    case 1:
        network.set_delay_ms(std::uint32_t(m_draws.below(150)));
        network.set_jitter_ms(std::uint32_t(m_draws.below(50)));
        break;
    case 2: network.set_bytes_per_second(10'000 + m_draws.below(200'000)); break;
    default:
        network.set_corrupt(double(m_draws.below(300)) / 1000);
        network.set_cut(0.5);
        network.set_duplicate(0.5);
        break;
    }
    const milliseconds lease = drawTime(300, 3'000);
    m_tell("disturb " + node->name + " for " + std::to_string(lease.count()) + " ms: " + network.ShortDebugString());
    arm({ node }, fault, lease);
    hurtFor(*node, lease);
    return true;
}

void Nemesis::addPeer(const Process& process, pb::PartitionFault& partition) const
{
    pb::FaultPeer& peer = *partition.add_peers();
    peer.set_node(process.info.node());
    *peer.mutable_address() = process.info.address();
}

// One process is cut off: from all others, from the coordinator, or from another node; one way or both ways.
bool Nemesis::partOne()
{
    Process* node = anyNode();
    Process* coordinator = m_fleet.coordinator();
    Process* other = anyNode();
    if (node == nullptr || coordinator == nullptr || other == node || other == nullptr)
        return false;
    pb::Fault fault;
    pb::PartitionFault& partition = *fault.mutable_partition();
    partition.set_way(m_draws.chance(500) ? pb::BOTH_WAYS : m_draws.chance(500) ? pb::OUTGOING : pb::INCOMING);
    const milliseconds lease = drawTime(100, 3'000);
    std::string from = "everybody";
    std::set<std::uint64_t> hurt { node->info.node() };
    switch (m_draws.below(3)) {
    case 0:
        addPeer(*node, partition);
        partition.set_all_but_peers(true);
        break;
    case 1:
        addPeer(*coordinator, partition);
        from = coordinator->name;
        break;
    default:
        addPeer(*other, partition);
        hurt.insert(other->info.node());
        from = other->name;
        break;
    }
    if (!mayHurt(hurt))
        return false;
    m_tell("part " + node->name + " from " + from + " " + pb::FaultWay_Name(partition.way()) + " for "
        + std::to_string(lease.count()) + " ms");
    arm({ node }, fault, lease);
    hurtFor(*node, lease);
    if (hurt.contains(other->info.node()))
        hurtFor(*other, lease);
    return true;
}

// A random set is paused one by one and resumed in another order.
bool Nemesis::swizzle()
{
    std::vector<Process*> chosen;
    std::set<std::uint64_t> hurt;
    for (const auto& process : m_fleet.all()) {
        if (process->hasEnded || isHurt(*process) || !m_draws.chance(350))
            continue;
        if (process->isNode()) {
            hurt.insert(process->info.node());
            if (!mayHurt(hurt)) {
                hurt.erase(process->info.node());
                continue;
            }
        }
        chosen.push_back(process.get());
    }
    if (chosen.size() < 2)
        return false;
    std::vector<milliseconds> wakes;
    for (std::size_t i = 0; i < chosen.size(); ++i)
        wakes.push_back(milliseconds(100 * chosen.size()) + drawTime(0, 1'500));
    m_tell("swizzle " + std::to_string(chosen.size()) + " processes");
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const milliseconds from(100 * i);
        sleepFor(*chosen[i], from, wakes[i] - from);
    }
    return true;
}

bool Nemesis::crashAtEvent()
{
    Process* node = anyNode();
    if (node == nullptr || !mayHurt({ node->info.node() }))
        return false;
    pb::Fault fault;
    fault.mutable_crash()->set_at(kCrashEvents[m_draws.below(std::size(kCrashEvents))]);
    fault.mutable_crash()->set_count(1 + std::uint32_t(m_draws.below(3)));
    const milliseconds lease = drawTime(1'000, 5'000);
    m_tell("crash " + node->name + " at " + fault.crash().at() + " " + std::to_string(fault.crash().count()));
    m_fleet.letEnd(*node);
    arm({ node }, fault, lease);
    hurtFor(*node, lease);
    return true;
}

} // namespace lhrs::thrash
