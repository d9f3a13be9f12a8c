// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/engine/sim_cluster.h"

#include "common/errors.h"
#include "common/kinds.h"
#include "node/sim/engine/sim_happening.h"

#include <sodium/crypto_hash_sha256.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <utility>

namespace lhrs {

using std::chrono::nanoseconds;

namespace {

// The simulated wall clock at the start; any fixed instant will do.
constexpr std::int64_t kWallStart = 1'700'000'000'000'000'000;

// A machine's own check failed. Thrown by the reporter that a step installs and caught in the same step, so that the
// run ends and can report its seed, instead of ending the process.
struct CheckFailed {
    std::string text;
};

class CheckGuard {
public:
    CheckGuard() : m_before(checkReporter)
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

SimCluster::SimCluster(const Options& options)
    : m_options(options), m_network(options.network, options.seed), m_order(options.seed, DrawnFor::Order),
      m_machineSeeds(options.seed, DrawnFor::Machines), m_faults(options.seed, DrawnFor::Faults),
      m_failures(options.seed, DrawnFor::Failures), m_agenda(std::make_unique<Agenda>()),
      m_digest(std::make_unique<Digest>())
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
    info.set_pool(pool);
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
    process->pool = identity.pool();
    const Time offset = nanoseconds(m_faults.below(10'000'000'000));
    process->clockOffset = m_options.clockOffsetMax.count() > 0 ? offset % m_options.clockOffsetMax : Time();
    const std::int64_t driftMax = m_options.driftPpmMax;
    process->driftPpm = std::int64_t(m_faults.below(2 * std::uint64_t(driftMax) + 1)) - driftMax;
    process->m_stamper->setDetail(m_options.withMessages ? pb::FULL : pb::OPERATIONS, 1);
    m_processes.push_back(std::move(process));
    SimProcess& started = *m_processes.back();
    started.m_timeIsQueued = true;
    arrive(started, SimInput {}); // the first call of onTime starts the machine
    return started;
}

SimProcess* SimCluster::processAt(const Address& address)
{
    if (address.ip.number() == 0 || address.ip.number() > m_processes.size())
        return nullptr;
    return m_processes[address.ip.number() - 1].get();
}

const SimProcess* SimCluster::at(const Address& address) const
{
    return address.ip.number() == 0 || address.ip.number() > m_processes.size()
        ? nullptr
        : m_processes[address.ip.number() - 1].get();
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

// The first instant at which the clock of the process's machine shows at least `local`; never, while the gate is
// closed.
Time SimCluster::globalTime(const SimProcess& process, Time local) const
{
    if (local == Time::max())
        return Time::max();
    const std::int64_t since = std::max<std::int64_t>(0, (local - process.clockOffset).count());
    const std::int64_t rate = 1'000'000 + process.driftPpm;
    Time global = nanoseconds(since / rate * 1'000'000 + since % rate * 1'000'000 / rate);
    while (localTime(process, global) < local)
        global += nanoseconds(1);
    return process.m_gate ? process.m_gate->when(global).value_or(Time::max()) : global;
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
        if (m_failure || m_agenda->isEmpty() || m_agenda->nextAt() > end)
            return false;
        if (m_gate) {
            const Gate gate = m_gate();
            if (gate == Gate::Ended)
                return false;
            if (gate == Gate::AskAgain)
                continue;
        }
        happenNext();
    }
    return !m_failure;
}

std::optional<Time> SimCluster::nextAt() const
{
    return m_agenda->isEmpty() ? std::nullopt : std::optional(m_agenda->nextAt());
}

void SimCluster::happenNext()
{
    Happening next = m_agenda->pop();
    m_now = std::max(m_now, next.at);
    happen(next);
}

pb::CommandReply SimCluster::ask(const SimProcess& process, const pb::Command& question)
{
    Effects answer;
    pb::CommandReply reply;
    try {
        const CheckGuard guard;
        process.machine->onCommand(question, protocolClockOf(process), answer);
        const bool isQuestion = answer.sends().empty() && answer.multicasts().empty() && answer.events().empty();
        LHRS_CHECK(isQuestion && answer.replies().size() == 1);
        reply = *answer.replies().front();
    } catch (const CheckFailed& failed) {
        m_failure = process.info.name() + ": " + failed.text;
        reply.set_refusal(pb::REFUSED);
        reply.set_text(*m_failure);
    }
    return reply;
}

pb::Snapshot SimCluster::snapshot(const SimProcess& process) const
{
    pb::Snapshot snapshot;
    process.machine->snapshot(snapshot);
    snapshot.set_process(process.info.node());
    snapshot.set_sequence(process.m_stamper->sequence());
    snapshot.set_time_ns(clockOf(process).count());
    snapshot.set_wall_ns(kWallStart + (m_now + process.m_wallOffset).count());
    *snapshot.mutable_info() = process.info;
    snapshot.set_detail(process.m_stamper->detail());
    snapshot.set_is_gated(process.isGated());
    return snapshot;
}

void SimCluster::setDetail(const SimProcess& process, pb::Detail detail, std::uint32_t sample)
{
    m_processes.at(process.index - 1)->m_stamper->setDetail(detail, sample);
}

void SimCluster::tell(const SimProcess& process, const std::function<void(Effects&)>& fill)
{
    SimProcess& teller = *m_processes.at(process.index - 1);
    m_effects.clear();
    m_effects.begin(nullptr);
    m_effects.at(teller.m_place.role(), teller.m_place.number(), teller.m_place.column());
    fill(m_effects);
    teller.m_stamper->stamp(m_effects, clockOf(teller), kWallStart + (m_now + teller.m_wallOffset).count(), {});
    count(teller, {});
}

void SimCluster::setMemory(const SimProcess& process, const MemoryReading& reading)
{
    SimProcess& measured = *m_processes.at(process.index - 1);
    if (measured.isGone())
        return;
    tell(process, [&](Effects& out) { measured.machine->onMemory(reading, protocolClockOf(process), out); });
    wind(measured);
}

void SimCluster::schedule(Happening happening) { m_agenda->push(std::move(happening), m_order.next()); }

void SimCluster::happen(Happening& happening)
{
    switch (happening.kind) {
    case Happening::Kind::Arrival:
        if (happening.process && !happening.process->isGone())
            comeIn(happening);
        break;
    case Happening::Kind::Work:
        if (happening.process->m_stepIsScheduled && happening.at == happening.process->m_workAt
            && !happening.process->isGone())
            workOff(*happening.process);
        break;
    case Happening::Kind::Timer:
        if (happening.at != happening.process->m_timerAt || happening.process->isGone())
            break; // an earlier timer has replaced it
        happening.process->m_timerAt = Time::max();
        wind(*happening.process);
        break;
    case Happening::Kind::Call: happening.call(); break;
    }
}

// Passes an arrival through the receiver's door, if there is one.
void SimCluster::comeIn(Happening& arrival)
{
    SimProcess& process = *arrival.process;
    const SimInput& input = arrival.input;
    if (!m_door || !input.message || arrival.isLetIn) {
        arrive(process, std::move(arrival.input));
        return;
    }
    FaultBook::Passing passing;
    passing.isIncoming = true;
    passing.node = NodeId(m_processes[arrival.from - 1]->info.node());
    passing.isMulticast = input.transport == pb::MULTICAST;
    passing.isStream = input.transport == pb::STREAM;
    passing.kind = kindOf(*input.message);
    passing.bytes = input.bytes;
    const Fate fate = m_door->judge(process, passing, m_now);
    if (fate.isDropped || fate.isCut || fate.isCorrupted)
        return;
    if (fate.isDoubled)
        arrive(process, input);
    if (fate.delay.count() == 0) {
        arrive(process, std::move(arrival.input));
        return;
    }
    arrival.isLetIn = true;
    arrival.at = m_now + fate.delay;
    schedule(std::move(arrival));
}

// Puts an input into the inbox; a busy process takes it out when it has time.
void SimCluster::arrive(SimProcess& process, SimInput input)
{
    const bool isDatagram = input.message && input.transport != pb::STREAM;
    if (isDatagram && m_now < process.m_pausedUntil && process.m_inbox.size() >= m_options.inboxMax)
        return; // as with a socket's buffer that is not read
    process.m_inbox.push_back(std::move(input));
    process.m_inboxMost = std::max(process.m_inboxMost, process.m_inbox.size());
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
    // A process that wakes up finds that timers and messages are due at once, in no defined order.
    if (std::exchange(process.m_hasJustWoken, false) && m_failures.chance(500))
        std::stable_partition(
            process.m_inbox.begin(), process.m_inbox.end(), [](const SimInput& i) { return !i.message && !i.command; });
    const SimInput input = std::move(process.m_inbox.front());
    process.m_inbox.pop_front();
    if (process.isGated() && !input.command) {
        hold(process, input);
        if (!process.m_inbox.empty())
            scheduleWork(process, std::max(m_now, process.m_busyUntil));
        return;
    }
    process.m_messagesTaken += input.message ? 1 : 0;
    step(process, input);
    if (m_failure)
        return;
    if (process.isGone())
        return;
    if (m_isGated && !process.isGated())
        closeGate(process);
    if (!process.m_inbox.empty())
        scheduleWork(process, process.m_busyUntil);
    wind(process);
}

void SimCluster::step(SimProcess& process, const SimInput& input)
{
    ++m_steps;
    const Time local = localTime(process, m_now);
    const Time shown = protocolClockOf(process);
    process.m_hasBegun = true;
    const std::uint32_t factor = m_now < process.m_slowUntil ? process.m_slowness : 1;
    const Time cost = (m_options.stepCost + m_options.stepCostPerKib * std::int64_t(input.bytes) / 1024) * factor;
    process.m_busyUntil = std::max(m_now, process.m_busyUntil) + cost; // messages released from a gate do not wait
    m_effects.clear();
    m_effects.begin(input.message.get());
    m_effects.at(pb::NO_ROLE, 0); // one Effects object serves all processes, but each has its own place
    process.m_stamper->prepare(m_effects, true);
    try {
        const CheckGuard guard;
        if (input.message) {
            ++m_messagesDelivered;
            ++process.m_messagesIn;
            process.m_stamper->received(*input.message, input.bytes, input.transport, m_effects);
            process.machine->onMessage(*input.message, shown, m_effects);
        } else if (input.command) {
            process.machine->onCommand(*input.command, shown, m_effects);
        } else {
            process.m_timeIsQueued = false;
            process.machine->onTime(shown, m_effects);
        }
    } catch (const CheckFailed& failed) {
        m_failure = process.info.name() + ": " + failed.text;
        return;
    } catch (const std::exception& escaped) {
        m_failure = process.info.name() + ": an exception left the machine: " + escaped.what();
        return;
    }
    m_effects.tellGathered(); // time advances for messages only
    m_effects.joinBlocks();
    if (m_door && m_door->crashesAt(process, m_effects.events())) {
        kill(process.index);
        return;
    }
    process.m_place = m_effects.place();
    process.m_stamper->stamp(m_effects, local, kWallStart + (m_now + process.m_wallOffset).count(), cost);
    process.m_stamper->sign(m_effects);
    count(process, input);
    carryOut(process, process.m_busyUntil);
}

// Adds the numbered events to the hash, and calls the observer.
void SimCluster::count(const SimProcess& process, const SimInput& input)
{
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
}

// Sets the process's timer; if it is already due, puts it into the inbox.
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
        return; // the earlier timer will check again
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
    // A callback may give new commands, which are only queued. It must not use the reply after it has returned.
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
        return; // no process listens there
    const auto message = throughTheWire(*send.message);
    ++process.m_messagesOut;
    Happening arrival;
    arrival.kind = Happening::Kind::Arrival;
    arrival.process = receiver;
    arrival.from = process.index;
    arrival.input.message = message;
    arrival.input.bytes = std::uint32_t(message->ByteSizeLong());
    const bool isStream = send.way != Way::Auto || m_options.allByStream || arrival.input.bytes > kDatagramBytesMax;
    Fate fate;
    if (m_door)
        fate = m_door->judge(process,
            { false, NodeId(receiver->info.node()), { receiver->index, 0 }, false, isStream, kindOf(*message),
                arrival.input.bytes },
            m_now);
    if (fate.isDropped || fate.isCorrupted)
        return; // the receiver detects that the damaged message is invalid
    if (isStream) {
        leaves += fate.delay; // a message whose connection breaks is sent again
        arrival.input.transport = pb::STREAM;
        const auto at = m_network.stream(process.index, receiver->index, arrival.input.bytes, leaves);
        if (!at)
            return;
        arrival.at = *at;
        schedule(std::move(arrival));
        return;
    }
    // A second copy is not delayed.
    for (int i = fate.isDoubled ? 0 : 1; i < 2; ++i) {
        const Time at = leaves + (i == 0 ? Time() : fate.delay);
        m_network.datagram(process.index, receiver->index, at, m_delays);
        if (m_delays.size() + (fate.isDoubled ? 1 : 0) > 1 && m_observer)
            m_observer->onCopied(*message);
        for (const Time delay : m_delays) {
            Happening copy = arrival;
            copy.at = at + delay;
            schedule(std::move(copy));
        }
    }
}

void SimCluster::multicast(SimProcess& process, const Effects::Multicast& multicast, Time leaves)
{
    const auto message = throughTheWire(*multicast.message);
    ++process.m_messagesOut;
    Fate fate;
    if (m_door)
        fate = m_door->judge(process, { false, {}, {}, true, false, kindOf(*message), message->ByteSizeLong() }, m_now);
    if (fate.isDropped || fate.isCorrupted)
        return;
    leaves += fate.delay;
    for (std::size_t i = 0; i < m_processes.size() * (fate.isDoubled ? 2 : 1); ++i) {
        const auto& member = m_processes[i % m_processes.size()];
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

// Messages travel as objects; one in `reparseEvery` is serialized and parsed, to show that it survives.
std::shared_ptr<const pb::Message> SimCluster::throughTheWire(const pb::Message& message)
{
    if (m_options.reparseEvery == 0 || m_order.below(m_options.reparseEvery) != 0)
        return std::make_shared<const pb::Message>(message);
    const std::string bytes = message.SerializeAsString();
    auto parsed = std::make_shared<pb::Message>();
    if (!parsed->ParseFromString(bytes) || parsed->SerializeAsString() != bytes)
        m_failure = std::string("a message of kind ") + nameOf(message) + " does not survive the wire";
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
