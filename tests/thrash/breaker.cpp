// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/thrash/breaker.h"

#include <algorithm>
#include <array>

namespace lhrs::thrash {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr auto kDescribePeriod = 100ms;
constexpr auto kCalm = 700ms; // after a pause or a cut, until a process counts as well again; times the time scale

const char* const kCrashEvents[] = { "split_prepared", "split_applied", "batch_applied", "records_moved", "slice_stored",
    "slice_recovered", "epoch_changed", "state_changed", "node_recruited", "contents_arrived" };

} // namespace

Breaker::Breaker(Fleet& fleet, const Shape& shape, const Options& options, std::function<void(const std::string&)> tell)
    : m_fleet(fleet)
    , m_shape(shape)
    , m_options(options)
    , m_tell(std::move(tell))
    , m_draws(options.seed, DrawnFor::Faults)
    , m_next(Clock::now() + 500ms)
{
}

// ---- what the coordinator says

void Breaker::describe()
{
    const auto now = Clock::now();
    Process* coordinator = m_fleet.coordinator();
    {
        const std::lock_guard lock(m_described->mutex);
        if (coordinator == nullptr || m_described->isAsked || now < m_described->asked + kDescribePeriod)
            return;
        m_described->isAsked = true;
        m_described->asked = now;
    }
    pb::Command command;
    command.mutable_describe_file();
    m_fleet.control().call(coordinator->info.node(), command, 2s, [described = m_described, now](const gui::Answer& answer) {
        const std::lock_guard lock(described->mutex);
        described->isAsked = false;
        if (!answer)
            return;
        described->from = now;
        described->file = answer.reply.file();
    });
}

// Not older than a second.
std::optional<pb::FileDescription> Breaker::file() const
{
    const std::lock_guard lock(m_described->mutex);
    if (m_described->from + 1s < Clock::now() || !m_described->file.exists())
        return std::nullopt;
    return m_described->file;
}

std::uint32_t Breaker::groups() const
{
    const std::lock_guard lock(m_described->mutex);
    return std::uint32_t(m_described->file.groups_size());
}

std::string Breaker::whatIsMissing()
{
    describe();
    const std::lock_guard lock(m_described->mutex);
    const pb::FileDescription& file = m_described->file;
    if (m_described->from <= m_mended)
        return "the coordinator does not describe the file";
    std::string missing;
    const auto miss = [&missing](const std::string& what) { missing += (missing.empty() ? "" : "; ") + what; };
    if (!file.at_rest())
        miss("not at rest: " + file.under_way());
    std::uint32_t members = 0;
    for (const auto& group : file.groups()) {
        const std::string name = "group " + std::to_string(group.number());
        const pb::View& view = group.view();
        members += std::uint32_t(view.members_size());
        if (view.state() != pb::GROUP_UP)
            miss(name + " is " + pb::GroupState_Name(view.state()));
        std::uint32_t parity = 0;
        for (const pb::Member& member : view.members()) {
            parity += member.role() == pb::PARITY ? 1 : 0;
            if (member.state() != pb::UP)
                miss(name + ": " + pb::Role_Name(member.role()) + " " + std::to_string(member.index()) + " is "
                    + pb::MemberState_Name(member.state()));
            else if (m_fleet.find(member.holder().node()) == nullptr)
                miss(name + ": " + pb::Role_Name(member.role()) + " " + std::to_string(member.index()) + " has no living holder");
        }
        if (parity != m_shape.k)
            miss(name + " has k = " + std::to_string(parity));
    }
    const auto nodes = m_fleet.living(Kind::DataNode).size() + m_fleet.living(Kind::ParityNode).size();
    if (members + file.data_spares() + file.parity_spares() != nodes)
        miss("of " + std::to_string(nodes) + " nodes " + std::to_string(members) + " are members, "
            + std::to_string(file.data_spares()) + " and " + std::to_string(file.parity_spares()) + " are spares");
    return missing;
}

// ---- who may be hurt

bool Breaker::isHurt(const Process& process) const
{
    return process.hasEnded || process.isPaused || Clock::now() < process.calmFrom;
}

// Whether every group survives it if these are hurt as well. Who is hurt and in no view may be on his way into one, so he
// counts in all groups.
bool Breaker::mayHurt(const std::set<std::uint64_t>& nodes)
{
    const auto known = file();
    if (!known)
        return false;
    std::set<std::uint64_t> members;
    for (const auto& group : known->groups())
        for (const pb::Member& member : group.view().members())
            members.insert(member.holder().node());
    std::uint32_t loose = 0;
    for (const auto& process : m_fleet.all())
        if (process->isNode() && !members.contains(process->info.node()) && !nodes.contains(process->info.node()))
            loose += process->isPaused || Clock::now() < process->calmFrom ? 1 : 0;
    for (const std::uint64_t node : nodes)
        loose += members.contains(node) ? 0 : 1;
    for (const auto& group : known->groups()) {
        std::uint32_t hurt = loose;
        for (const pb::Member& member : group.view().members()) {
            const Process* holder = m_fleet.find(member.holder().node());
            hurt += member.state() != pb::UP || holder == nullptr || isHurt(*holder) || nodes.contains(member.holder().node()) ? 1 : 0;
        }
        if (hurt > std::min(group.k(), m_shape.k))
            return false;
    }
    return true;
}

void Breaker::hurtFor(Process& process, milliseconds time)
{
    const auto calm = Clock::now() + time + milliseconds(std::int64_t(double(kCalm.count()) * m_shape.timeScale));
    process.calmFrom = std::max(process.calmFrom, calm);
}

Process* Breaker::anyNode()
{
    std::vector<Process*> nodes = m_fleet.living(Kind::DataNode);
    const auto parity = m_fleet.living(Kind::ParityNode);
    nodes.insert(nodes.end(), parity.begin(), parity.end());
    std::erase_if(nodes, [this](const Process* process) { return isHurt(*process); });
    return nodes.empty() ? nullptr : nodes[m_draws.below(nodes.size())];
}

milliseconds Breaker::drawTime(int least, int most)
{
    return milliseconds(m_draws.between(std::uint64_t(least), std::uint64_t(most)));
}

// ---- the actions

bool Breaker::killNode()
{
    Process* node = anyNode();
    if (node == nullptr || !mayHurt({ node->info.node() }))
        return false;
    m_tell("kill " + node->name);
    m_fleet.kill(*node);
    hurtFor(*node, 0ms);
    return true;
}

bool Breaker::killClient()
{
    const auto clients = m_fleet.living(Kind::Client);
    if (clients.size() < m_shape.clients)
        return false;
    Process& client = *clients[m_draws.below(clients.size())];
    m_tell("kill " + client.name);
    m_fleet.kill(client);
    m_haveClientsChanged = true;
    return true;
}

void Breaker::sleepFor(Process& process, milliseconds from, milliseconds time)
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
bool Breaker::pauseNode()
{
    Process* node = anyNode();
    if (node == nullptr || !mayHurt({ node->info.node() }))
        return false;
    const double scale = m_shape.timeScale;
    const std::array<milliseconds, 3> times { drawTime(20, int(150 * scale)), drawTime(int(150 * scale), int(400 * scale)),
        drawTime(int(400 * scale), int(1'500 * scale)) };
    const milliseconds time = m_draws.oneOf(times);
    m_tell("pause " + node->name + " for " + std::to_string(time.count()) + " ms");
    sleepFor(*node, 0ms, time);
    return true;
}

bool Breaker::pauseCoordinator()
{
    Process* coordinator = m_fleet.coordinator();
    if (coordinator == nullptr || coordinator->isPaused)
        return false;
    const milliseconds time = drawTime(100, 2'000);
    m_tell("pause coordinator for " + std::to_string(time.count()) + " ms");
    sleepFor(*coordinator, 0ms, time);
    return true;
}

void Breaker::arm(const std::vector<Process*>& at, pb::Fault fault, milliseconds lease)
{
    fault.set_number(++m_faults);
    fault.set_lease_ms(std::uint32_t(lease.count()));
    fault.set_seed(m_draws.next());
    for (const Process* process : at) {
        pb::Command command;
        *command.mutable_arm_fault()->mutable_fault() = fault;
        m_fleet.control().call(process->info.node(), command, 2s, [](const gui::Answer&) {}); // who is paused hears it later
    }
}

// A little of everything, everywhere: nobody may be declared failed for that.
bool Breaker::disturbAll()
{
    std::vector<Process*> all;
    for (const auto& process : m_fleet.all())
        if (!process->hasEnded)
            all.push_back(process.get());
    pb::Fault fault;
    pb::NetworkFault& network = *fault.mutable_network();
    network.set_way(pb::OUTGOING);
    const auto share = [this](std::uint64_t perMille) { return m_draws.chance(500) ? double(m_draws.below(perMille)) / 1000 : 0.0; };
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

// One process behind a bad line.
bool Breaker::disturbOne()
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

void Breaker::addPeer(const Process& process, pb::PartitionFault& partition) const
{
    pb::FaultPeer& peer = *partition.add_peers();
    peer.set_node(process.info.node());
    *peer.mutable_address() = process.info.address();
}

// One process is cut off: from everybody, from the coordinator, or from another node; one way or both.
bool Breaker::partOne()
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

// A random set falls asleep one by one and wakes in another order.
bool Breaker::swizzle()
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

bool Breaker::crashAtEvent()
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

bool Breaker::split()
{
    const auto known = file();
    Process* coordinator = m_fleet.coordinator();
    if (!known || coordinator == nullptr || m_splits + 1 >= m_shape.bucketsMax)
        return false; // an order is carried out or waits for a spare, but is never forgotten
    ++m_splits;
    m_tell("split, M = " + std::to_string(known->buckets()));
    pb::Command command;
    command.mutable_force_split();
    m_fleet.control().call(coordinator->info.node(), command, 60s, [](const gui::Answer&) {}); // refused where a spare is missing
    return true;
}

bool Breaker::restartCoordinator()
{
    Process* coordinator = m_fleet.coordinator();
    if (!m_options.restartsCoordinator || coordinator == nullptr || Clock::now() < m_fleet.coordinatorGone() + 10s)
        return false; // it needs a while to find the file again
    m_tell("kill the coordinator");
    m_fleet.kill(*coordinator);
    return true; // its successor comes as all do
}

// ---- the turn

void Breaker::replaceEnded()
{
    for (const auto& process : m_fleet.all()) {
        if (!process->hasEnded) {
            if (process->mayEnd && Clock::now() > process->calmFrom)
                process->mayEnd = false; // the event at which it was to crash did not come
            continue;
        }
        if (!m_replaced.insert(process.get()).second)
            continue;
        if (process->isNode())
            hurtFor(*process, 0ms); // whoever ended
        m_haveClientsChanged |= process->kind == Kind::Client;
        m_successors.emplace(Clock::now() + drawTime(200, 2'500), process->kind);
    }
}

void Breaker::launchDue()
{
    while (!m_successors.empty() && m_successors.begin()->first <= Clock::now()) {
        const auto added = m_fleet.add(m_successors.begin()->second);
        if (!added) {
            m_tell("no successor: " + added.error().text);
            return;
        }
        m_tell("start " + (*added)->name);
        m_haveClientsChanged |= (*added)->kind == Kind::Client;
        m_successors.erase(m_successors.begin());
    }
}

void Breaker::turn()
{
    static constexpr Action kActions[] = {
        { "kill a node", 8, &Breaker::killNode },
        { "kill a client", 1, &Breaker::killClient },
        { "pause a node", 5, &Breaker::pauseNode },
        { "pause the coordinator", 1, &Breaker::pauseCoordinator },
        { "disturb all", 1, &Breaker::disturbAll },
        { "disturb one", 3, &Breaker::disturbOne },
        { "part one", 4, &Breaker::partOne },
        { "swizzle-clog", 1, &Breaker::swizzle },
        { "crash at an event", 5, &Breaker::crashAtEvent },
        { "split", 2, &Breaker::split },
        { "restart the coordinator", 1, &Breaker::restartCoordinator },
    };
    describe();
    replaceEnded();
    launchDue();
    const auto now = Clock::now();
    while (!m_agenda.empty() && m_agenda.begin()->first <= now) {
        const auto due = std::move(m_agenda.begin()->second);
        m_agenda.erase(m_agenda.begin());
        due();
    }
    if (now < m_next)
        return;
    std::uint32_t sum = 0;
    for (const Action& action : kActions)
        sum += action.weight;
    auto drawn = std::uint32_t(m_draws.below(sum));
    const Action* chosen = kActions;
    while (drawn >= chosen->weight)
        drawn -= chosen++->weight;
    if ((this->*chosen->act)()) {
        ++m_counts[chosen->name];
        m_next = now + drawTime(200, 1'500);
    } else {
        m_next = now + 20ms;
    }
}

Result<void> Breaker::mend()
{
    m_agenda.clear();
    for (const auto& process : m_fleet.all()) {
        if (process->hasEnded)
            continue;
        if (process->isPaused)
            m_fleet.resume(*process);
        pb::Command command;
        command.mutable_heal_faults();
        const gui::Answer healed = m_fleet.control().callAndWait(process->info.node(), command, 10s);
        if (healed)
            process->mayEnd = false;
    }
    (void)m_fleet.reap();
    replaceEnded();
    while (!m_successors.empty()) {
        const auto added = m_fleet.add(m_successors.begin()->second);
        if (!added)
            return added.error();
        m_successors.erase(m_successors.begin());
        m_haveClientsChanged = true;
    }
    for (const auto& process : m_fleet.all())
        process->calmFrom = {};
    m_mended = Clock::now();
    return {};
}

std::vector<std::uint64_t> Breaker::clients()
{
    std::vector<std::uint64_t> nodes;
    for (const Process* client : m_fleet.living(Kind::Client))
        nodes.push_back(client->info.node());
    return nodes;
}

} // namespace lhrs::thrash
