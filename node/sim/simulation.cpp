// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/simulation.h"

#include "common/check/say.h"
#include "node/core/client.h"
#include "node/core/coordinator.h"
#include "node/core/node_machine.h"

#include <algorithm>
#include <utility>

namespace lhrs {

using namespace std::chrono_literals;

namespace {

constexpr Time kRecoveryTime = 30s; // T_rec of testing.md 5d: quiet after this at the latest
constexpr std::uint32_t kNodesMax = 600;
constexpr std::uint32_t kSparesAtHeal = 40;

SimCluster::Options clusterOptions(const pb::Case& told)
{
    SimCluster::Options options;
    options.network = told.network();
    options.seed = told.seed();
    options.driftPpmMax = told.drift_ppm();
    options.stepCost = std::chrono::nanoseconds(std::max(1U, told.step_ns()));
    options.stepCostPerKib = std::chrono::nanoseconds(told.step_ns_per_kib());
    options.reparseEvery = told.reparse_every();
    options.allByStream = told.all_by_stream();
    options.withMessages = told.with_messages();
    return options;
}

pb::OperationKind kindOf(pb::CaseOperation::Kind kind)
{
    switch (static_cast<int>(kind)) {
    case pb::CaseOperation::INSERT: return pb::INSERT;
    case pb::CaseOperation::UPDATE: return pb::UPDATE;
    case pb::CaseOperation::DELETE: return pb::DELETE;
    case pb::CaseOperation::SEARCH: return pb::SEARCH;
    default: return pb::OPERATION_UNKNOWN;
    }
}

} // namespace

std::string caseValue(std::uint64_t index, std::uint32_t length)
{
    std::string value;
    value.reserve(length + 8);
    std::uint64_t word = index + 1;
    while (value.size() < length) {
        for (unsigned byte = 0; byte < 8; ++byte)
            value += char(word >> (8 * byte));
        word = splitMix(word + index);
    }
    value.resize(length);
    return value;
}

Simulation::Simulation(const pb::Case& told)
    : m_case(told)
    , m_cluster(clusterOptions(told))
    , m_oracle(told.file(), m_cluster)
    , m_faults(told.seed(), DrawnFor::Faults)
{
    m_cluster.setObserver(this);
}

void Simulation::onStep(const SimProcess& process, const SimInput& input, Effects& effects, Time now)
{
    m_oracle.onStep(process, input, effects, now);
    if (m_listener)
        for (const pb::Event* event : effects.events())
            m_listener(process, *event);
}

void Simulation::startNode(pb::Role pool)
{
    NodeOptions options;
    options.self = m_cluster.identity(pb::NODE, "node-" + std::to_string(++m_nodes), pool);
    options.coordinator = Address::from(m_coordinator->info.address());
    options.pool = pool;
    options.seed = m_cluster.drawMachineSeed();
    m_cluster.start(options.self, std::make_unique<NodeMachine>(options));
}

void Simulation::startClients()
{
    m_clients.resize(std::max(1U, m_case.clients()));
    for (std::size_t c = 0; c < m_clients.size(); ++c) {
        ClientOptions options;
        options.self = m_cluster.identity(pb::CLIENT, "client-" + std::to_string(c + 1), pb::NO_ROLE);
        options.coordinator = Address::from(m_coordinator->info.address());
        options.seed = m_cluster.drawMachineSeed();
        m_clients[c].process = &m_cluster.start(options.self, std::make_unique<Client>(options));
    }
    std::uint64_t index = 0;
    for (const pb::CaseOperation& operation : m_case.operations()) {
        pb::Operate operate;
        operate.set_kind(kindOf(operation.kind()));
        operate.set_key(operation.key());
        if (operation.kind() == pb::CaseOperation::INSERT || operation.kind() == pb::CaseOperation::UPDATE)
            operate.set_value(caseValue(index, operation.length()));
        ++index;
        m_clients[operation.client() % m_clients.size()].operations.push_back(std::move(operate));
    }
}

// Gives the client as many operations as its window has room for.
void Simulation::issue(ClientState& client)
{
    const std::uint32_t window = std::max(1U, m_case.window());
    while (client.underWay < window && client.next < client.operations.size()) {
        pb::Command command;
        *command.mutable_operate() = client.operations[client.next++];
        ++client.underWay;
        ++m_asked;
        m_cluster.command(*client.process, std::move(command), [this, &client](const pb::CommandReply& reply) {
            --client.underWay;
            ++m_answered;
            if (reply.refusal() != pb::NOT_REFUSED || !reply.has_operation())
                m_oracle.fail(17, client.process->info.name() + " refused an operation: " + reply.text());
            else
                m_oracle.finished(reply.operation());
            ++m_results[pb::ResultCode_Name(reply.operation().result())];
            act();
            issue(client);
        });
    }
}

// Gives the coordinator the actions whose time has come. Any answer will do: it may say that there is nothing to do.
void Simulation::act()
{
    for (; m_nextAction < std::size_t(m_case.actions_size()); ++m_nextAction) {
        const pb::CaseAction& action = m_case.actions(int(m_nextAction));
        if (action.after() > m_answered)
            return;
        pb::Command command;
        switch (static_cast<int>(action.kind())) {
        case pb::CaseAction::FORCE_SPLIT: command.mutable_force_split(); break;
        case pb::CaseAction::RAISE_AVAILABILITY:
            command.mutable_raise_availability()->set_availability(action.argument());
            break;
        case pb::CaseAction::ADD_PARITY:
            command.mutable_create_parity()->set_group(
                std::min(action.argument(), std::uint32_t(m_oracle.file().buckets() - 1) / m_case.file().m()));
            break;
        default: continue;
        }
        ++m_actionsUnderWay;
        m_cluster.command(*m_coordinator, std::move(command), [this](const pb::CommandReply&) { --m_actionsUnderWay; });
    }
}

// Where a spare is missing, one more starts after a while, as a person would do it.
void Simulation::askForSpares()
{
    for (const pb::Role pool : { pb::DATA, pb::PARITY })
        for (std::uint32_t missing = m_oracle.takeMissingSpares(pool); missing > 0 && m_nodes < kNodesMax; --missing) {
            m_isSpareMissing = true;
            m_cluster.after(std::chrono::milliseconds(m_faults.between(1, 200)), [this, pool] { startNode(pool); });
        }
}

bool Simulation::runUntil(const std::function<bool()>& condition, Time limit, const char* otherwise)
{
    const bool isReached = m_cluster.runUntil(
        [&] {
            askForSpares();
            return m_oracle.failure() || condition();
        },
        limit);
    if (!isReached && !m_cluster.failure())
        m_oracle.fail(17, check::say(otherwise, " within ", limit / 1s, " virtual seconds"));
    return !m_oracle.failure() && !m_cluster.failure();
}

bool Simulation::run()
{
    CoordinatorOptions options;
    options.self = m_cluster.identity(pb::COORDINATOR, "coordinator", pb::NO_ROLE);
    options.config = m_case.file();
    options.timers = m_case.timers();
    options.recruiting = m_case.by_registry() ? Recruiting::Registry : Recruiting::Auto;
    options.seed = m_cluster.drawMachineSeed();
    m_coordinator = &m_cluster.start(options.self, std::make_unique<Coordinator>(options));
    for (std::uint32_t i = 0; i < m_case.data_spares(); ++i)
        startNode(pb::DATA);
    for (std::uint32_t i = 0; i < m_case.parity_spares(); ++i)
        startNode(pb::PARITY);
    startClients();

    const auto play = [&] {
        if (!runUntil([&] { return m_oracle.fileExists(); }, 120s, "the file was not created"))
            return false;
        // Safety: the case's faults, until all its operations are answered.
        act();
        for (ClientState& client : m_clients)
            issue(client);
        const auto operations = std::uint64_t(m_case.operations_size());
        const Time limit = 600s + Time(6s) * std::int64_t(operations);
        if (!runUntil([&] { return m_answered == operations; }, limit, "not all operations were answered"))
            return false;
        // Liveness: a quiet network and enough spares.
        m_cluster.heal();
        for (const pb::Role pool : { pb::DATA, pb::PARITY })
            for (std::uint32_t i = 0; m_isSpareMissing && i < kSparesAtHeal; ++i)
                startNode(pool);
        return comeToRest() && readBack() && comeToRest();
    };
    const bool isPlayed = play();
    if (isPlayed) {
        bool isLooked = false;
        pb::Command command;
        command.mutable_describe_file();
        m_cluster.command(*m_coordinator, std::move(command), [&](const pb::CommandReply& reply) {
            m_oracle.checkAtRest(reply.file());
            isLooked = true;
        });
        runUntil([&] { return isLooked; }, 10s, "the coordinator did not describe the file");
    }
    keepFailure();
    return !m_failure;
}

void Simulation::keepFailure()
{
    if (m_cluster.failure())
        m_failure = Failure { 0, *m_cluster.failure(), m_cluster.now() };
    else if (const auto& found = m_oracle.failure())
        m_failure = Failure { found->violation.invariant, found->violation.text, found->at };
}

bool Simulation::isIdle() const
{
    for (const auto& process : m_cluster.processes()) {
        const auto* node = dynamic_cast<const NodeMachine*>(process->machine.get());
        if (!node)
            continue;
        if (const DataBucket* bucket = node->dataBucket(); bucket && (!bucket->link().isIdle() || bucket->held() > 0))
            return false;
        if (const ParityBucket* bucket = node->parityBucket(); bucket && bucket->held() > 0)
            return false;
    }
    return true;
}

// Waits until nothing is under way, and until the last late copy of a datagram has arrived.
bool Simulation::comeToRest()
{
    // The time counts from the last step forward: a file that owes forty splits is not stuck.
    const auto steps = [&] { return m_oracle.counts().splits + m_oracle.counts().parityAdded; };
    Time end = m_cluster.now() + kRecoveryTime;
    std::uint64_t stepsBefore = steps();
    for (bool isAtRest = false; !isAtRest;) {
        bool isAnswered = false;
        std::string underWay;
        pb::Command command;
        command.mutable_await_rest()->set_timeout_ms(100);
        m_cluster.command(*m_coordinator, std::move(command), [&](const pb::CommandReply& reply) {
            isAnswered = true;
            isAtRest = reply.refusal() == pb::NOT_REFUSED;
            underWay = reply.text();
        });
        if (!runUntil([&] { return isAnswered; }, kRecoveryTime, "the coordinator did not answer"))
            return false;
        isAtRest = isAtRest && m_actionsUnderWay == 0 && isIdle();
        if (std::exchange(stepsBefore, steps()) != steps())
            end = m_cluster.now() + kRecoveryTime;
        if (!isAtRest && m_cluster.now() >= end) {
            m_oracle.fail(17, "not at rest 30 virtual seconds after the last step forward: "
                    + (underWay.empty() ? "buckets or commands are waiting" : underWay));
            return false;
        }
        bool isLater = false;
        m_cluster.after(20ms, [&] { isLater = true; });
        if (!runUntil([&] { return isLater; }, 1s, "time stood still"))
            return false;
    }
    bool isLast = false;
    const auto late = std::max(m_case.network().late_ms(), m_case.network().spike_ms());
    m_cluster.after(std::chrono::milliseconds(late) + 1s, [&] { isLast = true; });
    return runUntil([&] { return isLast; }, 10min, "time stood still");
}

// Every key that was ever named, read by the clients in turn.
bool Simulation::readBack()
{
    m_isReadingBack = true;
    for (ClientState& client : m_clients) {
        client.operations.clear();
        client.next = 0;
    }
    std::uint64_t expected = m_answered;
    std::size_t turn = 0;
    for (const std::uint64_t key : m_oracle.ledger().keys()) {
        pb::Operate operate;
        operate.set_kind(pb::SEARCH);
        operate.set_key(key);
        m_clients[turn++ % m_clients.size()].operations.push_back(std::move(operate));
        ++expected;
    }
    m_results.clear();
    for (ClientState& client : m_clients)
        issue(client);
    const Time limit = kRecoveryTime + 1ms * std::int64_t(expected);
    if (!runUntil([&] { return m_answered == expected; }, limit, "not all keys were read back"))
        return false;
    for (const auto& [result, count] : m_results)
        if (result != pb::ResultCode_Name(pb::OK) && result != pb::ResultCode_Name(pb::NOT_FOUND))
            m_oracle.fail(17, std::to_string(count) + " searches on a quiet network ended with " + result);
    return !m_oracle.failure();
}

} // namespace lhrs
