// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/local/real_processes.h"

#include "gui/lab/control/control_client.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/local/cluster_programs.h"
#include "common/end_reasons.h"
#include "common/ip.h"

#include <sys/un.h>

#include <algorithm>
#include <condition_variable>
#include <thread>

namespace lhrs::gui {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAnswerTimeout(3000);
constexpr const char* kClientProgram = "lhrs-client";
// Wake-up delays below kLateAtAll end the measurement at once; otherwise it lasts kLooksLonger, with a query every
// kLooksAgain.
constexpr std::chrono::nanoseconds kLateAtAll(milliseconds(10));
constexpr milliseconds kLooksLonger(300), kLooksAgain(30);

} // namespace

RealProcesses::RealProcesses(const ProcessParts& parts, const LocalOptions& options)
    : m_parts(parts), m_options(options), m_spread(options.hosts.empty() ? std::vector<HostEntry>(1) : options.hosts)
{
}

// ---- starting

Result<void> RealProcesses::begin(const std::stop_token& stop)
{
    m_parts.ingest.peerKeys().use(std::nullopt);
    if (m_options.hasKeys) {
        if (const auto made = m_parts.programs.makeKeyDirectory(); !made)
            return made;
        const auto own = readKeyFile(m_parts.programs.operatorKey());
        if (!own)
            return own.error();
        m_parts.ingest.peerKeys().use(*own);
    }
    const SystemLines lines = linesOf(m_options);
    for (const HostEntry& host : m_options.hosts)
        for (const auto& [pool, most] : host.most)
            if (std::none_of(lines.pools.begin(), lines.pools.end(), [&](const auto& p) { return p.prefix == pool; }))
                return Error { "The host " + host.name + " has max-" + pool + ", but the cluster has no such pool." };
    if (!m_options.hosts.empty()) {
        if (!m_options.hasKeys)
            return Error {
                "A cluster on several hosts needs keys, because others can reach them: without keys: false."
            };
        if (const auto reached = m_parts.programs.useHosts(m_options.hosts, stop); !reached)
            return reached;
    }
    if (const auto room = ClusterPrograms::checkOpenFiles(1 + lines.servers()); !room)
        return room;
    std::vector<std::string> arguments = lines.coordinator;
    for (const auto& more : { lines.asNew, lines.always })
        arguments.insert(arguments.end(), more.begin(), more.end());
    auto coordinator = program("lhrs-coordinator", "coordinator", std::move(arguments), 0);
    if (!coordinator)
        return Error { coordinator.error().text };
    const auto first = startAll({ std::move(*coordinator) }, stop);
    if (!first)
        return Error { first.error().text };
    m_control = first->front().control_endpoint();
    m_coordinator = udpText(first->front().address());
    return {};
}

Result<void> RealProcesses::complete(const std::vector<NewServers>& pools, const std::stop_token& stop)
{
    m_parts.control.watchCluster(m_control);
    for (const NewServers& servers : pools) {
        if (&servers == &pools.back()) // the cluster comes to life with it, and then its time-outs stay
            if (const auto chosen = choosePatience(stop); !chosen)
                return chosen;
        if (const auto added = addServers(servers, stop); !added)
            return added;
    }
    return {};
}

Result<RealProcesses::Placed> RealProcesses::program(
    const std::string& file, const std::string& name, std::vector<std::string> arguments, std::size_t host) const
{
    const ClusterPrograms::Host& place = m_parts.programs.host(host);
    if (m_options.hasGate)
        arguments.emplace_back("--gate");
    if (!place.keys.empty())
        arguments.insert(arguments.end(),
            { "--key-file", place.keys + '/' + (file == kClientProgram ? kClientKeyName : kClusterKeyName) });
    if (!place.address.empty()) {
        // Whoever started the cluster holds the operator's key, and breaks it on purpose.
        arguments.emplace_back("--allow-faults");
        if (std::find(arguments.begin(), arguments.end(), "--listen") == arguments.end())
            arguments.insert(arguments.end(), { "--listen", place.address });
    }
    auto made = m_parts.programs.program(file, name, std::move(arguments), host);
    if (!made)
        return made.error();
    return Placed { std::move(*made), host };
}

ClusterProcesses::Started RealProcesses::startAll(const std::vector<Placed>& programs, const std::stop_token& stop)
{
    if (const auto room = ClusterPrograms::checkOpenFiles(programs.size()); !room)
        return room.error();
    const bool areClients = !programs.empty() && programs.front().program.path.ends_with(kClientProgram);
    // The hosts start theirs at the same time.
    std::vector<std::vector<ChildProgram>> byHost(m_parts.programs.hosts());
    for (const Placed& placed : programs)
        byHost[placed.host].push_back(placed.program);
    std::vector<std::vector<StartedChild>> startedThere(byHost.size());
    std::vector<std::string> problems(byHost.size());
    {
        std::vector<std::jthread> starting;
        for (std::size_t host = 0; host < byHost.size(); ++host)
            if (!byHost[host].empty())
                starting.emplace_back([&, host] {
                    auto started = m_parts.programs.start(byHost[host], stop, host);
                    if (started)
                        startedThere[host] = std::move(*started);
                    else
                        problems[host] = started.error().text;
                });
    }
    for (const std::string& problem : problems)
        if (!problem.empty()) {
            for (std::size_t host = 0; host < startedThere.size(); ++host)
                for (const StartedChild& child : startedThere[host])
                    keeperOf(host).kill({ child.pid });
            return Error { problem };
        }
    // Watched before they are asked for their identity, so that their first events are not missed.
    std::vector<std::size_t> next(byHost.size());
    std::vector<StartedChild> started;
    for (const Placed& placed : programs)
        started.push_back(startedThere[placed.host][next[placed.host]++]);
    std::vector<std::pair<CallTarget, pb::Command>> questions;
    for (const StartedChild& child : started) {
        if (areClients) {
            m_parts.ingest.peerKeys().noteClient(child.word("events"));
            m_parts.ingest.peerKeys().noteClient(child.word("control"));
        }
        m_parts.ingest.watchEvents(child.word("events"));
        pb::Command command;
        command.mutable_who_are_you();
        questions.emplace_back(child.word("control"), command);
    }
    std::vector<pb::ProcessInfo> processes;
    const std::vector<Answer> answers = m_parts.control.callAllAndWait(questions, kAnswerTimeout, stop);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (!answers[i]) {
            m_parts.programs.keepLogs();
            return Error { started[i].name + " runs, but does not answer at " + started[i].word("control") + ": "
                + answers[i].text };
        }
        processes.push_back(answers[i].reply.process());
        m_programs[processes.back().node()] = programs[i];
        m_parts.control.addProcess(processes.back());
    }
    return processes;
}

// A coordinator at the addresses known to servers, clients and operators, without --new: it listens to the running
// file first.
Result<RealProcesses::Placed> RealProcesses::coordinatorAgain(const pb::ProcessInfo& former) const
{
    const auto measured = patience();
    const SystemLines lines = linesOf(m_options, measured ? measured->timeScale : 1);
    if (!lines.whyNoTakeOver.empty())
        return Error { lines.whyNoTakeOver };
    std::vector<std::string> arguments = lines.coordinator;
    const std::string& control = former.control_endpoint();
    arguments.insert(
        arguments.end(), { "--listen", m_coordinator, "--control", control.substr(control.rfind(':') + 1) });
    if (m_parts.ingest.state().file.exists)
        arguments.emplace_back("--replaces"); // it never creates a second file
    return program("lhrs-coordinator", "coordinator", std::move(arguments), m_programs.at(former.node()).host);
}

Result<void> RealProcesses::addServers(const NewServers& servers, const std::stop_token& stop)
{
    std::vector<std::string> arguments = servers.pool.arguments;
    const std::vector<std::string> always = linesOf(m_options).always;
    arguments.insert(arguments.end(), always.begin(), always.end());
    arguments.insert(arguments.end(), { "--coordinator", m_coordinator });
    std::vector<Placed> programs;
    for (const std::string& name : servers.names) {
        const auto host = m_spread.next(servers.pool.prefix);
        if (!host)
            return Error { "The hosts take no further server such as " + name + "; raise max-" + servers.pool.prefix
                + " in their list." };
        auto server = program("lhrs-node", name, arguments, *host);
        if (!server)
            return Error { server.error().text };
        programs.push_back(std::move(*server));
    }
    const auto processes = startAll(programs, stop);
    return processes ? Result<void>() : Result<void>(processes.error());
}

Result<pb::ProcessInfo> RealProcesses::startClient(const std::string& name, const std::stop_token& stop)
{
    std::vector<std::string> arguments = linesOf(m_options).always;
    arguments.insert(arguments.end(), { "--coordinator", m_coordinator });
    const std::size_t host = m_spread.nextClient();
    // Programs that speak the Redis protocol find the file there. Only this user can open it.
    const std::string door = m_parts.programs.logDirectory() + '/' + name + kDoorEnd;
    if (m_parts.programs.host(host).remote == nullptr && door.size() < sizeof(sockaddr_un::sun_path))
        arguments.insert(arguments.end(), { "--resp-socket", door });
    auto client = program(kClientProgram, name, std::move(arguments), host);
    if (!client)
        return Error { client.error().text };
    auto processes = startAll({ std::move(*client) }, stop);
    if (!processes)
        return Error { processes.error().text };
    return processes->front();
}

// ---- patience

Result<std::int64_t> RealProcesses::askLateness(
    const std::vector<std::string>& endpoints, const std::stop_token& stop) const
{
    std::vector<std::pair<CallTarget, pb::Command>> questions;
    for (const std::string& endpoint : endpoints) {
        pb::Command command;
        command.mutable_statistics();
        questions.emplace_back(endpoint, command);
    }
    std::int64_t worst = 0;
    for (const Answer& answer : m_parts.control.callAllAndWait(questions, kAnswerTimeout, stop)) {
        if (!answer)
            return Error { "A process that runs does not say how late it is woken: " + answer.text };
        worst = std::max(worst, std::int64_t(answer.reply.gauges().wake_late_ns()));
    }
    return worst;
}

Result<void> RealProcesses::choosePatience(const std::stop_token& stop)
{
    std::vector<std::string> endpoints;
    std::string coordinator;
    for (const auto& [process, program] : m_programs) {
        const auto known = m_parts.control.find(process);
        if (!known)
            continue;
        endpoints.push_back(known->info.control_endpoint());
        if (known->info.kind() == pb::COORDINATOR)
            coordinator = endpoints.back();
    }
    MachinePatience chosen;
    const auto begin = std::chrono::steady_clock::now();
    for (;;) {
        const auto late = askLateness(endpoints, stop);
        if (!late)
            return late.error();
        chosen.wakeLateNs = std::max(chosen.wakeLateNs, *late);
        // A quiet machine is recognized at once; another one is measured a little longer.
        const bool isOver = std::chrono::steady_clock::now() - begin >= kLooksLonger;
        if (chosen.wakeLateNs < kLateAtAll.count() || isOver || stop.stop_requested())
            break;
        std::mutex pauseMutex;
        std::unique_lock pause(pauseMutex);
        // Ends early on a stop.
        std::condition_variable_any().wait_for(pause, stop, kLooksAgain, [] { return false; });
    }
    chosen.timeScale = timeScaleFor(chosen.wakeLateNs);
    if (chosen.timeScale != 1) {
        pb::Command command;
        command.mutable_set_time_scale()->set_factor(chosen.timeScale);
        const Answer answer = m_parts.control.callAndWait(coordinator, command, kAnswerTimeout, stop);
        if (!answer)
            return Error { "The coordinator does not take longer time-outs: " + answer.text };
        chosen.timers = answer.reply.timers();
    }
    const std::lock_guard patienceLock(m_patienceMutex);
    m_patience = chosen;
    return {};
}

std::optional<MachinePatience> RealProcesses::patience() const
{
    const std::lock_guard lock(m_patienceMutex);
    return m_patience;
}

// ---- faults

RealProcesses::PlacedPid RealProcesses::pidOf(const KnownProcess& known) const
{
    const auto made = m_programs.find(known.info.node());
    const auto pid = pid_t(known.info.pid());
    if (made == m_programs.end() || known.hasEnded || !keeperOf(made->second.host).isChild(pid))
        return {};
    return { made->second.host, pid };
}

Result<std::vector<RealProcesses::PlacedPid>> RealProcesses::pidsOf(const Processes& processes) const
{
    std::vector<PlacedPid> pids;
    for (const std::uint64_t process : processes) {
        const auto known = m_parts.control.find(process);
        if (!known)
            return Error { "There is no such process." };
        if (!m_programs.contains(process))
            return Error { "The process " + known->info.name()
                + " was not started by this program, so it is not touched." };
        const PlacedPid placed = pidOf(*known);
        if (placed.pid == 0)
            return Error { "The process " + known->info.name() + " has ended already." };
        pids.push_back(placed);
    }
    return pids;
}

// Those of different hosts at the same time.
void RealProcesses::killAll(const std::vector<PlacedPid>& pids) const
{
    std::map<std::size_t, std::vector<pid_t>> byHost;
    for (const PlacedPid& placed : pids)
        byHost[placed.host].push_back(placed.pid);
    std::vector<std::jthread> killing;
    for (const auto& [host, there] : byHost)
        killing.emplace_back([this, where = host, &there] { keeperOf(where).kill(there); });
}

Result<void> RealProcesses::kill(const Processes& processes)
{
    const auto pids = pidsOf(processes);
    if (!pids)
        return pids.error();
    // The end has the time of the signal: on a slow machine the coordinator may declare the server failed before its
    // process is reaped.
    for (const std::uint64_t process : processes)
        m_parts.control.endProcess(process, kKilledOnRequest);
    killAll(*pids);
    return {};
}

Result<void> RealProcesses::pause(const Processes& processes, milliseconds lease)
{
    const auto pids = pidsOf(processes);
    if (!pids)
        return pids.error();
    for (const auto& [host, pid] : *pids)
        if (!keeperOf(host).pause(pid, lease))
            return Error { "The process with number " + std::to_string(pid) + " has just ended." };
    return {};
}

Result<void> RealProcesses::resume(const Processes& processes)
{
    const auto pids = pidsOf(processes);
    if (!pids)
        return pids.error();
    for (std::size_t i = 0; i < pids->size(); ++i)
        if (!keeperOf((*pids)[i].host).resume((*pids)[i].pid)) {
            const auto known = m_parts.control.find(processes[i]);
            return Error { "The process " + (known ? known->info.name() : std::string()) + " is not paused." };
        }
    return {};
}

std::size_t RealProcesses::resumeAll()
{
    std::size_t resumed = 0;
    for (const KnownProcess& known : m_parts.control.directory())
        if (const auto [host, pid] = pidOf(known); pid != 0 && keeperOf(host).resume(pid))
            ++resumed;
    return resumed;
}

std::map<std::uint64_t, milliseconds> RealProcesses::paused() const
{
    std::map<std::uint64_t, milliseconds> paused;
    for (const KnownProcess& known : m_parts.control.directory())
        if (const auto [host, pid] = pidOf(known); pid != 0)
            if (const auto left = keeperOf(host).leaseLeft(pid))
                paused[known.info.node()] = *left;
    return paused;
}

ClusterProcesses::Started RealProcesses::restart(const Processes& processes, const std::stop_token& stop)
{
    std::vector<Placed> programs;
    std::vector<PlacedPid> running;
    for (const std::uint64_t process : processes) {
        const auto known = m_parts.control.find(process);
        if (known->info.kind() == pb::COORDINATOR) {
            auto again = coordinatorAgain(known->info);
            if (!again)
                return again.error();
            programs.push_back(std::move(*again));
        } else {
            programs.push_back(m_programs.at(process));
        }
        const PlacedPid former { programs.back().host, pid_t(known->info.pid()) };
        if (keeperOf(former.host).isChild(former.pid))
            running.push_back(former);
    }
    killAll(running);
    for (const std::uint64_t process : processes)
        m_parts.control.endProcess(process, kStartedAgain);
    auto started = startAll(programs, stop);
    if (started) // each only once; what could not be started may be tried again
        for (const std::uint64_t process : processes)
            m_programs.erase(process);
    return started;
}

ClusterProcesses::Processes RealProcesses::started() const
{
    Processes numbers;
    for (const auto& [process, program] : m_programs)
        numbers.push_back(process);
    return numbers;
}

std::size_t RealProcesses::running() const { return m_parts.programs.running(); }

} // namespace lhrs::gui
