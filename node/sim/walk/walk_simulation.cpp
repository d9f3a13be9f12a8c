// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/walk/walk_simulation.h"

#include "common/check/say.h"
#include "node/walk/walk_client.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace lhrs {

using check::say;
using namespace std::chrono_literals;

namespace {

constexpr Time kPatience = 60s; // time limit for anything on a quiet network
constexpr std::uint64_t kStepsPerRun = 4'000; // steps of the look-ups in an ordinary case, roughly
constexpr std::uint32_t kLookUpWindow = 16;

SimCluster::Options clusterOptions(const WalkCase& told)
{
    SimCluster::Options options;
    options.network = told.network;
    options.seed = told.seed;
    options.driftPpmMax = told.driftPpm;
    options.stepCost = std::chrono::nanoseconds(told.stepNs);
    options.withMessages = told.withMessages;
    return options;
}

} // namespace

WalkSimulation::WalkSimulation(WalkCase told)
    : m_case(std::move(told)), m_cluster(clusterOptions(m_case)), m_oracle(m_cluster, IdRing(m_case.bits)),
      m_pace(m_case.seed, DrawnFor::Pace)
{
    m_cluster.setObserver(this);
}

const WalkMaster& WalkSimulation::master() const { return dynamic_cast<const WalkMaster&>(*m_master->machine); }

const WalkNode* WalkSimulation::node(const SimProcess& process) const
{
    return process.info.kind() == pb::NODE ? dynamic_cast<const WalkNode*>(process.machine.get()) : nullptr;
}

void WalkSimulation::onStep(const SimProcess& process, const SimInput&, Effects& effects, Time now)
{
    m_oracle.onStep(process, effects, now);
    for (const pb::Event* event : effects.events()) {
        if (m_listener)
            m_listener(process, *event);
        const pb::WalkEvent& walk = event->walk();
        if (walk.has_join_ordered())
            hitChange(walk.join_ordered().node(), walk.join_ordered().successor(), walk.join_ordered().from(), false);
        else if (walk.has_leave_ordered())
            hitChange(walk.leave_ordered().node(), walk.leave_ordered().successor(), walk.leave_ordered().from(), true);
    }
}

// ---- processes

void WalkSimulation::startMaster()
{
    WalkMasterOptions options;
    options.self = m_cluster.identity(pb::COORDINATOR, "master", pb::NO_ROLE);
    options.self.set_is_simulated(true);
    options.bits = m_case.bits;
    options.nodes = m_case.nodes;
    options.timers = m_case.timers;
    const pb::ProcessInfo self = options.self;
    m_master = &m_cluster.start(self, std::make_unique<WalkMaster>(std::move(options)));
}

void WalkSimulation::startNode()
{
    pb::ProcessInfo self = m_cluster.identity(pb::NODE, "node-" + std::to_string(++m_nodes), pb::NO_ROLE);
    self.set_is_simulated(true); // its id is the hash of its name
    m_cluster.start(
        self, std::make_unique<WalkNode>(WalkNodeOptions { self, Address::from(m_master->info.address()) }));
}

void WalkSimulation::startNodeAgain(std::uint32_t process)
{
    if (!m_cluster.at(Address { process, 0, 0 })->isGone())
        return;
    const pb::ProcessInfo self = m_cluster.successorOf(process);
    m_cluster.startAgain(
        self, std::make_unique<WalkNode>(WalkNodeOptions { self, Address::from(m_master->info.address()) }));
    ++m_counts.restarts;
}

void WalkSimulation::startClients()
{
    m_clients.resize(m_case.clients);
    for (std::size_t c = 0; c < m_clients.size(); ++c) {
        WalkClientOptions options;
        options.self = m_cluster.identity(pb::CLIENT, "client-" + std::to_string(c + 1), pb::NO_ROLE);
        options.self.set_is_simulated(true);
        options.master = Address::from(m_master->info.address());
        options.seed = m_cluster.drawMachineSeed();
        const pb::ProcessInfo self = options.self;
        m_clients[c].process = &m_cluster.start(self, std::make_unique<WalkClient>(std::move(options)));
    }
}

// ---- operations

void WalkSimulation::giveOperations()
{
    std::size_t index = 0;
    for (const WalkCase::Operation& operation : m_case.operations) {
        pb::Command command;
        command.mutable_operate()->set_kind(operation.kind);
        command.mutable_operate()->set_key(operation.key);
        if (operation.kind == pb::INSERT || operation.kind == pb::UPDATE)
            command.mutable_operate()->set_value(walkValue(index, operation.length));
        ++index;
        m_clients[operation.client].commands.push_back(std::move(command));
    }
    m_given += m_case.operations.size();
    for (ClientState& client : m_clients)
        issue(client);
}

void WalkSimulation::issue(ClientState& client)
{
    if (m_oracle.isAnythingLost() && !m_areFaultsOver) { // a lost key never answers; each try would take 5 s
        m_given -= client.commands.size() - client.next;
        client.next = client.commands.size();
    }
    const std::uint32_t window = m_areFaultsOver ? kLookUpWindow : m_case.window;
    while (client.underWay < window && client.next < client.commands.size()) {
        const std::size_t number = client.next++;
        ++client.underWay;
        m_cluster.command(
            *client.process, client.commands[number], [this, &client, number](const pb::CommandReply& reply) {
                ++m_answered;
                answered(reply, client.commands[number]);
                pace(client);
            });
    }
}

// The client waits before it continues.
void WalkSimulation::pace(ClientState& client)
{
    const auto goOn = [this, &client] {
        --client.underWay;
        issue(client);
    };
    if (m_case.paceUs == 0 || m_areFaultsOver)
        goOn();
    else
        m_cluster.after(std::chrono::nanoseconds(m_pace.below(2'000 * std::uint64_t(m_case.paceUs))), goOn);
}

void WalkSimulation::answered(const pb::CommandReply& reply, const pb::Command& command)
{
    if (reply.refusal() != pb::NOT_REFUSED) {
        m_oracle.fail("a client refused an operation: " + reply.text());
        return;
    }
    if (reply.walk().has_looked_up()) {
        m_oracle.lookedUp(
            master(), command.walk().look_up().key(), NodeId(command.walk().look_up().via()), reply.walk().looked_up());
        return;
    }
    m_oracle.finished(reply.operation());
    const pb::ResultCode result = reply.operation().result();
    ++m_counts.results[pb::ResultCode_Name(result)];
    if (m_areFaultsOver && !m_oracle.isAnythingLost() && command.operate().kind() == pb::SEARCH && result != pb::OK
        && result != pb::NOT_FOUND)
        m_oracle.fail(
            say("on a quiet network, key ", command.operate().key(), " was read with ", pb::ResultCode_Name(result)));
}

// ---- changes of the ring, and mishaps

void WalkSimulation::order(const WalkCase::Change& change)
{
    if (m_areFaultsOver)
        return;
    std::vector<std::uint64_t> choices;
    for (const auto& process : m_cluster.processes()) {
        const WalkNode* found = node(*process);
        if (found != nullptr && (found->state() != pb::WALK_SPARE) == change.isLeave)
            choices.push_back(process->info.node());
    }
    if (choices.empty())
        return;
    const std::uint64_t chosen = change.pick == 0 && !change.isLeave ? 0 : choices[change.pick % choices.size()];
    pb::Command command;
    if (change.isLeave)
        command.mutable_walk()->mutable_leave_ring()->set_node(chosen);
    else
        command.mutable_walk()->mutable_join_ring()->set_node(chosen);
    ++m_changesUnderWay;
    m_cluster.command(*m_master, std::move(command), [this](const pb::CommandReply& reply) {
        --m_changesUnderWay;
        m_counts.refused += reply.refusal() != pb::NOT_REFUSED ? 1 : 0;
    });
}

std::uint32_t WalkSimulation::drawnAmong(const WalkCase::Mishap& mishap, pb::ProcessKind kind) const
{
    std::vector<std::uint32_t> choices;
    for (const auto& process : m_cluster.processes())
        if (process->info.kind() == kind && !process->isGone())
            choices.push_back(process->index);
    return choices[mishap.pick % choices.size()];
}

void WalkSimulation::hitChange(
    const pb::WalkNode& joinsOrLeaves, const pb::WalkNode& successor, std::uint64_t predecessor, bool isLeave)
{
    ++m_counts.changes;
    if (!m_isArmed)
        return;
    ++m_ordered;
    using Whom = WalkCase::Mishap::Whom;
    for (const WalkCase::Mishap& mishap : m_case.mishaps) {
        if (mishap.change == 0)
            continue;
        // A death applies to the intended join or the next one: in a leave, every participant's death would lose keys.
        const bool isDeath = mishap.pauseMs == 0;
        if (isDeath ? isLeave || m_counts.deaths > 0 || m_ordered < mishap.change : m_ordered != mishap.change)
            continue;
        std::uint32_t process = m_master->index;
        if (mishap.whom == Whom::Predecessor)
            process = master().ring().at(RingId(predecessor)).address().ip();
        else if (mishap.whom != Whom::Master)
            process = ((mishap.whom == Whom::Receiver) == isLeave ? successor : joinsOrLeaves).address().ip();
        m_counts.deaths += isDeath ? 1 : 0;
        m_cluster.after(
            std::chrono::microseconds(mishap.afterUs), [this, &mishap, process] { befall(mishap, process); });
    }
}

void WalkSimulation::befall(const WalkCase::Mishap& mishap, std::uint32_t process)
{
    if (m_areFaultsOver)
        return;
    if (mishap.pauseMs > 0) {
        ++m_counts.pauses;
        m_cluster.pause(process, std::chrono::milliseconds(mishap.pauseMs));
        return;
    }
    m_oracle.willEnd(*m_cluster.at(Address { process, 0, 0 }));
    m_cluster.kill(process);
    if (mishap.againMs > 0)
        m_cluster.after(std::chrono::milliseconds(mishap.againMs), [this, process] { startNodeAgain(process); });
}

// ---- the run

bool WalkSimulation::runUntil(const std::function<bool()>& condition, Time limit, const char* otherwise)
{
    const bool isReached = m_cluster.runUntil([&] { return m_oracle.failure() || condition(); }, limit);
    if (m_cluster.failure())
        m_oracle.fail(*m_cluster.failure());
    else if (!isReached)
        m_oracle.fail(say(otherwise, " within ", limit / 1s, " virtual seconds: ", whatIsUnderWay()));
    return !m_oracle.failure();
}

bool WalkSimulation::passTime(Time time)
{
    bool isOver = false;
    m_cluster.after(time, [&] { isOver = true; });
    return runUntil([&] { return isOver; }, time + 1s, "time stood still");
}

std::string WalkSimulation::whatIsUnderWay() const
{
    if (const std::string words = master().underWay(); !words.empty())
        return words;
    if (const std::string words = master().broken(); !words.empty())
        return words;
    if (m_changesUnderWay > 0)
        return "a command to the master waits";
    for (const auto& process : m_cluster.processes())
        if (const WalkNode* found = node(*process);
            found != nullptr && (!found->isRegistered() || found->openChange() != 0 || found->held() > 0))
            return process->info.name() + " takes part in a change";
    for (const ClientState& client : m_clients) {
        const auto& entries = dynamic_cast<const WalkClient&>(*client.process->machine).entries();
        const bool isKnown = std::equal(entries.begin(), entries.end(), master().ring().begin(), master().ring().end(),
            [](const pb::WalkNode& entry, const auto& item) { return entry.node() == item.second.node(); });
        if (!isKnown)
            return client.process->info.name() + " does not know the ring";
    }
    return {};
}

// Safety: the case's faults, until all its operations are answered.
bool WalkSimulation::playFaults()
{
    const auto operations = std::int64_t(m_case.operations.size());
    if (!m_case.beginsAtOnce && !runUntil([this] { return master().isAtRest(); }, 600s, "the ring was not complete"))
        return false;
    m_isArmed = true;
    for (const WalkCase::Change& change : m_case.changes)
        m_cluster.after(std::chrono::milliseconds(change.atMs), [this, &change] { order(change); });
    for (const WalkCase::Mishap& mishap : m_case.mishaps) {
        if (mishap.change != 0)
            continue;
        const std::uint32_t process = mishap.whom == WalkCase::Mishap::Whom::Master
            ? m_master->index
            : drawnAmong(mishap, mishap.whom == WalkCase::Mishap::Whom::AClient ? pb::CLIENT : pb::NODE);
        m_cluster.after(
            std::chrono::microseconds(mishap.afterUs), [this, &mishap, process] { befall(mishap, process); });
    }
    giveOperations();
    return runUntil([this] { return allAnswered(); }, 600s + 6s * operations, "not all operations were answered");
}

// Waits until nothing is under way and the last late copy of a datagram has arrived.
bool WalkSimulation::comeToRest()
{
    const auto late = std::chrono::milliseconds(std::max(m_case.network.late_ms(), m_case.network.spike_ms())) + 1s;
    do {
        if (!runUntil([this] { return whatIsUnderWay().empty(); }, kPatience, "not at rest"))
            return false;
        if (!passTime(late))
            return false;
    } while (!whatIsUnderWay().empty());
    return true;
}

bool WalkSimulation::readBack()
{
    std::size_t turn = 0;
    for (const std::uint64_t key : m_oracle.keys()) {
        pb::Command command;
        command.mutable_operate()->set_kind(pb::SEARCH);
        command.mutable_operate()->set_key(key);
        m_clients[turn++ % m_clients.size()].commands.push_back(std::move(command));
        ++m_given;
    }
    for (ClientState& client : m_clients)
        issue(client);
    return runUntil([this] { return allAnswered(); }, kPatience, "not all keys were read back");
}

// From every node, or from enough nodes that each key and each node is used.
bool WalkSimulation::lookUpKeys()
{
    const auto& ring = master().ring();
    const std::vector<std::uint64_t> keys = m_oracle.keys();
    const std::uint64_t ways = keys.size() * ring.size();
    const std::uint64_t stride = m_case.isEveryWayTried ? 1 : 1 + ways * ring.size() / 2 / kStepsPerRun;
    std::size_t turn = 0;
    for (const std::uint64_t key : keys)
        for (const auto& [id, node] : ring) {
            if (turn++ % stride != 0)
                continue;
            pb::Command command;
            command.mutable_walk()->mutable_look_up()->set_key(key);
            command.mutable_walk()->mutable_look_up()->set_via(node.node());
            m_clients[m_given++ % m_clients.size()].commands.push_back(std::move(command));
        }
    for (ClientState& client : m_clients)
        issue(client);
    // Look-ups of one key wait for each other, and each may go all the way round the ring.
    const Time round = std::chrono::microseconds(
                           m_case.network.delay_us() + m_case.network.jitter_us() + m_case.stepNs / 1'000 + 1)
        * std::int64_t(ring.size() + 1);
    return runUntil(
        [this] { return allAnswered(); }, kPatience + round * std::int64_t(ways), "not all keys were looked up");
}

bool WalkSimulation::run()
{
    startMaster();
    for (std::uint32_t n = 0; n < m_case.nodes + m_case.spares; ++n)
        startNode();
    startClients();
    if (!playFaults())
        return false;
    // Liveness: a quiet network, and no paused process.
    m_areFaultsOver = true;
    m_cluster.heal();
    if (m_oracle.isAnythingLost()) {
        // The only promise is that the break is reported.
        if (!runUntil([this] { return !master().broken().empty(); }, kPatience, "nobody said that the ring is broken"))
            return false;
    } else if (comeToRest() && readBack() && lookUpKeys()) {
        m_oracle.checkAtRest(master());
    }
    if (!m_oracle.failure())
        m_oracle.checkHistories();
    return !m_oracle.failure();
}

} // namespace lhrs
