// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/control/control_client.h"

#include "common/directory_entry.h"
#include "common/kinds.h"
#include "common/number_words.h"
#include "common/run_clock.h"
#include "gui/lab/live/awake_clock.h"
#include "gui/lab/live/ingest.h"
#include "common/children/wake_up.h"

#include <QSysInfo>

#include <zmq.hpp>

#include <algorithm>
#include <condition_variable>
#include <future>
#include <set>

namespace lhrs::gui {

namespace {

using std::chrono::milliseconds;
constexpr milliseconds kAskTimeout(1000); // for the directory, small snapshots, and probes
constexpr milliseconds kSnapshotTimeout(3000);
constexpr milliseconds kProbeAfter(300); // after a snapshot: checks whether later events have arrived
constexpr milliseconds kProbePeriod(2000); // for silent processes
constexpr milliseconds kSilence(1000);
constexpr milliseconds kTick(50);
constexpr milliseconds kClockPeriod(5000); // between two readings of another computer's clock
constexpr milliseconds kClockValid(30000); // so long a reading counts more than one that is less exact
constexpr int kCommandsWaiting = 10'000; // one endpoint may serve a whole simulated cluster
constexpr std::int64_t kMessageBytes = 256 << 20; // more than the largest answer, the contents of a server in one page
constexpr std::int32_t kListsOfNewCoordinator = 40; // 10 s in which no process counts as gone
constexpr std::int32_t kListsWithout = 3; // the process then counts as removed from the directory
constexpr std::int32_t kListsBetween = 8; // 2 s between two questions to a process that is alive but not listed

std::string commandName(const pb::Command& command)
{
    const Kind* kind = commandKind(kindOf(command));
    return kind != nullptr ? kind->type : "an empty command";
}

std::string seconds(milliseconds time) { return numberWord(double(time.count()) / 1000) + " s"; }

} // namespace

// Members used by the control thread only.
struct ControlClient::Thread {
    struct Pending {
        std::string endpoint;
        std::string what; // "Leave at node-3"
        milliseconds timeout;
        AwakeClock::time_point deadline;
        Callback callback;
        std::int64_t sentNs = 0; // since 1970
    };
    struct ClockReading {
        std::int64_t errorNs = 0; // 0: none
        Clock::time_point at;
    };

    zmq::context_t& context;
    const PeerKeys& keys;
    Ingest& ingest;
    std::map<std::string, zmq::socket_t> sockets; // by endpoint
    std::map<std::string, ClockReading> clocks {}; // by the name of the computer
    Clock::time_point clocksAt {}; // when they are read next
    std::map<std::uint64_t, Pending> pending; // by ticket
    std::vector<std::pair<Clock::time_point, ProcessId>> probes;
    std::vector<std::pair<Clock::time_point, ProcessId>> retries;
    std::string coordinatorEndpoint;
    std::set<ProcessId> doubted {}; // they are asked whether they are alive
    bool isAsking = false;
    Clock::time_point askAt {};
    Clock::time_point probeAt {};
    std::uint64_t ticket = 0;

    void send(const std::string& endpoint, const std::string& who, pb::Command command, milliseconds timeout,
        Callback callback)
    {
        command.set_ticket(++ticket);
        const std::string what = commandName(command) + " to " + who;
        const std::int64_t sentNs = RunClock::own().now();
        std::string bytes;
        try {
            auto at = sockets.find(endpoint);
            if (at == sockets.end()) {
                zmq::socket_t socket(context, zmq::socket_type::dealer);
                // Otherwise a name that has an address of IPv6, too, would be looked for there only.
                socket.set(zmq::sockopt::ipv6, endpoint.find('[') != std::string::npos);
                socket.set(zmq::sockopt::linger, 0);
                socket.set(zmq::sockopt::maxmsgsize, kMessageBytes);
                socket.set(zmq::sockopt::sndhwm, kCommandsWaiting);
                if (!keys.prepare(socket, endpoint))
                    throw zmq::error_t();
                socket.connect(endpoint);
                at = sockets.emplace(endpoint, std::move(socket)).first;
            }
            if (!command.SerializeToString(&bytes) || !at->second.send(zmq::buffer(bytes), zmq::send_flags::dontwait)) {
                callback({ Answer::Outcome::Unreachable, {}, what + " cannot be sent: too many commands wait there." });
                return;
            }
        } catch (const zmq::error_t& error) {
            callback({ Answer::Outcome::Unreachable, {},
                what + " cannot be sent to " + endpoint + ": " + error.what() + "." });
            return;
        }
        pending.emplace(
            ticket, Pending { endpoint, what, timeout, AwakeClock::now() + timeout, std::move(callback), sentNs });
    }

    // The clock of a process lies between the moments of question and answer, so half of the time between them is how
    // far a reading may be off. Only answers that are given at once tell much.
    void readClock(const Pending& call, const pb::CommandReply& reply)
    {
        constexpr std::int64_t kLatest = std::int64_t(1) << 62;
        const pb::ProcessInfo& process = reply.process();
        if (reply.wall_ns() <= 0 || reply.wall_ns() > kLatest || process.host().empty())
            return;
        const std::int64_t now = RunClock::own().now();
        const std::int64_t error = std::max<std::int64_t>(1, (now - call.sentNs) / 2);
        ClockReading& best = clocks[process.host()];
        if (best.errorNs != 0 && error >= best.errorNs && Clock::now() - best.at < kClockValid)
            return;
        best = { error, Clock::now() };
        ingest.noteClock(process.node(), reply.wall_ns() - (now - (now - call.sentNs) / 2), error);
    }

    void receive(zmq::socket_t& socket)
    {
        for (;;) {
            zmq::message_t message;
            try {
                if (!socket.recv(message, zmq::recv_flags::dontwait))
                    return;
            } catch (const zmq::error_t&) {
                return; // interrupted: the next turn continues
            }
            // A leading empty frame is allowed, as a REQ socket sends one.
            pb::CommandReply reply;
            if (message.size() == 0 || !reply.ParseFromArray(message.data(), int(message.size())))
                continue;
            const auto at = pending.find(reply.ticket());
            if (at == pending.end())
                continue; // arrived too late
            Pending call = std::move(at->second);
            pending.erase(at);
            if (reply.has_process())
                readClock(call, reply);
            Answer answer { Answer::Outcome::Replied, std::move(reply), {} };
            if (answer.reply.refusal() != pb::NOT_REFUSED) {
                answer.outcome = Answer::Outcome::Refused;
                answer.text = answer.reply.text().empty() ? call.what + " was refused." : answer.reply.text();
            }
            call.callback(std::move(answer));
        }
    }

    template <class Filter>
    void giveUp(Filter filter, Answer::Outcome outcome, const std::function<std::string(const Pending&)>& text)
    {
        std::vector<Pending> over;
        for (auto at = pending.begin(); at != pending.end();) {
            if (filter(at->second)) {
                over.push_back(std::move(at->second));
                at = pending.erase(at);
            } else {
                ++at;
            }
        }
        for (Pending& call : over)
            call.callback({ outcome, {}, text(call) });
    }

    void timeOut()
    {
        const auto now = AwakeClock::now();
        giveUp([&](const Pending& call) { return call.deadline <= now; }, Answer::Outcome::TimedOut,
            [](const Pending& call) { return call.what + ": no answer within " + seconds(call.timeout) + "."; });
    }

    void drop(const std::string& endpoint, const std::string& reason)
    {
        sockets.erase(endpoint);
        giveUp([&](const Pending& call) { return call.endpoint == endpoint; }, Answer::Outcome::Unreachable,
            [&](const Pending& call) { return call.what + ": " + reason + "."; });
    }

    static void take(std::vector<std::pair<Clock::time_point, ProcessId>>& list, std::vector<ProcessId>& due)
    {
        std::erase_if(list, [&](const auto& entry) {
            if (entry.first <= Clock::now())
                due.push_back(entry.second);
            return entry.first <= Clock::now();
        });
    }

    void askDirectory(ControlClient& client);
    void askSimulation(ControlClient& client);
    void takeList(ControlClient& client, const pb::ProcessList& list);
    void doubt(ControlClient& client, ProcessId process);
    void probe(ControlClient& client);
    void readClocks(ControlClient& client);
    void run(ControlClient& client, const std::stop_token& stop);
};

ControlClient::ControlClient(zmq::context_t& context, Ingest& ingest)
    : m_ingest(ingest), m_wakeUp(std::make_unique<WakeUp>()), m_thread([this, &context](const std::stop_token& stop) {
          Thread thread { context, m_ingest.peerKeys(), m_ingest, {}, {}, {}, {}, {}, {}, {} };
          thread.run(*this, stop);
      })
{
    m_ingest.onSnapshotWanted([this](ProcessId process) { takeSnapshot(process); });
}

ControlClient::~ControlClient()
{
    m_ingest.onSnapshotWanted([](ProcessId) {});
    m_thread.request_stop();
    m_wakeUp->call();
    if (m_thread.joinable())
        m_thread.join();
}

void ControlClient::post(std::function<void(Thread&)> task)
{
    {
        const std::lock_guard lock(m_mutex);
        m_tasks.push_back(std::move(task));
    }
    m_wakeUp->call();
}

void ControlClient::watchCluster(const std::string& coordinatorEndpoint)
{
    post([this, coordinatorEndpoint](Thread& thread) {
        thread.coordinatorEndpoint = coordinatorEndpoint;
        thread.askAt = {};
        {
            const std::lock_guard lock(m_mutex);
            m_coordinator = 0;
            m_answered = {};
        }
        thread.askDirectory(*this);
    });
}

void ControlClient::leaveCluster()
{
    // Completed when this returns, so that what is added afterwards belongs to the next cluster.
    std::promise<void> done;
    post([this, &done](Thread& thread) {
        thread.coordinatorEndpoint.clear();
        thread.isAsking = false;
        thread.probes.clear();
        thread.retries.clear();
        thread.clocks.clear();
        while (!thread.sockets.empty())
            thread.drop(std::string(thread.sockets.begin()->first), "the cluster was left");
        {
            const std::lock_guard lock(m_mutex);
            m_directory.clear();
            m_coordinator = 0;
            m_answered = {};
            m_simulation.reset();
            m_watched.clear();
            m_isWorkloadHeld = m_isGated = false; // the leases end both
        }
        done.set_value();
    });
    done.get_future().wait();
    m_ingest.forgetCluster();
}

void ControlClient::addProcess(const pb::ProcessInfo& info)
{
    m_ingest.peerKeys().note(info);
    bool isNew = false, isBack = false;
    ProcessId former = 0;
    pb::Detail detail = pb::FULL;
    {
        const std::lock_guard lock(m_mutex);
        KnownProcess& known = m_directory[info.node()];
        isNew = known.info.node() == 0;
        known.info = info;
        // It was wrongly taken for gone; the coordinator hears of it again.
        isBack = std::exchange(known.endIsPresumed, false);
        known.hasEnded = known.hasEnded && !isBack;
        detail = m_detail;
        // A restarted coordinator learns of the processes one after the other.
        if (info.kind() == pb::COORDINATOR && m_coordinator != info.node()) {
            former = std::exchange(m_coordinator, info.node());
            for (auto& [id, other] : m_directory)
                other.listsWithout = -kListsOfNewCoordinator;
        }
    }
    if (former != 0)
        end(former, "another coordinator has taken over", false);
    if (!isNew && !isBack)
        return;
    if (!info.is_simulated() && !info.host().empty() && info.host() != QSysInfo::machineHostName().toStdString())
        askForTime(info); // before its snapshot, so that its events are put on our clock
    m_ingest.addProcess(info);
    if (isBack)
        m_ingest.refresh({ info.node() }); // its answer shows that it is alive
    if (detail != pb::FULL)
        tellDetail(info.node());
    if (info.kind() == pb::CLIENT && isWorkloadHeld())
        tellHold(info.node(), true); // before any client command can reach it
    if (isGated())
        tellGate(info.node(), Clock::now().time_since_epoch().count());
}

void ControlClient::endProcess(ProcessId process, const std::string& reason) { end(process, reason, false); }

void ControlClient::end(ProcessId process, const std::string& reason, bool isPresumed)
{
    std::string endpoint;
    bool wasEnded = false;
    {
        const std::lock_guard lock(m_mutex);
        const auto at = m_directory.find(process);
        if (at == m_directory.end())
            return;
        wasEnded = std::exchange(at->second.hasEnded, true);
        if (wasEnded && (!at->second.endIsPresumed || isPresumed))
            return;
        at->second.endIsPresumed = isPresumed;
        // A process that was only paused will continue and answer, so its pending calls keep waiting.
        if (!isPresumed || isGoneHere(at->second))
            endpoint = at->second.info.control_endpoint();
        for (const auto& [id, other] : m_directory)
            if (!other.hasEnded && other.info.control_endpoint() == endpoint)
                endpoint.clear(); // it belongs to its successor now
    }
    if (!wasEnded)
        m_ingest.endProcess(process, reason);
    if (!endpoint.empty())
        post([endpoint, reason](Thread& thread) { thread.drop(endpoint, reason); });
}

void ControlClient::endProcessOfPid(std::uint32_t pid, const std::string& reason, Ip host)
{
    for (const KnownProcess& known : directory())
        if (known.info.pid() == pid && (host.isAny() || Ip::from(known.info.address()) == host))
            endProcess(known.info.node(), reason);
}

void ControlClient::pauseProcessOfPid(std::uint32_t pid, bool isPaused, Ip host)
{
    std::vector<ProcessId> found;
    {
        const std::lock_guard lock(m_mutex);
        for (auto& [id, known] : m_directory)
            if (known.info.pid() == pid && (host.isAny() || Ip::from(known.info.address()) == host)
                && !known.hasEnded) {
                known.isPaused = isPaused;
                found.push_back(id);
            }
    }
    for (const ProcessId id : found)
        m_ingest.pauseProcess(id, isPaused);
}

void ControlClient::call(const CallTarget& to, pb::Command command, Milliseconds timeout, Callback callback)
{
    std::string endpoint = to.endpoint, who = to.endpoint;
    if (to.process != 0) {
        const auto known = find(to.process);
        if (!known || (known->hasEnded && (!known->endIsPresumed || isGoneHere(*known)))) {
            const std::string text = known ? commandName(command) + ": " + known->info.name() + " has ended."
                                           : commandName(command) + ": no such process in the directory.";
            callback({ Answer::Outcome::Unreachable, {}, text });
            return;
        }
        endpoint = known->info.control_endpoint();
        who = known->info.name();
        command.set_process(to.process);
    }
    post([endpoint, who, command = std::move(command), timeout, callback = std::move(callback)](
             Thread& thread) mutable { thread.send(endpoint, who, std::move(command), timeout, std::move(callback)); });
}

Answer ControlClient::callAndWait(
    const CallTarget& to, pb::Command command, Milliseconds timeout, const std::stop_token& stop)
{
    return std::move(callAllAndWait({ { to, std::move(command) } }, timeout, stop).front());
}

std::vector<Answer> ControlClient::callAllAndWait(
    const std::vector<std::pair<CallTarget, pb::Command>>& calls, Milliseconds timeout, const std::stop_token& stop)
{
    // Shared with the callbacks, which may arrive after this wait was stopped.
    struct Wait {
        std::mutex mutex;
        std::condition_variable_any changed;
        std::vector<std::optional<Answer>> answers;
        std::size_t missing = 0;
    };
    const auto wait = std::make_shared<Wait>();
    wait->answers.resize(calls.size());
    wait->missing = calls.size();
    for (std::size_t i = 0; i < calls.size(); ++i)
        call(calls[i].first, calls[i].second, timeout, [wait, i](Answer answer) {
            const std::lock_guard lock(wait->mutex);
            wait->answers[i] = std::move(answer);
            --wait->missing;
            wait->changed.notify_all();
        });
    std::unique_lock lock(wait->mutex);
    // The control thread answers every call in time; this deadline only guards against the end of that thread.
    wait->changed.wait_until(
        lock, stop, AwakeClock::now() + timeout + std::chrono::seconds(5), [&] { return wait->missing == 0; });
    std::vector<Answer> answers;
    for (auto& answer : wait->answers)
        answers.push_back(answer ? std::move(*answer) : Answer { Answer::Outcome::Stopped, {}, "Stopped." });
    return answers;
}

std::vector<KnownProcess> ControlClient::directory() const
{
    const std::lock_guard lock(m_mutex);
    std::vector<KnownProcess> known;
    for (const auto& [id, process] : m_directory)
        known.push_back(process);
    return known;
}

std::optional<KnownProcess> ControlClient::find(ProcessId process) const
{
    const std::lock_guard lock(m_mutex);
    const auto at = m_directory.find(process);
    return at == m_directory.end() ? std::nullopt : std::optional(at->second);
}

ProcessId ControlClient::coordinator() const
{
    const std::lock_guard lock(m_mutex);
    return m_coordinator;
}

bool ControlClient::coordinatorAnswers() const
{
    const std::lock_guard lock(m_mutex);
    // Where virtual time waits for commands, nothing is queried in between, so silence means nothing.
    const auto known = m_directory.find(m_coordinator);
    if (m_simulation && m_simulation->waits_for_commands() && known != m_directory.end())
        return !known->second.hasEnded;
    return m_answered != Clock::time_point {} && Clock::now() - m_answered < std::chrono::seconds(1);
}

void ControlClient::takeSnapshot(ProcessId process)
{
    pb::Command command;
    command.mutable_take_snapshot();
    call(process, std::move(command), kSnapshotTimeout, [this, process](const Answer& answer) {
        if (answer && answer.reply.has_snapshot()) {
            m_ingest.giveSnapshot(process, std::make_shared<pb::Snapshot>(answer.reply.snapshot()));
            post([process](Thread& thread) { thread.probes.emplace_back(Clock::now() + kProbeAfter, process); });
            return;
        }
        m_ingest.giveSnapshot(process, nullptr);
        if (const auto known = find(process); known && !known->hasEnded)
            post([process](Thread& thread) { thread.retries.emplace_back(Clock::now() + kAskTimeout, process); });
    });
}

// ---- the control thread

void ControlClient::Thread::askDirectory(ControlClient& client)
{
    const bool isKnown = client.coordinator() != 0;
    // Where virtual time waits for commands, a command answered by a process is a step of it. How often the directory
    // is queried would then affect the run.
    if (const auto simulation = client.simulation(); isKnown && simulation && simulation->waits_for_commands()) {
        askAt = Clock::now() + kDirectoryPeriod; // the simulator reports all processes
        return;
    }
    isAsking = true;
    pb::Command command;
    if (isKnown)
        command.mutable_list_processes();
    else
        command.mutable_who_are_you();
    const std::string endpoint = coordinatorEndpoint;
    send(endpoint, "the coordinator", std::move(command), kAskTimeout,
        [this, &client, endpoint, isKnown](const Answer& answer) {
            if (endpoint != coordinatorEndpoint)
                return; // from the former cluster
            isAsking = false;
            askAt = Clock::now() + kDirectoryPeriod;
            if (!answer)
                return;
            {
                const std::lock_guard lock(client.m_mutex);
                client.m_answered = Clock::now();
            }
            if (!isKnown) {
                client.addProcess(answer.reply.process());
                askAt = {};
            } else {
                takeList(client, answer.reply.processes());
            }
        });
}

// The simulator knows which simulated processes have ended, like a parent process.
void ControlClient::Thread::askSimulation(ControlClient& client)
{
    const auto coordinator = client.find(client.coordinator());
    if (!coordinator || !coordinator->info.is_simulated())
        return;
    if (const auto simulation = client.simulation(); simulation && simulation->waits_for_commands())
        return; // each command's answer includes the state; a report at another time would shift the run's clock
    pb::Command command;
    command.mutable_describe_simulation();
    const std::string endpoint = coordinatorEndpoint;
    send(endpoint, "the simulator", std::move(command), kAskTimeout, [this, &client, endpoint](const Answer& answer) {
        if (!answer || endpoint != coordinatorEndpoint)
            return;
        client.learnSimulation(answer.reply.simulation());
    });
}

void ControlClient::Thread::takeList(ControlClient& client, const pb::ProcessList& list)
{
    std::vector<ProcessId> gone;
    for (const auto& entry : list.processes()) // an invalid entry must not affect the others
        if (whatIsWrong(entry.process()).empty() && !entry.process().control_endpoint().empty())
            client.addProcess(entry.process());
    {
        const std::lock_guard lock(client.m_mutex);
        for (auto& [id, known] : client.m_directory)
            ++known.listsWithout;
        for (const auto& entry : list.processes()) {
            const auto at = client.m_directory.find(entry.process().node());
            if (at == client.m_directory.end())
                continue;
            at->second.place = entry.place();
            at->second.incarnation = entry.incarnation();
            at->second.silentMs = entry.silent_ms();
            at->second.isListed = true;
            at->second.listsWithout = 0;
        }
        for (const auto& [id, known] : client.m_directory)
            if (known.isListed && !known.hasEnded && !known.isPaused && known.listsWithout >= kListsWithout)
                gone.push_back(id);
    }
    for (const ProcessId id : gone)
        doubt(client, id);
}

// A process that the coordinator does not hear may be alive, for example cut off from the others on purpose, and its
// faults can then be healed. Of simulated processes the simulator tells which have ended.
void ControlClient::Thread::doubt(ControlClient& client, ProcessId process)
{
    const auto known = client.find(process);
    if (!known || known->info.is_simulated() || !doubted.insert(process).second)
        return;
    pb::Command command;
    command.mutable_take_snapshot()->set_without_records(true);
    command.set_process(process);
    send(known->info.control_endpoint(), known->info.name(), std::move(command), kAskTimeout,
        [this, &client, process](const Answer& answer) {
            doubted.erase(process);
            const bool isAlive = answer && answer.reply.snapshot().process() == process;
            {
                const std::lock_guard lock(client.m_mutex);
                const auto at = client.m_directory.find(process);
                if (at == client.m_directory.end() || at->second.listsWithout < kListsWithout)
                    return; // it is listed again
                if (isAlive)
                    at->second.listsWithout = kListsWithout - kListsBetween;
            }
            if (!isAlive)
                client.end(process, "the coordinator no longer lists it, and it does not answer", true);
        });
}

void ControlClient::Thread::probe(ControlClient& client)
{
    std::vector<ProcessId> due;
    take(probes, due);
    if (Clock::now() >= probeAt) {
        probeAt = Clock::now() + kProbePeriod;
        const auto silent = client.m_ingest.silentSince(kSilence);
        due.insert(due.end(), silent.begin(), silent.end());
    }
    for (const ProcessId process : due) {
        const auto known = client.find(process);
        if (!known || known->hasEnded)
            continue;
        pb::Command command;
        command.mutable_take_snapshot()->set_without_records(true);
        command.set_process(process);
        send(known->info.control_endpoint(), known->info.name(), std::move(command), kAskTimeout,
            [&client, process](const Answer& answer) {
                if (answer)
                    client.m_ingest.expectSequence(process, answer.reply.snapshot().sequence());
            });
    }
    due.clear();
    take(retries, due);
    for (const ProcessId process : due)
        client.m_ingest.refresh({ process });
}

void ControlClient::askForTime(const pb::ProcessInfo& process)
{
    pb::Command command;
    command.mutable_who_are_you();
    command.set_process(process.node());
    post([endpoint = process.control_endpoint(), name = process.name(), command = std::move(command)](
             Thread& thread) { thread.send(endpoint, name, command, kAskTimeout, [](const Answer&) {}); });
}

// One process of each other computer, from time to time.
void ControlClient::Thread::readClocks(ControlClient& client)
{
    if (Clock::now() < clocksAt)
        return;
    clocksAt = Clock::now() + kClockPeriod;
    std::set<std::string> hosts { QSysInfo::machineHostName().toStdString(), std::string() };
    for (const KnownProcess& known : client.directory())
        if (!known.hasEnded && !known.isPaused && !known.info.is_simulated() && hosts.insert(known.info.host()).second)
            client.askForTime(known.info);
}

void ControlClient::Thread::run(ControlClient& client, const std::stop_token& stop)
{
    while (!stop.stop_requested()) {
        std::vector<zmq::pollitem_t> items { { nullptr, client.m_wakeUp->descriptor(), ZMQ_POLLIN, 0 } };
        std::vector<std::string> endpoints;
        for (auto& [endpoint, socket] : sockets) {
            items.push_back({ socket.handle(), 0, ZMQ_POLLIN, 0 });
            endpoints.push_back(endpoint);
        }
        if (zmq_poll(items.data(), int(items.size()), std::min(kTick, client.untilSample()).count()) < 0)
            continue; // interrupted
        for (std::size_t i = 0; i < endpoints.size(); ++i)
            if ((items[i + 1].revents & ZMQ_POLLIN) != 0)
                if (const auto at = sockets.find(endpoints[i]); at != sockets.end())
                    receive(at->second);
        if ((items[0].revents & ZMQ_POLLIN) != 0) {
            client.m_wakeUp->clear();
            std::vector<std::function<void(Thread&)>> tasks;
            {
                const std::lock_guard lock(client.m_mutex);
                tasks.swap(client.m_tasks);
            }
            for (const auto& task : tasks)
                task(*this);
        }
        timeOut();
        if (!coordinatorEndpoint.empty() && !isAsking && Clock::now() >= askAt)
            askDirectory(client), askSimulation(client);
        probe(client);
        readClocks(client);
        client.watchAndHold();
        client.renewGate();
    }
    // The last commands are not sent, but their callers get an answer.
    std::vector<std::function<void(Thread&)>> tasks;
    {
        const std::lock_guard lock(client.m_mutex);
        tasks.swap(client.m_tasks);
    }
    for (const auto& task : tasks)
        task(*this);
    giveUp([](const Pending&) { return true; }, Answer::Outcome::Stopped,
        [](const Pending&) { return std::string("Stopped."); });
}

} // namespace lhrs::gui
