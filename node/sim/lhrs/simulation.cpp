// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/lhrs/simulation.h"

#include "common/check/say.h"
#include "node/lhrs/client/client.h"
#include "node/lhrs/coordinator/coordinator.h"
#include "node/lhrs/server/node_machine.h"

#include <algorithm>
#include <set>
#include <utility>

namespace lhrs {

using namespace std::chrono_literals;

namespace {

constexpr Time kRecoveryTime = 30s; // longest time without progress that is allowed on a quiet network
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
    if (told.inbox_max() > 0)
        options.inboxMax = told.inbox_max();
    return options;
}

pb::OperationKind operationKindOf(pb::CaseOperation::Kind kind)
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

std::string wordsOf(const pb::Place& place)
{
    if (place.role() == pb::DATA)
        return "data " + std::to_string(place.number());
    if (place.role() == pb::PARITY)
        return "parity " + std::to_string(place.number()) + '.' + std::to_string(place.column());
    return {};
}

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
    : m_case(told), m_cluster(clusterOptions(told)), m_oracle(told.file(), m_cluster),
      m_faultInjector(m_case, m_cluster, m_oracle), m_failpoints(told), m_faults(told.seed(), DrawnFor::Faults),
      m_pace(told.seed(), DrawnFor::Pace), m_isDone(std::size_t(told.actions_size()), false)
{
    m_faultInjector.onClientKilled = [this](std::uint32_t process) { endClient(process); };
    m_cluster.setObserver(this);
    m_cluster.setFailpoints(&m_failpoints);
}

void Simulation::onStep(const SimProcess& process, const SimInput& input, Effects& effects, Time now)
{
    m_oracle.onStep(process, input, effects, now);
    if (m_case.memory_limit() > 0)
        checkMemory(process);
    if (m_listener)
        for (const pb::Event* event : effects.events())
            m_listener(process, *event);
    for (const pb::Event* event : effects.events()) {
        if (!event->has_coordinator_rebuilt() || process.index != m_coordinator->index)
            continue;
        for (const auto& [former, rest] : std::exchange(m_sleeping, {}))
            m_cluster.after(rest, [this, former = former] { m_cluster.wake(former); });
    }
    if (m_seen.empty() || m_areFaultsOver)
        return;
    for (const pb::Event* event : effects.events()) {
        const auto seen = m_seen.find(event->body_case());
        if (seen == m_seen.end())
            continue;
        ++seen->second;
        for (int i = 0; i < m_case.actions_size(); ++i) {
            const pb::CaseAction& action = m_case.actions(i);
            const auto* field = pb::Event::descriptor()->FindFieldByName(action.event());
            if (m_isDone[std::size_t(i)] || !field || field->number() != seen->first
                || std::max(1U, action.nth()) != seen->second)
                continue;
            // At this very moment: the messages of the step may or may not have been sent.
            m_isDone[std::size_t(i)] = true;
            m_cluster.after({}, [this, &action] { perform(action); });
        }
    }
}

// A real process would have ended here, and so would any other process of its group with the same amount of memory.
void Simulation::checkMemory(const SimProcess& process)
{
    const auto* node = dynamic_cast<const NodeMachine*>(process.machine.get());
    if (node != nullptr && !m_areFaultsOver && node->storedBytes() > m_case.memory_limit())
        m_oracle.fail(0,
            check::say(process.info.name(), " takes ", node->storedBytes(), " bytes, and its limit is ",
                m_case.memory_limit()));
}

void Simulation::startNode(pb::Role pool)
{
    NodeOptions options;
    options.self = m_cluster.identity(pb::NODE, "node-" + std::to_string(++m_nodes), pool);
    options.coordinator = Address::from(m_coordinator->info.address());
    options.pool = pool;
    options.seed = m_cluster.drawMachineSeed();
    const SimProcess& started = m_cluster.start(options.self, std::make_unique<NodeMachine>(options));
    if (m_case.memory_limit() > 0 && !m_areFaultsOver)
        m_cluster.setMemory(started, { m_case.memory_limit(), m_case.memory_limit(), "limit of the case" });
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
        operate.set_kind(operationKindOf(operation.kind()));
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
        ++client.unanswered;
        ++m_asked;
        m_cluster.command(*client.process, std::move(command), [this, &client](const pb::CommandReply& reply) {
            ++m_answered;
            --client.unanswered;
            if (reply.refusal() != pb::NOT_REFUSED || !reply.has_operation())
                m_oracle.fail(17, client.process->info.name() + " refused an operation: " + reply.text());
            else
                m_oracle.answers().finished(reply.operation());
            const pb::ResultCode result = reply.operation().result();
            ++m_results[pb::ResultCode_Name(result)];
            // A client that does not yet know that a bucket has moved may give up before it finds out.
            const std::uint64_t key = reply.operation().key();
            if (m_isReadingBack && result == pb::RETRY && !m_oracle.losses().isStuck(key) && ++m_readAgain[key] <= 3) {
                pb::Operate operate;
                operate.set_kind(pb::SEARCH);
                operate.set_key(key);
                client.operations.push_back(std::move(operate));
                ++m_expected;
            } else if (m_isReadingBack) {
                checkReadBack(key, result);
            }
            act();
            pause(client);
        });
    }
}

// On a quiet network every search must get its correct answer: LOST if the bucket is lost, and only then.
void Simulation::checkReadBack(std::uint64_t key, pb::ResultCode result)
{
    const bool isExcused = result == pb::RETRY && m_oracle.losses().isStuck(key);
    if ((result == pb::LOST) != m_oracle.losses().isLost(key) && !isExcused)
        m_oracle.fail(18,
            check::say("at the end key ", key, " reads ", pb::ResultCode_Name(result), ", and its bucket is ",
                (result == pb::LOST ? "not " : ""), "lost"));
    else if (result != pb::OK && result != pb::NOT_FOUND && result != pb::LOST && !isExcused)
        m_oracle.fail(
            17, check::say("on a quiet network a search of key ", key, " ended with ", pb::ResultCode_Name(result)));
}

// The client waits before it continues.
void Simulation::pause(ClientState& client)
{
    if (m_case.pace_us() == 0 || m_isReadingBack) {
        --client.underWay;
        issue(client);
        return;
    }
    m_cluster.after(std::chrono::nanoseconds(m_pace.below(2000 * std::uint64_t(m_case.pace_us()))), [this, &client] {
        --client.underWay;
        issue(client);
    });
}

// Gives the coordinator the actions that are due. Any answer is accepted, because there may be nothing to do.
void Simulation::act()
{
    for (int i = 0; i < m_case.actions_size() && !m_areFaultsOver; ++i) {
        const pb::CaseAction& action = m_case.actions(i);
        if (m_isDone[std::size_t(i)] || action.at_ms() > 0 || !action.event().empty() || action.after() > m_answered)
            continue;
        m_isDone[std::size_t(i)] = true;
        perform(action);
    }
}

// Actions that wait for a time or for an event.
void Simulation::armActions()
{
    m_faultInjector.begin(*m_coordinator);
    for (int i = 0; i < m_case.actions_size(); ++i) {
        const pb::CaseAction& action = m_case.actions(i);
        if (action.at_ms() > 0) {
            m_isDone[std::size_t(i)] = true;
            m_cluster.after(std::chrono::milliseconds(action.at_ms()), [this, &action] { perform(action); });
        } else if (const auto* field = pb::Event::descriptor()->FindFieldByName(action.event())) {
            m_seen.emplace(field->number(), 0);
        }
    }
}

void Simulation::perform(const pb::CaseAction& action)
{
    if (m_areFaultsOver || m_oracle.failure())
        return;
    pb::Command command;
    switch (static_cast<int>(action.kind())) {
    case pb::CaseAction::FORCE_SPLIT: command.mutable_force_split(); break;
    case pb::CaseAction::RAISE_AVAILABILITY:
        command.mutable_raise_availability()->set_availability(action.argument());
        break;
    case pb::CaseAction::ADD_PARITY:
        command.mutable_create_parity()->set_group(
            std::min(action.argument(), std::uint32_t(m_oracle.growth().state().buckets() - 1) / m_case.file().m()));
        break;
    case pb::CaseAction::ADD_SPARES:
        for (std::uint32_t i = 0; i < action.argument() && m_nodes + 2 < kNodesMax; ++i) {
            startNode(pb::DATA);
            startNode(pb::PARITY);
        }
        return;
    case pb::CaseAction::FORCE_MERGE: command.mutable_force_merge(); break;
    case pb::CaseAction::RESTART:
    case pb::CaseAction::TAKE_OVER: replaceCoordinator(action); return;
    default: m_faultInjector.hit(action); return;
    }
    if (m_isCoordinatorDown)
        return;
    ++m_actionsUnderWay;
    m_cluster.command(*m_coordinator, std::move(command), [this, of = m_restarts](const pb::CommandReply&) {
        m_actionsUnderWay -= of == m_restarts ? 1 : 0; // a later coordinator does not know of it
    });
}

void Simulation::startCoordinator(bool isFirst)
{
    CoordinatorOptions options;
    options.self = isFirst ? m_cluster.identity(pb::COORDINATOR, "coordinator", pb::NO_ROLE)
                           : m_cluster.successorOf(m_coordinator->index);
    if (isFirst)
        options.config = m_case.file(); // a later coordinator learns the parameters from the buckets
    else
        options.config.set_m(1), options.config.set_b(1);
    options.timers = m_case.timers();
    options.recruiting = m_case.by_registry() ? Recruiting::Registry : Recruiting::Auto;
    options.seed = m_cluster.drawMachineSeed();
    options.listensFirst = !isFirst;
    options.isFileKnown = !isFirst; // a coordinator is replaced only after the file exists
    auto machine = std::make_unique<Coordinator>(options);
    m_coordinator = isFirst ? &m_cluster.start(options.self, std::move(machine))
                            : &m_cluster.startAgain(options.self, std::move(machine));
    m_isCoordinatorDown = false;
}

void Simulation::replaceCoordinator(const pb::CaseAction& action)
{
    const auto& coordinator = dynamic_cast<const Coordinator*>(m_coordinator->machine.get());
    if (m_isCoordinatorDown || !coordinator || !m_oracle.growth().exists() || !m_faultInjector.isAnyHeard())
        return;
    ++m_restarts;
    m_actionsUnderWay = 0;
    m_isCoordinatorDown = true;
    m_faultInjector.coordinatorEnds();
    const Time time = std::chrono::milliseconds(action.duration_ms());
    if (action.kind() == pb::CaseAction::TAKE_OVER) {
        const SimProcess& former = m_cluster.moveAway(m_coordinator->index);
        // Until the next coordinator knows the file, it is undefined which of the two processes obey.
        m_cluster.pause(former.index, std::chrono::hours(1));
        m_sleeping.push_back({ former.index, time });
        startCoordinator(false);
        return;
    }
    m_cluster.kill(m_coordinator->index);
    m_cluster.after(time, [this, of = m_restarts] {
        if (m_isCoordinatorDown && of == m_restarts)
            startCoordinator(false);
    });
}

// Its open requests get no answer, and it sends no more.
void Simulation::endClient(std::uint32_t process)
{
    for (ClientState& client : m_clients) {
        if (client.process->index != process)
            continue;
        m_answered += client.unanswered + (client.operations.size() - client.next);
        client.next = client.operations.size();
        client.unanswered = 0;
        m_oracle.answers().abandoned(*client.process);
    }
}

// Where a spare is missing, another one is started after a while, as an operator would do.
void Simulation::askForSpares()
{
    if (m_case.spares_late() && !m_areFaultsOver && m_oracle.growth().exists())
        return;
    for (const pb::Role pool : { pb::DATA, pb::PARITY })
        for (std::uint32_t missing = m_oracle.growth().takeMissingSpares(pool); missing > 0 && m_nodes < kNodesMax;
             --missing) {
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
    startCoordinator(true);
    for (std::uint32_t i = 0; i < m_case.data_spares(); ++i)
        startNode(pb::DATA);
    for (std::uint32_t i = 0; i < m_case.parity_spares(); ++i)
        startNode(pb::PARITY);
    startClients();

    const auto play = [&] {
        if (!runUntil([&] { return m_oracle.growth().exists(); }, 120s, "the file was not created"))
            return false;
        // Safety: the case's faults, until all its operations are answered.
        armActions();
        act();
        for (ClientState& client : m_clients)
            issue(client);
        const auto operations = std::uint64_t(m_case.operations_size());
        const Time limit = 600s + Time(6s) * std::int64_t(operations);
        if (!runUntil([&] { return m_answered == operations; }, limit, "not all operations were answered"))
            return false;
        heal();
        return comeToRest() && (isNothingLeft() || (readBack() && comeToRest()));
    };
    const bool isPlayed = play();
    if (isPlayed && !isNothingLeft()) {
        bool isLooked = false;
        pb::Command command;
        command.mutable_describe_file();
        m_cluster.command(*m_coordinator, std::move(command), [&](const pb::CommandReply& reply) {
            m_oracle.checkAtRest(reply.file());
            m_oracle.answers().checkHistories();
            isLooked = true;
        });
        runUntil([&] { return isLooked; }, 10s, "the coordinator did not describe the file");
    }
    keepFailure();
    return !m_failure;
}

// Liveness: a quiet network, no paused process, and enough spares.
void Simulation::heal()
{
    m_areFaultsOver = true;
    if (m_isCoordinatorDown)
        startCoordinator(false);
    m_failpoints.end();
    m_faultInjector.end();
    if (m_case.memory_limit() > 0) { // a split without room is retried forever, so servers get more memory
        for (const auto& process : m_cluster.processes())
            if (process->info.kind() == pb::NODE)
                m_cluster.setMemory(*process, {});
    }
    const std::uint64_t killed = m_faultInjector.counts().kills + m_faultInjector.counts().pauses
        + m_faultInjector.counts().parts + m_faultInjector.counts().slow;
    const std::uint64_t spares = m_isSpareMissing ? kSparesAtHeal
        : killed > 0                              ? std::min<std::uint64_t>(killed + 4, kSparesAtHeal)
                                                  : 0;
    for (const pb::Role pool : { pb::DATA, pb::PARITY })
        for (std::uint64_t i = 0; i < spares; ++i)
            startNode(pool);
}

// Nothing more will happen: everything that is not at rest waits for a group that is permanently lost.
bool Simulation::isAtRestButLost(bool isStuck) const
{
    const auto& coordinator = dynamic_cast<const Coordinator&>(*m_coordinator->machine);
    // A coordinator that is still listening knows no group.
    if (m_oracle.losses().groups().empty() || !coordinator.file().exists())
        return false;
    const auto isInit = [](const auto& item) { return item.second.state == pb::INIT; };
    return (coordinator.growth().isIdle() || isStuck)
        && std::all_of(coordinator.file().groups().begin(), coordinator.file().groups().end(), [&](const auto& item) {
               // The target's group waits too.
               return (isStuck && std::any_of(item.second.data.begin(), item.second.data.end(), isInit))
                   || item.second.state == pb::GROUP_LOST
                   || (item.second.state == pb::GROUP_UP && !item.second.isRecovering);
           });
}

// All processes that held any part of the file have ended. A coordinator that starts afterwards waits for an operator.
bool Simulation::isNothingLeft() const
{
    const auto isBucket = [](const auto& process) {
        const auto* node = dynamic_cast<const NodeMachine*>(process->machine.get());
        return node && (node->dataBucket() || node->parityBucket());
    };
    const auto& processes = m_cluster.processes();
    // The remaining members may have been replaced, or may never have counted.
    return (m_case.is_unbounded() || m_oracle.losses().isAnyDeclaredAlive())
        && dynamic_cast<const Coordinator&>(*m_coordinator->machine).isFileSilent()
        && (std::none_of(processes.begin(), processes.end(), isBucket) || !m_faultInjector.isAnyHeard());
}

void Simulation::keepFailure()
{
    if (m_cluster.failure())
        m_failure = Failure { 0, *m_cluster.failure(), m_cluster.now() };
    else if (const auto& found = m_oracle.failure())
        m_failure = Failure { found->violation.invariant, found->violation.text, found->at };
}

std::string Simulation::whoWaits() const
{
    const std::set<std::uint32_t>& lost = m_oracle.losses().groups();
    for (const auto& process : m_cluster.processes()) {
        const auto* node = dynamic_cast<const NodeMachine*>(process->machine.get());
        if (!node)
            continue;
        if (const DataBucket* bucket = node->dataBucket(); bucket
            && !lost.contains(bucket->number().value / m_case.file().m())
            && (!bucket->link().isIdle() || bucket->held() > 0))
            return process->info.name() + " (data bucket " + std::to_string(bucket->number().value)
                + ") has changes or requests that wait";
        if (const ParityBucket* bucket = node->parityBucket();
            bucket && !lost.contains(bucket->group().value) && bucket->held() > 0)
            return process->info.name() + " (parity bucket " + std::to_string(bucket->group().value) + "."
                + std::to_string(bucket->column().value) + ") has changes that wait";
    }
    return {};
}

// Waits until nothing is under way and the last late copy of a datagram has arrived: a bucket that a merge has left
// with few records may request the next merge only then.
bool Simulation::comeToRest()
{
    constexpr int kRoundsMax = 100; // a file that alternates between merges and splits never comes to rest
    const auto late = std::chrono::milliseconds(std::max(m_case.network().late_ms(), m_case.network().spike_ms())) + 1s;
    for (int round = 0; round < kRoundsMax; ++round) {
        if (!waitForRest())
            return false;
        bool isLast = false;
        m_cluster.after(late, [&] { isLast = true; });
        if (!runUntil([&] { return isLast; }, 10min, "time stood still"))
            return false;
        if (dynamic_cast<const Coordinator&>(*m_coordinator->machine).isAtRest() || isNothingLeft()
            || isAtRestButLost(true))
            return true;
    }
    m_oracle.fail(17, "the file comes to rest and goes on, again and again");
    return false;
}

bool Simulation::waitForRest()
{
    // The time counts from the last progress, because a file that owes forty splits is not stuck.
    const Oracle::Counts& counts = m_oracle.counts();
    const auto steps = [&] { return counts.splits + counts.parityAdded + counts.cuts + counts.recovered; };
    // A coordinator that starts waits for silent members, and then waits once more before it declares them lost.
    const Time patience = std::chrono::milliseconds(withDefaults(m_case.timers()).lost_ms());
    const Time limit = kRecoveryTime + 2 * std::max(Time(), patience - 10s);
    Time end = m_cluster.now() + limit;
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
        if (isNothingLeft())
            return true;
        isAtRest = (isAtRest ? m_actionsUnderWay == 0 : isAtRestButLost(false)) && whoWaits().empty();
        if (std::exchange(stepsBefore, steps()) != steps())
            end = m_cluster.now() + limit;
        if (!isAtRest && m_cluster.now() >= end) {
            // If the source of a decided split is lost, its target waits for an operator who knows that the old process
            // has ended.
            if (isAtRestButLost(true))
                break;
            m_oracle.fail(17,
                "not at rest long after the last step forward: "
                    + (!underWay.empty()          ? underWay
                            : !whoWaits().empty() ? whoWaits()
                                                  : "commands are waiting"));
            return false;
        }
        bool isLater = false;
        m_cluster.after(20ms, [&] { isLater = true; });
        if (!runUntil([&] { return isLater; }, 1s, "time stood still"))
            return false;
    }
    return true;
}

// The clients take turns to read every key that was ever named.
bool Simulation::readBack()
{
    m_isReadingBack = true;
    for (ClientState& client : m_clients) {
        client.operations.clear();
        client.next = 0;
    }
    m_expected = m_answered;
    std::size_t turn = 0;
    std::vector<ClientState*> alive;
    for (ClientState& client : m_clients)
        if (!client.process->isGone())
            alive.push_back(&client);
    std::int64_t stuck = 0;
    for (const std::uint64_t key : m_oracle.answers().ledger().keys()) {
        stuck += m_oracle.losses().isStuck(key) ? 1 : 0;
        pb::Operate operate;
        operate.set_kind(pb::SEARCH);
        operate.set_key(key);
        alive[turn++ % alive.size()]->operations.push_back(std::move(operate));
        ++m_expected;
    }
    m_results.clear();
    for (ClientState& client : m_clients)
        issue(client);
    // A key that waits for an operator is requested until the operation's deadline, 5 s.
    const Time limit = kRecoveryTime + 1ms * std::int64_t(m_expected) + 6s * stuck;
    if (!runUntil([&] { return m_answered == m_expected; }, limit, "not all keys were read back"))
        return false;
    return !m_oracle.failure();
}

} // namespace lhrs
