// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/sim_cluster.h"

#include "common/errors.h"

#include <sodium/crypto_hash_sha256.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <utility>

namespace lhrs {

using std::chrono::nanoseconds;

namespace {

// Where the simulated wall clock stands at the start: any fixed instant will do.
constexpr std::int64_t kWallStart = 1'700'000'000'000'000'000;

// A machine's check of itself failed. Thrown by the reporter that a step installs, so that the run ends with its seed
// in hand instead of ending the process; caught in the same step.
struct CheckFailed {
    std::string text;
};

class CheckGuard {
public:
    CheckGuard()
        : m_before(checkReporter)
    {
        checkReporter = [](const char* text) { throw CheckFailed { text }; };
    }
    ~CheckGuard() { checkReporter = m_before; }
    CheckGuard(const CheckGuard&) = delete;
    CheckGuard& operator=(const CheckGuard&) = delete;

private:
    const CheckReporter m_before;
};

} // namespace

struct SimCluster::Digest {
    crypto_hash_sha256_state state;
    Digest() { crypto_hash_sha256_init(&state); }
    void add(const void* bytes, std::size_t size)
    {
        crypto_hash_sha256_update(&state, static_cast<const unsigned char*>(bytes), size);
    }
};

struct SimCluster::Happening {
    enum class Kind : std::uint8_t { Arrival, Work, Timer, Call };
    Time at {};
    std::uint64_t drawn = 0;  // orders what happens at the same time
    std::uint64_t number = 0; // and, should that be equal too, the first scheduled is first
    Kind kind = Kind::Call;
    SimProcess* process = nullptr;
    std::uint32_t from = 0; // the process that sent what arrives
    SimInput input;
    std::function<void()> call;

    static bool isLater(const Happening& a, const Happening& b)
    {
        if (a.at != b.at)
            return a.at > b.at;
        return a.drawn != b.drawn ? a.drawn > b.drawn : a.number > b.number;
    }
};

SimCluster::SimCluster(const Options& options)
    : m_options(options)
    , m_network(options.network, options.seed)
    , m_order(options.seed, DrawnFor::Order)
    , m_machineSeeds(options.seed, DrawnFor::Machines)
    , m_faults(options.seed, DrawnFor::Faults)
    , m_failures(options.seed, DrawnFor::Failures)
    , m_digest(std::make_unique<Digest>())
{
}

SimCluster::~SimCluster() = default;

pb::ProcessInfo SimCluster::identity(pb::ProcessKind kind, const std::string& name, pb::Role pool)
{
    const auto index = std::uint32_t(m_processes.size() + 1);
    pb::ProcessInfo info;
    info.set_node(m_machineSeeds.next() | 1);
    info.set_kind(kind);
    info.set_name(name);
    info.set_pid(index);
    Address { index, 0, 0 }.to(*info.mutable_address());
    info.set_version(LHRS_VERSION);
    info.set_spare_role(pool);
    return info;
}

SimProcess& SimCluster::start(const pb::ProcessInfo& identity, std::unique_ptr<Machine> machine)
{
    const auto index = std::uint32_t(m_processes.size() + 1);
    LHRS_CHECK(identity.address().ip() == index);
    auto process = std::unique_ptr<SimProcess>(new SimProcess(NodeId(identity.node()), Address { index, 0, 0 }));
    process->index = index;
    process->info = identity;
    process->machine = std::move(machine);
    process->pool = identity.spare_role();
    process->clockOffset = nanoseconds(m_faults.below(10'000'000'000));
    const std::int64_t driftMax = m_options.driftPpmMax;
    process->driftPpm = std::int64_t(m_faults.below(2 * std::uint64_t(driftMax) + 1)) - driftMax;
    process->m_stamper->setDetail(m_options.withMessages ? pb::FULL : pb::OPERATIONS, 1);
    m_processes.push_back(std::move(process));
    SimProcess& started = *m_processes.back();
    started.m_timeIsQueued = true;
    arrive(started, SimInput {}); // the first call of onTime starts the machine
    return started;
}

pb::ProcessInfo SimCluster::successorOf(std::uint32_t index)
{
    pb::ProcessInfo info = m_processes.at(index - 1)->info;
    info.set_node(m_machineSeeds.next() | 1);
    return info;
}

SimProcess& SimCluster::startAgain(const pb::ProcessInfo& identity, std::unique_ptr<Machine> machine)
{
    const std::uint32_t index = identity.address().ip();
    SimProcess& process = *m_processes.at(index - 1);
    LHRS_CHECK(process.isGone());
    process.info = identity;
    process.machine = std::move(machine);
    process.m_stamper.emplace(NodeId(identity.node()), Address { index, 0, 0 });
    process.m_stamper->setDetail(m_options.withMessages ? pb::FULL : pb::OPERATIONS, 1);
    process.m_busyUntil = m_now;
    process.m_pausedUntil = m_now;
    process.m_timerAt = Time::max();
    process.m_timeIsQueued = true;
    arrive(process, SimInput {});
    return process;
}

SimProcess& SimCluster::moveAway(std::uint32_t index)
{
    SimProcess& former = *m_processes.at(index - 1);
    const auto moved = std::uint32_t(m_processes.size() + 1);
    auto process = std::unique_ptr<SimProcess>(new SimProcess(NodeId(former.info.node()), Address { moved, 0, 0 }));
    process->index = moved;
    process->info = former.info;
    process->info.set_name(former.info.name() + " (former)");
    process->clockOffset = former.clockOffset;
    process->driftPpm = former.driftPpm;
    process->machine = std::move(former.machine);
    process->m_inbox = std::move(former.m_inbox);
    process->m_pausedUntil = former.m_pausedUntil;
    process->m_hasJustWoken = true;
    process->m_timeIsQueued = former.m_timeIsQueued;
    process->m_stamper->setDetail(m_options.withMessages ? pb::FULL : pb::OPERATIONS, 1);
    former.m_inbox.clear();
    former.m_stepIsScheduled = false;
    m_processes.push_back(std::move(process));
    SimProcess& now = *m_processes.back();
    if (!now.m_inbox.empty())
        scheduleWork(now, std::max(m_now, now.m_pausedUntil));
    wind(now);
    return now;
}

SimProcess* SimCluster::processAt(const Address& address)
{
    if (address.ip == 0 || address.ip > m_processes.size())
        return nullptr;
    return m_processes[address.ip - 1].get();
}

const SimProcess* SimCluster::at(const Address& address) const
{
    return address.ip == 0 || address.ip > m_processes.size() ? nullptr : m_processes[address.ip - 1].get();
}

const SimProcess* SimCluster::numbered(NodeId node) const
{
    for (const auto& process : m_processes)
        if (process->info.node() == node.value)
            return process.get();
    return nullptr;
}

Time SimCluster::localTime(const SimProcess& process, Time global) const
{
    return process.clockOffset + global + nanoseconds(global.count() * process.driftPpm / 1'000'000);
}

// The first instant at which the process' clock shows at least this.
Time SimCluster::globalTime(const SimProcess& process, Time local) const
{
    if (local == Time::max())
        return Time::max();
    const std::int64_t since = std::max<std::int64_t>(0, (local - process.clockOffset).count());
    const std::int64_t rate = 1'000'000 + process.driftPpm;
    Time global = nanoseconds(since / rate * 1'000'000 + since % rate * 1'000'000 / rate);
    while (localTime(process, global) < local)
        global += nanoseconds(1);
    return global;
}

void SimCluster::command(const SimProcess& process, pb::Command command, OnReply onReply)
{
    command.set_ticket(++m_lastTicket);
    m_waiting.emplace(m_lastTicket, std::move(onReply));
    SimInput input;
    input.command = std::make_shared<const pb::Command>(std::move(command));
    Happening happening;
    happening.at = m_now;
    happening.kind = Happening::Kind::Arrival;
    happening.process = m_processes[process.index - 1].get();
    happening.input = std::move(input);
    schedule(std::move(happening));
}

// ---- failures

void SimCluster::kill(std::uint32_t index)
{
    SimProcess& process = *m_processes.at(index - 1);
    if (process.isGone())
        return;
    process.machine.reset();
    process.m_inbox.clear();
    process.m_stepIsScheduled = false;
    process.pool = pb::NO_ROLE;
    // How far it came with its last messages: all left, none, or any of them.
    const std::uint64_t lost = m_failures.below(3);
    for (Happening& happening : m_queue) {
        if (happening.from == index && happening.kind == Happening::Kind::Arrival && (lost == 1 || (lost == 2 && m_failures.chance(500))))
            happening.input = {}, happening.process = nullptr;
    }
}

void SimCluster::pause(std::uint32_t index, Time time)
{
    SimProcess& process = *m_processes.at(index - 1);
    process.m_pausedUntil = std::max(process.m_pausedUntil, m_now + time);
    process.m_hasJustWoken = true;
}

void SimCluster::slowDown(std::uint32_t index, std::uint32_t factor, Time time)
{
    SimProcess& process = *m_processes.at(index - 1);
    process.m_slowness = std::max(1U, factor);
    process.m_slowUntil = m_now + time;
}

void SimCluster::wake(std::uint32_t index)
{
    SimProcess& process = *m_processes.at(index - 1);
    if (process.m_pausedUntil <= m_now)
        return;
    process.m_pausedUntil = m_now;
    if (process.m_stepIsScheduled)
        scheduleWork(process, std::max(m_now, process.m_busyUntil));
}

void SimCluster::heal()
{
    m_network.becomeQuiet();
    for (const auto& process : m_processes) {
        process->m_slowUntil = std::min(process->m_slowUntil, m_now);
        wake(process->index);
    }
}

void SimCluster::after(Time delay, std::function<void()> what)
{
    Happening happening;
    happening.at = m_now + delay;
    happening.call = std::move(what);
    schedule(std::move(happening));
}

bool SimCluster::runUntil(const std::function<bool()>& condition, Time limit)
{
    const Time end = m_now + limit;
    while (!condition()) {
        if (m_failure || m_queue.empty() || m_queue.front().at > end)
            return false;
        std::pop_heap(m_queue.begin(), m_queue.end(), Happening::isLater);
        Happening next = std::move(m_queue.back());
        m_queue.pop_back();
        m_now = std::max(m_now, next.at);
        happen(next);
    }
    return !m_failure;
}

void SimCluster::schedule(Happening happening)
{
    happening.drawn = m_order.next();
    happening.number = ++m_scheduled;
    m_queue.push_back(std::move(happening));
    std::push_heap(m_queue.begin(), m_queue.end(), Happening::isLater);
}

void SimCluster::happen(Happening& happening)
{
    switch (happening.kind) {
    case Happening::Kind::Arrival:
        if (!happening.process || happening.process->isGone())
            break;
        arrive(*happening.process, std::move(happening.input));
        break;
    case Happening::Kind::Work:
        if (happening.process->m_stepIsScheduled && happening.at == happening.process->m_workAt && !happening.process->isGone())
            workOff(*happening.process);
        break;
    case Happening::Kind::Timer:
        if (happening.at != happening.process->m_timerAt || happening.process->isGone())
            break; // an earlier one took its place
        happening.process->m_timerAt = Time::max();
        wind(*happening.process);
        break;
    case Happening::Kind::Call:
        happening.call();
        break;
    }
}

// Into the inbox; a process that is busy takes it out when it has time.
void SimCluster::arrive(SimProcess& process, SimInput input)
{
    const bool isDatagram = input.message && input.transport != pb::STREAM;
    if (isDatagram && m_now < process.m_pausedUntil && process.m_inbox.size() >= m_options.inboxMax)
        return; // as a socket's buffer that nobody empties
    process.m_inbox.push_back(std::move(input));
    if (!process.m_stepIsScheduled)
        scheduleWork(process, std::max({ m_now, process.m_busyUntil, process.m_pausedUntil }));
}

void SimCluster::scheduleWork(SimProcess& process, Time at)
{
    process.m_stepIsScheduled = true;
    process.m_workAt = at;
    Happening work;
    work.at = at;
    work.kind = Happening::Kind::Work;
    work.process = &process;
    schedule(std::move(work));
}

void SimCluster::workOff(SimProcess& process)
{
    if (m_now < process.m_pausedUntil) {
        scheduleWork(process, process.m_pausedUntil);
        return;
    }
    process.m_stepIsScheduled = false;
    // Who wakes up finds timers and messages due at once, and nothing says which comes first.
    if (std::exchange(process.m_hasJustWoken, false) && m_failures.chance(500))
        std::stable_partition(process.m_inbox.begin(), process.m_inbox.end(), [](const SimInput& i) { return !i.message && !i.command; });
    const SimInput input = std::move(process.m_inbox.front());
    process.m_inbox.pop_front();
    step(process, input);
    if (m_failure)
        return;
    if (process.isGone())
        return;
    if (!process.m_inbox.empty())
        scheduleWork(process, process.m_busyUntil);
    wind(process);
}

void SimCluster::step(SimProcess& process, const SimInput& input)
{
    ++m_steps;
    const Time local = localTime(process, m_now);
    const std::uint32_t factor = m_now < process.m_slowUntil ? process.m_slowness : 1;
    const Time cost = (m_options.stepCost + m_options.stepCostPerKib * std::int64_t(input.bytes) / 1024) * factor;
    process.m_busyUntil = m_now + cost;
    m_effects.clear();
    m_effects.begin(input.message.get());
    m_effects.at(pb::NO_ROLE, 0); // one Effects serves all processes; the place is each one's own
    try {
        const CheckGuard guard;
        if (input.message) {
            ++m_messagesDelivered;
            process.m_stamper->received(*input.message, input.bytes, input.transport, m_effects);
            process.machine->onMessage(*input.message, local, m_effects);
        } else if (input.command) {
            process.machine->onCommand(*input.command, local, m_effects);
        } else {
            process.m_timeIsQueued = false;
            process.machine->onTime(local, m_effects);
        }
    } catch (const CheckFailed& failed) {
        m_failure = process.info.name() + ": " + failed.text;
        return;
    } catch (const std::exception& escaped) {
        m_failure = process.info.name() + ": an exception left the machine: " + escaped.what();
        return;
    }
    process.m_stamper->stamp(m_effects, local, kWallStart + (m_now + process.m_wallOffset).count(), cost);
    if (m_options.withHash) {
        for (const pb::Event* event : m_effects.events()) {
            const std::array<std::uint64_t, 2> head { std::uint64_t(m_now.count()), process.index };
            m_digest->add(head.data(), sizeof head);
            event->SerializeToString(&m_bytes);
            m_digest->add(m_bytes.data(), m_bytes.size());
        }
    }
    m_eventCount += m_effects.events().size();
    if (m_observer)
        m_observer->onStep(process, input, m_effects, m_now);
    carryOut(process, process.m_busyUntil);
}

// Sets the process' timer; what is due already goes into its inbox.
void SimCluster::wind(SimProcess& process)
{
    if (process.m_timeIsQueued)
        return;
    const Time due = globalTime(process, process.machine->deadline());
    if (due <= m_now) {
        process.m_timeIsQueued = true;
        arrive(process, SimInput {});
        return;
    }
    if (due >= process.m_timerAt)
        return; // the earlier timer looks again
    process.m_timerAt = due;
    Happening timer;
    timer.at = due;
    timer.kind = Happening::Kind::Timer;
    timer.process = &process;
    schedule(std::move(timer));
}

void SimCluster::carryOut(SimProcess& process, Time leaves)
{
    if (m_effects.poolToLeave() != pb::NO_ROLE)
        process.pool = pb::NO_ROLE;
    if (m_effects.poolToJoin() != pb::NO_ROLE)
        process.pool = m_effects.poolToJoin();
    for (const Effects::Send& message : m_effects.sends())
        send(process, message, leaves);
    for (const Effects::Multicast& message : m_effects.multicasts())
        multicast(process, message, leaves);
    // A callback may give new commands, which only enter the queue; it must not see the reply after it returns.
    for (const pb::CommandReply* reply : m_effects.replies()) {
        const auto waiting = m_waiting.find(reply->ticket());
        if (waiting == m_waiting.end()) {
            m_failure = process.info.name() + " answered a command that was not given to it, or answered it twice";
            return;
        }
        const OnReply onReply = std::move(waiting->second);
        m_waiting.erase(waiting);
        onReply(*reply);
    }
}

void SimCluster::send(SimProcess& process, const Effects::Send& send, Time leaves)
{
    SimProcess* receiver = processAt(send.to);
    if (!receiver || receiver->isGone())
        return; // nobody listens there
    const auto message = throughTheWire(*send.message);
    Happening arrival;
    arrival.kind = Happening::Kind::Arrival;
    arrival.process = receiver;
    arrival.from = process.index;
    arrival.input.message = message;
    arrival.input.bytes = std::uint32_t(message->ByteSizeLong());
    if (send.way != Way::Auto || m_options.allByStream || arrival.input.bytes > kDatagramBytesMax) {
        arrival.input.transport = pb::STREAM;
        const auto at = m_network.stream(process.index, receiver->index, arrival.input.bytes, leaves);
        if (!at)
            return;
        arrival.at = *at;
        schedule(std::move(arrival));
        return;
    }
    m_network.datagram(process.index, receiver->index, leaves, m_delays);
    if (m_delays.size() > 1 && m_observer)
        m_observer->onCopied(*message);
    for (const Time delay : m_delays) {
        Happening copy = arrival;
        copy.at = leaves + delay;
        schedule(std::move(copy));
    }
}

void SimCluster::multicast(SimProcess& process, const Effects::Multicast& multicast, Time leaves)
{
    const auto message = throughTheWire(*multicast.message);
    for (const auto& member : m_processes) {
        if (member->pool != multicast.pool || member.get() == &process)
            continue;
        m_network.datagram(process.index, member->index, leaves, m_delays);
        for (const Time delay : m_delays) {
            Happening arrival;
            arrival.at = leaves + delay;
            arrival.kind = Happening::Kind::Arrival;
            arrival.process = member.get();
            arrival.from = process.index;
            arrival.input.message = message;
            arrival.input.bytes = std::uint32_t(message->ByteSizeLong());
            arrival.input.transport = pb::MULTICAST;
            schedule(std::move(arrival));
        }
    }
}

// Messages travel as objects; now and then one goes through bytes, to show that it survives them.
std::shared_ptr<const pb::Message> SimCluster::throughTheWire(const pb::Message& message)
{
    if (m_options.reparseEvery == 0 || m_order.below(m_options.reparseEvery) != 0)
        return std::make_shared<const pb::Message>(message);
    const std::string bytes = message.SerializeAsString();
    auto parsed = std::make_shared<pb::Message>();
    if (!parsed->ParseFromString(bytes) || parsed->SerializeAsString() != bytes)
        m_failure = std::string("a message of kind ") + kindOf(message) + " does not survive the wire";
    return parsed;
}

std::string SimCluster::hash() const
{
    crypto_hash_sha256_state state = m_digest->state;
    std::array<unsigned char, crypto_hash_sha256_BYTES> hash {};
    crypto_hash_sha256_final(&state, hash.data());
    std::string hex;
    for (const unsigned char byte : hash) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", byte);
        hex += digits;
    }
    return hex;
}

} // namespace lhrs
