// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/program/sim_program.h"

#include "common/run_clock.h"
#include "node/process/control_server.h"
#include "node/process/event_publisher.h"
#include "node/process/lifetime.h"
#include "node/sim/engine/sim_clock.h"
#include "node/sim/engine/sim_control.h"
#include "node/sim/engine/sim_faults.h"
#include "node/sim/engine/sim_site.h"

#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <mutex>

namespace lhrs {

namespace {

using std::chrono::steady_clock;

constexpr std::size_t kBacklog = 20'000; // events that wait for slow watchers; beyond this, virtual time waits too
constexpr Time kBacklogLook = std::chrono::milliseconds(2);
constexpr unsigned kTurnsUnseen = 512; // happenings between two checks for signals
constexpr unsigned kTurnsHurried = 16; // during a step, happenings between two reads of the clock
constexpr Time kWaitMax = std::chrono::seconds(1);

std::int64_t wallNow() { return RunClock::own().now(); }

// The sockets around a simulated cluster, and the single thread in which it runs. Between two happenings it takes
// commands and signals, and waits in real time while virtual time may not advance.
class SimProgram : public SimObserver {
public:
    SimProgram(const ProcessOptions& process, const SimOptions& options, int signals)
        : m_process(process), m_options(options), m_signals(signals), m_wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
    {
    }
    ~SimProgram() override
    {
        if (m_control)
            m_control->stop();
        if (m_publisher)
            m_publisher->stop();
        ::close(m_wake);
    }

    Result<void> open();
    void runOperated(const MachineFactory& factory);
    void runPlayed(PlayedRun& run);

private:
    Time real() const { return steady_clock::now() - m_start; }
    SimControl::Self self();
    void ready();
    SimCluster::Gate gate();
    void rest(std::optional<Time> until);
    void takeCommands();

    void onStep(const SimProcess& process, const SimInput& input, Effects& effects, Time now) override;
    void onCopied(const pb::Message&) override { }
    void publish(const SimProcess& process, std::vector<pb::Event*>& events);
    std::int64_t wallAt(Time at);

    const ProcessOptions m_process;
    const SimOptions m_options;
    const int m_signals;
    const int m_wake; // eventfd: commands are waiting
    const steady_clock::time_point m_start = steady_clock::now();
    zmq::context_t m_context;
    std::unique_ptr<EventPublisher> m_publisher;
    std::unique_ptr<ControlServer> m_control;
    SimClock m_clock;
    SimCluster* m_cluster = nullptr;
    SimControl* m_commands = nullptr;
    // If not given, the time at which virtual time first runs.
    std::optional<std::int64_t> m_wallOfZero = m_options.wallOfZero;
    unsigned m_turns = 0;
    Time m_now {}; // real time of the last check
    bool m_isBehind = false; // whether the publisher was behind at the last check
    bool m_isSignalled = false;

    // Filled by the control server's thread; guarded by m_mutex.
    std::mutex m_mutex;
    std::deque<pb::Command> m_waiting;
    std::atomic<bool> m_hasWaiting = false;
};

Result<void> SimProgram::open()
{
    const auto endpoint = [](std::uint16_t port) {
        return "tcp://127.0.0.1:" + (port == 0 ? "*" : std::to_string(port));
    };
    PublisherOptions publishing;
    publishing.endpoint = endpoint(m_process.eventsPort);
    publishing.isSimulated = true;
    publishing.waitsForWatchers = true;
    publishing.waitsForFirst = m_options.wallOfZero.has_value();
    publishing.start = m_start;
    auto publisher = EventPublisher::open(m_context, publishing);
    if (!publisher)
        return Error { publisher.error().text + "; end that program, or choose another port with --events" };
    m_publisher = std::move(*publisher);
    auto control = ControlServer::open(m_context, endpoint(m_process.controlPort), ControlServer::Serves::Cluster);
    if (!control)
        return Error { control.error().text + "; end that program, or choose another port with --control" };
    m_control = std::move(*control);
    return {};
}

SimControl::Self SimProgram::self()
{
    return { m_options.seed, std::uint32_t(::getpid()), m_publisher->endpoint(), m_control->endpoint(),
        [this](Time at) { return wallAt(at); } };
}

// From now on the cluster can be queried and watched.
void SimProgram::ready()
{
    if (!m_options.isPaused)
        m_clock.run(m_options.speed, m_cluster->now(), real());
    m_control->start(std::nullopt, [this](pb::Command command) {
        {
            const std::lock_guard lock(m_mutex);
            m_waiting.push_back(std::move(command));
            m_hasWaiting = true;
        }
        ::eventfd_write(m_wake, 1);
    });
    std::printf("ready %s control=%s events=%s\n", m_process.name.c_str(), m_control->endpoint().c_str(),
        m_publisher->endpoint().c_str());
    std::fflush(stdout);
}

void SimProgram::runOperated(const MachineFactory& factory)
{
    SimCluster::Options options;
    options.network.set_delay_us(m_options.delayUs);
    options.network.set_jitter_us(m_options.jitterUs);
    options.seed = m_options.seed;
    options.clockOffsetMax = {};
    options.stepCost = std::chrono::microseconds(m_options.stepUs);
    options.reparseEvery = 0;
    options.withMessages = true;
    options.withHash = false;
    SimCluster cluster(options);
    SimFaults faults(cluster);
    SimSite site(cluster, factory);
    SimControl commands(cluster, m_clock, self(), [this](pb::CommandReply& reply) { m_control->reply(reply); });
    commands.operate(site, faults);
    m_cluster = &cluster;
    m_commands = &commands;
    cluster.setObserver(this);
    site.begin();
    ready();
    for (SimCluster::Gate now = gate(); now != SimCluster::Gate::Ended; now = gate()) {
        if (now != SimCluster::Gate::Open)
            continue;
        cluster.happenNext();
        if (cluster.failure())
            spdlog::critical("{} at {} s of virtual time", *cluster.failure(), double(cluster.now().count()) / 1e9);
    }
    m_commands = nullptr;
}

void SimProgram::runPlayed(PlayedRun& run)
{
    SimControl commands(run.cluster(), m_clock, self(), [this](pb::CommandReply& reply) { m_control->reply(reply); });
    commands.watch(run.name());
    m_cluster = &run.cluster();
    m_commands = &commands;
    run.setListener([this](const SimProcess& process, const pb::Event& event) {
        pb::Event copy = event; // the run itself must not see changes made for watchers
        std::vector<pb::Event*> one { &copy };
        publish(process, one);
    });
    m_cluster->setGate([this] { return gate(); });
    ready();
    const std::string violation = run.play();
    if (!m_isSignalled && !commands.isEnding()) {
        commands.finish(violation);
        std::printf("%s: %s after %.6f s of virtual time\n", run.name().c_str(),
            violation.empty() ? "everything held" : violation.c_str(), double(m_cluster->now().count()) / 1e9);
        std::fflush(stdout);
        while (gate() != SimCluster::Gate::Ended) { } // the cluster can still be queried
    }
    m_commands = nullptr;
}

// Whether the next happening may take place; if not, waits until it may, or until there is a command or signal.
SimCluster::Gate SimProgram::gate()
{
    if (++m_turns % kTurnsUnseen == 0)
        rest(Time());
    takeCommands();
    // A step ends at its goal, whatever the real time is; the clock and the publisher are checked only now and then.
    const bool isLooking = !m_clock.isStepping() || m_turns % kTurnsHurried == 0;
    if (isLooking)
        m_now = real();
    if (isLooking || m_isBehind)
        m_isBehind = m_publisher->waiting() > kBacklog;
    const Time now = m_now;
    m_commands->look(now);
    if (m_isSignalled || m_commands->isEnding())
        return SimCluster::Gate::Ended;
    const auto next = m_cluster->nextAt();
    if (m_commands->isOver() || !next) {
        rest(std::nullopt);
    } else if (!m_clock.mayHappen(*next, now)) {
        const auto when = m_clock.realTimeOf(*next);
        rest(when ? std::optional(*when - now) : std::nullopt);
    } else if (m_isBehind) {
        rest(kBacklogLook);
    } else {
        m_clock.keepUp(*next, now);
        return SimCluster::Gate::Open;
    }
    return SimCluster::Gate::AskAgain;
}

// Waits for this long, or until a command or a signal arrives.
void SimProgram::rest(std::optional<Time> time)
{
    const Time wait = std::clamp(time.value_or(kWaitMax), Time(), kWaitMax);
    const timespec limit { time_t(wait.count() / 1'000'000'000), long(wait.count() % 1'000'000'000) };
    std::array<pollfd, 2> waits { { { m_wake, POLLIN, 0 }, { m_signals, POLLIN, 0 } } };
    ::ppoll(waits.data(), waits.size(), &limit, nullptr);
    eventfd_t count = 0;
    if (waits[0].revents != 0)
        ::eventfd_read(m_wake, &count);
    m_isSignalled = m_isSignalled || waits[1].revents != 0;
}

// Takes commands one by one. If virtual time waits for commands, everything that one command causes at this instant
// happens before the next one is taken. So the answers do not depend on how close together the commands arrive.
void SimProgram::takeCommands()
{
    while (m_hasWaiting.load(std::memory_order_acquire)) {
        const auto next = m_clock.isIdle() ? m_cluster->nextAt() : std::nullopt;
        if (next && !m_commands->isOver() && m_clock.mayHappen(*next, real()))
            return;
        pb::Command command;
        {
            const std::lock_guard lock(m_mutex);
            command = std::move(m_waiting.front());
            m_waiting.pop_front();
            m_hasWaiting = !m_waiting.empty();
        }
        m_commands->command(command, real());
    }
}

// ---- events

// Virtual time as shown to watchers: it starts when it first runs, and it uses the same scale as their own clocks.
std::int64_t SimProgram::wallAt(Time at)
{
    if (!m_wallOfZero && at > Time())
        m_wallOfZero = wallNow() - at.count();
    return m_wallOfZero.value_or(wallNow()) + at.count();
}

void SimProgram::onStep(const SimProcess& process, const SimInput&, Effects& effects, Time)
{
    publish(process, effects.events());
}

// Adds the endpoints at which watchers find the process, and the time of each event on the watchers' clock.
void SimProgram::publish(const SimProcess& process, std::vector<pb::Event*>& events)
{
    if (events.empty())
        return;
    for (pb::Event* event : events) {
        event->set_wall_ns(wallAt(m_cluster->now()));
        if (event->has_process_started())
            m_commands->introduce(*event->mutable_process_started()->mutable_process());
    }
    m_publisher->publish({ process.info.node(), process.info.name() }, events);
}

// The common part of both ways to run; calls `run`.
template <class Run> int runWith(const ProcessOptions& process, const SimOptions& options, Run run)
{
    openLog(process);
    const int signals = openSignals();
    if (process.diesWithParent && !dieWithParent())
        return kExitClean;
    SimProgram program(process, options, signals);
    if (const auto opened = program.open(); !opened) {
        spdlog::error("{}", opened.error().text);
        return kExitFailed;
    }
    run(program);
    return kExitClean;
}

} // namespace

int runSimulated(const ProcessOptions& process, const SimOptions& options, const MachineFactory& factory)
{
    return runWith(process, options, [&](SimProgram& program) { program.runOperated(factory); });
}

int runPlayed(const ProcessOptions& process, const SimOptions& options, PlayedRun& run)
{
    return runWith(process, options, [&](SimProgram& program) { program.runPlayed(run); });
}

} // namespace lhrs
