// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/runtime/runtime.h"

#include "common/kinds.h"
#include "common/run_clock.h"
#include "common/wire_traits.h"
#include "node/machine/arena_block.h"
#include "node/machine/known_processes.h"
#include "node/process/heap.h"
#include "node/runtime/sender_rights.h"
#include "node/runtime/thread.h"

#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <random>

namespace lhrs {

namespace {

constexpr std::size_t kInputsMax = 4'096; // limit on waiting datagrams, frames and commands
constexpr std::size_t kInputBytesMax = std::size_t(64) << 20;
constexpr std::size_t kArenaBlock = std::size_t(64) << 10;
constexpr int kPortTries = 32; // attempts to find a number that is free for both UDP and TCP
constexpr auto kGaugesPeriod = std::chrono::milliseconds(100);
constexpr auto kFullPeriod = std::chrono::seconds(1); // a full server rechecks its memory even without traffic
constexpr auto kBulkOver = std::chrono::seconds(2); // since the last long frame, or the last gauges with many messages
constexpr std::uint64_t kMany = 100; // messages between two gauges

std::string endpointFor(Endpoint listen, std::uint16_t port)
{
    const std::string host = listen.ip.isV6() ? '[' + listen.ip.text() + ']' : listen.ip.text();
    return "tcp://" + host + ':' + (port == 0 ? "*" : std::to_string(port));
}

} // namespace

Runtime::Worker::Worker(Sender::Ways ways, const Stopwatch& clock)
    : block(new char[kArenaBlock]), arena(arenaIn(block.get(), kArenaBlock)), effectsBlock(new char[kArenaBlock]),
      effectsArena(arenaIn(effectsBlock.get(), kArenaBlock)), stepClock(clock), sender(ways)
{
}

Effects& Runtime::Worker::next()
{
    if (effectsUsed == effects.size()) {
        effects.push_back(std::make_unique<Effects>(effectsArena, strings));
        effects.back()->setStopwatch(&stepClock);
    }
    return *effects[effectsUsed++];
}

void Runtime::Worker::clear()
{
    for (const Item& item : items) {
        if (item.message != nullptr)
            takeBackValue(*item.message, strings);
    }
    items.clear();
    arena.Reset();
}

// ---- begin and end

Result<std::unique_ptr<Runtime>> Runtime::open(const RuntimeOptions& options)
{
    std::unique_ptr<Runtime> made(new Runtime(options));
    if (const auto opened = made->openSockets(); !opened)
        return opened.error();
    return made;
}

Runtime::Runtime(const RuntimeOptions& options)
    : m_options(options), m_node(drawProcessNumber(options.kind)),
      m_inputs(kInputsMax, kInputBytesMax, [this] { m_streams->wake(); }),
      m_wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
}

Result<void> Runtime::openSockets()
{
    constexpr const char* kOtherListen = "; end that program, or choose another port with --listen";
    if (m_options.key)
        m_keys.emplace(*m_options.key);
    for (int tries = 1; !m_streams; ++tries) {
        auto udp = UdpSocket::open(m_options.listen);
        if (!udp)
            return Error { udp.error().text + kOtherListen };
        m_udp.emplace(std::move(*udp));
        const Endpoint coordinator = m_options.coordinator.value_or(m_udp->self());
        m_envelope.emplace(Envelope::clusterOf(coordinator), m_node, m_keys ? &*m_keys : nullptr);
        auto streams = TcpStreams::open(m_udp->self(), *m_envelope, m_counters);
        if (streams)
            m_streams = std::move(*streams);
        else if (m_options.listen.port != 0 || tries == kPortTries)
            return Error { streams.error().text + kOtherListen };
    }
    const auto sendPacket = [this](Endpoint to, std::string_view packet) {
        OutDatagram datagram { to, packet };
        if (m_udp->send({ &datagram, 1 }) > 0)
            m_counters.dropped(Drop::NotSent);
    };
    m_otherVersions.emplace(sendPacket, m_options.coordinator);
    if (m_keys)
        m_introductions.emplace(*m_envelope, sendPacket);
    if (m_keys) {
        auto zap = ZapHandler::open(m_context, *m_keys);
        if (!zap)
            return zap.error();
        m_zap = std::move(*zap);
    }
    const KeyRing* const keys = m_keys ? &*m_keys : nullptr;
    PublisherOptions publishing;
    publishing.keys = keys;
    publishing.endpoint = endpointFor(m_options.listen, m_options.eventsPort);
    publishing.self = { m_node.value, m_options.name };
    publishing.start = m_start;
    publishing.threads = &m_threads;
    auto publisher = EventPublisher::open(m_context, publishing);
    if (!publisher)
        return Error { publisher.error().text + "; end that program, or choose another port with --events" };
    m_publisher = std::move(*publisher);
    auto control = ControlServer::open(
        m_context, endpointFor(m_options.listen, m_options.controlPort), ControlServer::Serves::OneProcess, keys);
    if (!control)
        return Error { control.error().text + "; end that program, or choose another port with --control" };
    m_control = std::move(*control);

    const Endpoint udp = m_udp->self();
    const Address address { udp.ip, udp.port, m_streams->self().port };
    m_stamper.emplace(m_node, address);
    m_faults.emplace(faultWays(), m_counters);
    m_self.set_node(m_node.value);
    m_self.set_kind(m_options.kind);
    m_self.set_name(m_options.name);
    m_self.set_pid(std::uint32_t(::getpid()));
    address.to(*m_self.mutable_address());
    m_self.set_events_endpoint(m_publisher->endpoint());
    m_self.set_control_endpoint(m_control->endpoint());
    m_self.set_version(LHRS_VERSION);
    m_self.set_pool(m_options.pool);
    m_self.set_system(m_options.system);
    std::array<char, 256> host {};
    ::gethostname(host.data(), host.size() - 1);
    m_self.set_host(host.data());
    return {};
}

Address Runtime::coordinator() const
{
    // Every process listens for UDP and TCP on the same port number, so one number is enough.
    const Endpoint coordinator = m_options.coordinator.value_or(m_udp->self());
    return { coordinator.ip, coordinator.port, coordinator.port };
}

Sender::Ways Runtime::ways()
{
    return { *m_envelope, *m_udp, *m_streams, m_counters, m_options.coordinator.value_or(m_udp->self()), &*m_faults,
        introductions() };
}

std::int64_t Runtime::wallNow() { return RunClock::own().now(); }

Time Runtime::clock() const { return std::chrono::steady_clock::now() - m_start; }

void Runtime::start(std::unique_ptr<Machine> machine, ProgramPart* part)
{
    m_machine = std::move(machine);
    m_part = part;
    m_multicast.emplace(
        *m_envelope, m_counters, *m_faults, introductions(),
        [this](Queue<Input>& inputs, std::stop_token stop) { work(inputs, "Multicast working", stop); }, &m_threads);
    m_poolWanted = m_options.pool;
    if (m_options.kind == pb::NODE)
        m_memory.emplace(m_options.memory);
    m_timeWorker.emplace(ways(), m_stepClock);
    m_listenerWorker.emplace(ways(), m_stepClock);
    m_gateWorker.emplace(ways(), m_stepClock);
    if (m_part != nullptr)
        m_partWorker.emplace(ways(), m_stepClock);
    m_ackManager.emplace(
        m_clock, Time::max(), [this] { stepTime(*m_timeWorker); }, &m_threads);
    m_ackManager->expect(Time()); // only now may a step use it: the first step starts the machine
    doChores();
    for (unsigned i = 1; i <= m_options.workingThreads; ++i)
        m_workingThreads.push_back(spawn(
            "Working", [this, i](std::stop_token stop) { work(m_inputs, "Working " + std::to_string(i), stop); }));
    m_tcpListener.emplace(*m_streams, m_inputs, *m_faults, m_keys.has_value(), &m_threads);
    m_udpListener.emplace("UDP Listening",
        UdpListener::Parts { *m_udp, *m_envelope, m_counters, m_inputs, pb::UDP,
            [this](std::span<Input> inputs) { return handleDirectly(inputs); }, &*m_faults, &m_threads, introductions(),
            &*m_otherVersions });
    m_control->start(
        m_self, [this](pb::Command command) { takeCommand(std::move(command)); }, &m_threads);
    if (m_part != nullptr)
        m_part->start(*this);
    spdlog::info("listens at {} with a receive buffer of {} bytes, process number {:016x}", textOf(m_udp->self()),
        m_udp->receiveBuffer(), m_node.value);
}

Runtime::~Runtime()
{
    m_stopping.request_stop();
    if (m_faults)
        m_faults->stop(); // stops waiting for the end of a pause
    if (m_part != nullptr)
        m_part->stop();
    if (m_multicast)
        m_multicast->leave(); // not reset(): watchers may query it until the control server has ended
    m_udpListener.reset();
    m_tcpListener.reset();
    m_workingThreads.clear();
    if (m_ackManager)
        m_ackManager->stop(); // not reset(): the last step still reads the optional
    if (m_machine) {
        const std::string reason = m_ending.value_or("ended");
        tell([&reason](Effects& out) { out.event().mutable_process_ended()->set_reason(reason); });
    }
    if (m_control)
        m_control->stop();
    if (m_publisher)
        m_publisher->stop();
}

void Runtime::stop(const std::string& reason)
{
    {
        const std::lock_guard lock(m_choreMutex);
        if (!m_ending)
            m_ending = reason;
    }
    wakeRun();
}

// ---- the path of an input

void Runtime::work(Queue<Input>& inputs, const std::string& name, std::stop_token stop)
{
    const ThreadMeter meter(&m_threads, name);
    Worker worker(ways(), m_stepClock);
    ThreadMeter::become(pb::NodeSample::WAITING);
    while (const std::size_t count = inputs.pop(worker.inputs, stop)) {
        handle({ worker.inputs.data(), count }, worker);
        ThreadMeter::become(pb::NodeSample::WAITING);
    }
}

void Runtime::standWhilePaused()
{
    if (m_faults->touches(FaultBook::Pause))
        ThreadMeter::become(pb::NodeSample::IN_PAUSE);
    m_faults->waitWhilePaused();
}

std::unique_lock<std::mutex> Runtime::lockCore() const
{
    std::unique_lock lock(m_coreMutex, std::try_to_lock);
    if (!lock.owns_lock()) {
        ThreadMeter::become(pb::NodeSample::IN_CORE_WAIT);
        lock.lock();
    }
    return lock;
}

// Runs in the UDP Listening Thread. Waking a working thread costs more than most steps, and on a busy computer its wait
// for the processor costs many times more. So while the queue is empty and the core is free, the listener does the work
// of a working thread itself. Streams, commands, and everything that arrives while the core is held go to the working
// threads.
bool Runtime::handleDirectly(std::span<Input> inputs)
{
    if (m_inputs.size() > 0 || !m_coreMutex.try_lock())
        return false;
    m_coreMutex.unlock(); // parsing comes before the lock is needed
    handle(inputs, *m_listenerWorker);
    return true;
}

// The whole path of inputs through a working thread.
void Runtime::handle(std::span<Input> inputs, Worker& worker)
{
    standWhilePaused();
    ThreadMeter::become(pb::NodeSample::IN_SOCKET); // parses bytes into messages
    parse(inputs, worker);
    takeSteps(worker);
    for (Input& input : inputs)
        input.clear();
    worker.clear();
}

// Called in the thread of the part.
void Runtime::obey(std::span<const pb::Command> commands)
{
    standWhilePaused();
    for (const pb::Command& command : commands) {
        Item item;
        item.command = &command;
        m_partWorker->items.push_back(item);
    }
    takeSteps(*m_partWorker);
    m_partWorker->clear();
}

// Lets the machine take a step for each of the worker's items, and carries out the effects.
void Runtime::takeSteps(Worker& worker)
{
    std::span<const Item> items(worker.items);
    while (!items.empty()) {
        const auto turn = items.first(std::min(items.size(), kStepsInTurn));
        Time deadline;
        {
            const auto lock = lockCore();
            for (std::size_t i = 0; i < turn.size(); ++i) {
                const Item& item = turn[i];
                expect(turn, i + 1, Machine::Soon::Next);
                expect(turn, i + 2, Machine::Soon::Later);
                m_messagesTaken += item.message != nullptr ? 1 : 0;
                if (item.message == nullptr || !m_gate.isClosed())
                    // Publishes its events at its end, so that they stay in order.
                    step(item, worker.next(), i + 1 < turn.size() && turn[i + 1].message != nullptr);
                else if (m_gate.hold(
                             *item.message, item.bytes, item.transport, item.preparation, ProtocolClock::Real::now()))
                    markChanged();
                else
                    m_counters.dropped(Drop::Gate);
            }
            deadline = nextStep();
        }
        m_ackManager->expect(deadline);
        ThreadMeter::become(pb::NodeSample::IN_SOCKET);
        carryOut(worker);
        items = items.subspan(turn.size());
    }
}

// Call it while holding the core.
void Runtime::expect(std::span<const Item> turn, std::size_t at, Machine::Soon soon) const
{
    if (at < turn.size() && turn[at].message != nullptr)
        m_machine->expect(*turn[at].message, soon);
}

// Called before the lock is taken: parses bytes into messages, in several working threads at a time.
void Runtime::parse(std::span<Input> inputs, Worker& worker)
{
    for (Input& input : inputs) {
        if (input.command) {
            Item item;
            item.command = input.command.get();
            worker.items.push_back(item);
            continue;
        }
        worker.messages.clear();
        const bool isLong = input.transport == pb::STREAM;
        const Time begun = isLong ? clock() : Time();
        const std::size_t blockBytes = input.block.size();
        if (!parseBody(input.body(), worker.arena, worker.messages, &worker.strings)
            || (blockBytes > 0
                && (worker.messages.size() != 1 || !putBlock(std::move(input.block), *worker.messages[0].message)))) {
            m_counters.dropped(Drop::Malformed);
            continue;
        }
        if (input.sealedBy && !mayBeFrom(*input.sealedBy, worker.messages)) {
            m_counters.dropped(Drop::NotOfItsRole);
            continue;
        }
        m_counters.received(worker.messages.size());
        for (const ReadMessage& read : worker.messages)
            worker.items.push_back({ read.message, read.bytes + std::uint32_t(blockBytes), input.transport, nullptr,
                isLong ? clock() - begun : Time(), isLong ? blockIn(*read.message) : nullptr });
    }
}

// Begins each step; the core is held. A crash fault may wait for an event that no watcher receives.
void Runtime::prepare(Effects& out, const pb::Message* cause)
{
    out.at(m_place.role(), m_place.number(), m_place.column());
    m_stamper->prepare(out, m_faults->touches(FaultBook::Events));
    out.begin(cause);
}

// One step of the machine; the core is held. `moreFollow`: the next input is a message. It will reach the machine if
// this one does, because the gate does not change while the core is held.
void Runtime::step(const Item& item, Effects& out, bool moreFollow)
{
    ThreadMeter::become(pb::NodeSample::IN_HANDLER, item.command ? -kindOf(*item.command) : kindOf(*item.message));
    const auto real = ProtocolClock::Real::now();
    const Time now = m_clock.at(real), begin = real - m_start;
    prepare(out, item.message);
    out.setPreparation(item.preparation);
    out.setMoreFollow(moreFollow);
    if (item.command) {
        // A snapshot's number must cover its contents, and a new level applies to later changes only.
        if (m_stamper->isGathering())
            tellInCore([](Effects& waiting) { waiting.tellGathered(); });
        command(*item.command, now, out);
    } else if (m_keys && !mayAcknowledge(*item.message, *m_machine)) {
        m_counters.dropped(Drop::NotOfItsRole);
    } else {
        hearCoordinator(*item.message);
        m_stamper->received(*item.message, item.bytes, item.transport, out);
        out.setArrivedBlock(item.block);
        m_machine->onMessage(*item.message, now, out);
    }
    publish(out, begin);
    markChanged();
}

// When a step is due even without a message; the core is held.
Time Runtime::nextStep() const
{
    return m_stamper->isGathering() ? std::min(m_machine->deadline(), m_clock.now() + m_stamper->gatheredAt() - clock())
                                    : m_machine->deadline();
}

void Runtime::stepTime(Worker& worker)
{
    standWhilePaused();
    {
        const auto lock = lockCore();
        if (m_clock.stands())
            return; // it has just stopped
        ThreadMeter::become(pb::NodeSample::IN_HANDLER);
        Effects& out = worker.next();
        const Time now = m_clock.now(), begin = clock();
        prepare(out, nullptr);
        m_machine->onTime(now, out);
        publish(out, begin);
        markChanged();
        m_ackManager->expectOnly(nextStep());
    }
    ThreadMeter::become(pb::NodeSample::IN_SOCKET);
    carryOut(worker);
}

// Ends each step; the core is held.
void Runtime::publish(Effects& effects, Time begin)
{
    // With a closed gate the time of the next step is unknown.
    m_stamper->endGathering(effects, begin, m_gate.isClosed());
    m_faults->onEvents(effects.events());
    Sender::chooseWays(effects, m_udp->self().ip);
    const bool tells = m_stamper->tells(effects);
    m_stamper->stamp(effects, begin, tells ? wallNow() : 0, tells ? clock() - begin : Time());
    m_publisher->publish(effects.events());
    m_place = effects.place();
    // Done here because effects are carried out in any order, but the latest decision about the pool must win.
    if (effects.poolToLeave() != pb::NO_ROLE || effects.poolToJoin() != pb::NO_ROLE) {
        const std::lock_guard lock(m_choreMutex);
        m_poolWanted = effects.poolToJoin();
        wakeRun();
    }
}

// Called outside the lock: the effects of several steps are sent together.
void Runtime::carryOut(Worker& worker)
{
    for (std::size_t i = 0; i < worker.effectsUsed; ++i) {
        Effects& effects = *worker.effects[i];
        worker.sender.add(effects);
        for (pb::CommandReply* reply : effects.replies()) {
            if ((reply->ticket() & kInnerTicket) != 0)
                worker.partReplies.push_back(reply);
            else
                m_control->reply(*reply);
        }
    }
    if (!worker.partReplies.empty()) {
        m_part->onReplies(worker.partReplies);
        worker.partReplies.clear();
    }
    if (const auto sent = worker.sender.flush(); !sent)
        recruitByRegistry(sent.error());
    for (std::size_t i = 0; i < worker.effectsUsed; ++i)
        worker.effects[i]->clear();
    worker.effectsUsed = 0;
    worker.effectsArena.Reset();
}

// ---- events of the runtime itself

FaultShim::Ways Runtime::faultWays()
{
    FaultShim::Ways ways;
    ways.node = m_node;
    ways.self = m_udp->self();
    ways.isAllowed = ways.self.ip.isLoopback() || m_options.allowsFaults;
    ways.sendDatagram = [this](Endpoint to, std::string packet) {
        m_envelope->sealAgain(packet); // a network that repeats a datagram is not noticed otherwise: see ReplayWindows
        OutDatagram datagram { to, packet };
        if (m_udp->send({ &datagram, 1 }) > 0)
            m_counters.dropped(Drop::NotSent);
    };
    ways.sendFrame = [this](Endpoint to, std::string packet, std::size_t cutAfter) {
        if (!m_streams->send(to, std::move(packet), cutAfter))
            m_counters.dropped(Drop::StreamQueueFull);
    };
    ways.deliver = [this](std::string body, pb::Transport transport, NodeId sender) {
        Input input;
        input.sealedBy = m_keys ? std::optional(sender) : std::nullopt;
        input.transport = transport;
        input.bytes = std::move(body);
        input.bodySize = input.bytes.size();
        if (m_inputs.pushSome({ &input, 1 }) == 0)
            m_counters.dropped(Drop::QueueFull);
    };
    ways.tell = [this](const pb::FaultBegun* begun, const pb::FaultEnded* ended) {
        tell([&](Effects& out) {
            if (begun != nullptr)
                *out.event().mutable_fault_begun() = *begun;
            else
                *out.event().mutable_fault_ended() = *ended;
        });
    };
    ways.crash = [] { ::kill(::getpid(), SIGKILL); };
    return ways;
}

void Runtime::recruitByRegistry(const Error& why)
{
    if (m_isMulticastBroken.exchange(true))
        return;
    spdlog::warn("multicast does not work here, idle servers are reached by the coordinator's registry: {}", why.text);
    tell([&why](Effects& out) {
        auto* changed = out.event().mutable_recruiting_changed();
        changed->set_transport(pb::UDP);
        changed->set_reason(why.text);
    });
}

void Runtime::hearCoordinator(const pb::Message& message)
{
    if (m_hasHeardCoordinator.load(std::memory_order_relaxed) || !m_options.coordinator)
        return;
    if (Ip::from(message.from()) == m_options.coordinator->ip
        && message.from().udp_port() == m_options.coordinator->port) {
        if (message.registered().too_many_clients()) {
            m_isTurnedAway = true;
            wakeRun();
        } else {
            m_hasHeardCoordinator = true;
        }
    }
}

// ---- the thread in run()

void Runtime::markChanged()
{
    if (!m_hasChanged.load(std::memory_order_relaxed) && !m_hasChanged.exchange(true))
        wakeRun();
}

void Runtime::wakeRun() const { ::eventfd_write(m_wake.get(), 1); }

Ending Runtime::run(int endSignals)
{
    const ThreadMeter meter(&m_threads, "Main");
    for (;;) {
        ThreadMeter::become(pb::NodeSample::WAITING);
        std::array<pollfd, 2> waits { { { m_wake.get(), POLLIN, 0 }, { endSignals, POLLIN, 0 } } };
        const int wait = m_wakes.wait(untilNextChore(), std::chrono::steady_clock::now());
        if (::poll(waits.data(), waits.size(), wait) == 0)
            m_wakes.onTimeout(std::chrono::steady_clock::now());
        ThreadMeter::become(pb::NodeSample::IN_SOCKET);
        eventfd_t count = 0;
        ::eventfd_read(m_wake.get(), &count);
        if (waits[1].revents != 0)
            stop("ended by a signal");
        if (const auto missing = lookForCoordinator()) {
            stop(missing->reason);
            return *missing;
        }
        {
            const std::lock_guard lock(m_choreMutex);
            if (m_ending)
                return { 0, *m_ending };
        }
        doChores();
    }
}

int Runtime::untilNextChore() const
{
    using std::chrono::steady_clock;
    auto next = steady_clock::time_point::max();
    if (m_hasChanged)
        next = m_gaugesTold + kGaugesPeriod;
    if (m_isFull)
        next = std::min(next, m_memoryMeasured + kFullPeriod);
    if (m_options.coordinator && !m_hasHeardCoordinator)
        next = std::min(
            next, m_clock.when(m_isLateTold ? m_options.coordinatorMissing : m_options.coordinatorLate).value_or(next));
    next = std::min(
        { next, m_threads.deadline(), steady_clock::time_point(std::chrono::nanoseconds(m_gateEnds.load())) });
    if (const auto bulk = std::max(
            m_bulkAt, steady_clock::time_point(std::chrono::nanoseconds(m_streams->longFrameNs())));
        bulk > m_memoryGivenBack)
        next = std::min(next, bulk + kBulkOver);
    if (next == steady_clock::time_point::max())
        return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - steady_clock::now()).count();
    return int(std::clamp<std::int64_t>(left, 0, 60'000));
}

void Runtime::doChores()
{
    std::optional<pb::Role> pool;
    {
        const std::lock_guard lock(m_choreMutex);
        pool.swap(m_poolWanted);
    }
    if (pool == pb::NO_ROLE) {
        m_multicast->leave();
    } else if (pool) {
        const auto joined = m_multicast->join(
            multicastGroup(*pool, m_options.coordinator.value_or(m_udp->self())), m_udp->self().ip);
        if (!joined)
            recruitByRegistry(joined.error());
    }
    m_threads.look();
    openGateWhenUnrenewed();
    const auto now = std::chrono::steady_clock::now();
    m_bulkAt = std::max(
        m_bulkAt, std::chrono::steady_clock::time_point(std::chrono::nanoseconds(m_streams->longFrameNs())));
    if (m_bulkAt > m_memoryGivenBack && now >= m_bulkAt + kBulkOver) {
        m_memoryGivenBack = m_bulkAt;
        giveBackFreedMemory();
    }
    const bool isGaugesTime = m_hasChanged && now >= m_gaugesTold + kGaugesPeriod;
    if (m_memory && (isGaugesTime || (m_isFull && now >= m_memoryMeasured + kFullPeriod))) {
        m_memoryMeasured = now;
        measureMemory();
    }
    if (isGaugesTime) {
        m_hasChanged = false;
        m_gaugesTold = now;
        if (const std::uint64_t in = m_counters.in(); in >= std::exchange(m_messagesTold, in) + kMany)
            m_bulkAt = now;
        tell([this](Effects& out) {
            tellDropped(out);
            fillGauges(*out.event().mutable_gauges());
        });
    }
}

// A process that has a wrong coordinator address, or was started too early, must not wait silently.
std::optional<Ending> Runtime::lookForCoordinator()
{
    if (!m_options.coordinator || (m_hasHeardCoordinator && !m_isTurnedAway))
        return std::nullopt;
    const Time waited = m_clock.now();
    const std::string where = textOf(*m_options.coordinator);
    if (m_isTurnedAway)
        return Ending { 3,
            "the coordinator at " + where + " has as many clients as it takes (" + std::to_string(kClientsMax)
                + "); end some of them, and start this one again when they have been silent for a while" };
    if (waited >= m_options.coordinatorMissing) {
        if (const auto version = m_otherVersions->at(*m_options.coordinator))
            return Ending { 3,
                "what is at " + where + " speaks version " + std::to_string(*version)
                    + " of the protocol, and this process version " + std::to_string(kProtocolVersion)
                    + "; install the same version of LHRS Lab on all computers of the cluster" };
        return Ending { 3,
            "no coordinator answered at " + where + "; start lhrs-coordinator there, or correct --coordinator" };
    }
    if (waited >= m_options.coordinatorLate && !m_isLateTold) {
        m_isLateTold = true;
        spdlog::warn("no coordinator has answered at {} so far; it is asked again and again, and this process ends "
                     "after {} s without an answer",
            where, std::chrono::duration_cast<std::chrono::seconds>(m_options.coordinatorMissing).count());
    }
    return std::nullopt;
}

} // namespace lhrs
