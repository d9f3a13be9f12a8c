// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/local/local_cluster.h"

#include "common/open_files.h"
#include "gui/lab/control/control_client.h"
#include "gui/lab/state/end_reasons.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/local/system_lines.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>

namespace lhrs::gui {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kStartTimeout(10'000);
constexpr milliseconds kAnswerTimeout(3000);
// Wake-up delays below kLateAtAll end the measurement at once; otherwise it lasts kLooksLonger, with a query every
// kLooksAgain.
constexpr std::chrono::nanoseconds kLateAtAll(milliseconds(10));
constexpr milliseconds kLooksLonger(300), kLooksAgain(30);

std::string ownDirectory()
{
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path().string();
}

std::string word(const StartedChild& child, const std::string& name)
{
    const auto at = child.ready.find(name);
    return at == child.ready.end() ? std::string() : at->second;
}

} // namespace

LocalCluster::LocalCluster(ControlClient& control, Ingest& ingest, int courtesy)
    : m_control(control), m_ingest(ingest), m_programDirectory(ownDirectory()),
      m_keeper([this](pid_t pid, const std::string& how) { m_control.endProcessOfPid(std::uint32_t(pid), how); },
          [this](pid_t pid, bool isPaused) { m_control.pauseProcessOfPid(std::uint32_t(pid), isPaused); }, courtesy)
{
}

LocalCluster::~LocalCluster() { stop(); }

void LocalCluster::setProgramDirectory(std::string directory)
{
    const std::lock_guard lock(m_mutex);
    m_programDirectory = std::move(directory);
}

Result<ChildProgram> LocalCluster::program(
    const std::string& file, const std::string& name, std::vector<std::string> arguments) const
{
    const std::string path = m_programDirectory + "/" + file;
    if (::access(path.c_str(), X_OK) != 0)
        return Error { "The program " + file + " is not in " + m_programDirectory
            + "; build it first (./run builds all programs)." };
    arguments.insert(arguments.end(), { "--name", name, "--die-with-parent" });
    if (m_options && m_options->hasGate && !isSimulated())
        arguments.emplace_back("--gate");
    return ChildProgram { name, path, std::move(arguments), m_logDirectory + "/" + name + ".log" };
}

Result<void> LocalCluster::makeLogDirectory()
{
    std::error_code error;
    std::string path = (fs::temp_directory_path(error) / "lhrs-XXXXXX").string();
    if (error || ::mkdtemp(path.data()) == nullptr)
        return Error { "No directory for the processes' logs can be made in " + fs::temp_directory_path(error).string()
            + "; set TMPDIR to one that can be written." };
    m_logDirectory = path;
    m_hasFailed = false;
    return {};
}

Result<void> LocalCluster::checkOpenFiles(std::size_t more) const
{
    const std::string why = openFilesTrouble(more * kFilesOfProcess, std::to_string(more) + " further processes");
    return why.empty() ? Result<void>() : Result<void>(Error { why + "." });
}

std::vector<std::string> LocalCluster::coordinatorArguments(const LocalOptions& options) const
{
    std::vector<std::string> arguments = linesOf(options).coordinator;
    const auto measured = patience();
    const unsigned scale = (options.slowTimers ? 5 : 1) * (measured ? measured->timeScale : 1);
    if (scale != 1)
        arguments.insert(arguments.end(), { "--time-scale", std::to_string(scale) });
    return arguments;
}

// A coordinator at the addresses known to servers, clients and operators, without --new: it listens to the running
// file first.
Result<ChildProgram> LocalCluster::coordinatorAgain(const pb::ProcessInfo& former) const
{
    if (const std::string why = linesOf(*m_options).whyNoTakeOver; !why.empty())
        return Error { why };
    std::vector<std::string> arguments = coordinatorArguments(*m_options);
    const std::string& control = former.control_endpoint();
    arguments.insert(
        arguments.end(), { "--listen", m_coordinator, "--control", control.substr(control.rfind(':') + 1) });
    if (m_ingest.state().file.exists)
        arguments.emplace_back("--replaces"); // it never creates a second file
    return program("lhrs-coordinator", "coordinator", std::move(arguments));
}

Result<std::vector<pb::ProcessInfo>> LocalCluster::startAll(
    std::vector<ChildProgram> programs, const std::stop_token& stop)
{
    if (const auto room = checkOpenFiles(programs.size()); !room)
        return room.error();
    const std::vector<ChildProgram> known = programs;
    auto started = m_keeper.start(std::move(programs), kStartTimeout, stop);
    if (!started) {
        m_hasFailed = true;
        return Error { started.error().text };
    }
    // Watched before they are asked for their identity, so that their first events are not missed.
    std::vector<std::pair<CallTarget, pb::Command>> questions;
    for (const StartedChild& child : *started) {
        m_ingest.watchEvents(word(child, "events"));
        pb::Command command;
        command.mutable_who_are_you();
        questions.emplace_back(word(child, "control"), command);
    }
    std::vector<pb::ProcessInfo> processes;
    const std::vector<Answer> answers = m_control.callAllAndWait(questions, kAnswerTimeout, stop);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (!answers[i]) {
            m_hasFailed = true;
            return Error { (*started)[i].name + " runs, but does not answer at " + word((*started)[i], "control") + ": "
                + answers[i].text };
        }
        processes.push_back(answers[i].reply.process());
        m_programs[processes.back().node()] = known[i];
        m_control.addProcess(processes.back());
    }
    return processes;
}

void LocalCluster::preferSimulated(const std::optional<SimulatedOptions>& simulated)
{
    const std::lock_guard lock(m_mutex);
    m_preferred = simulated;
    if (simulated && simulated->waitsForScript)
        m_ingest.standStill();
}

Result<void> LocalCluster::start(const LocalOptions& wanted, const std::stop_token& stopToken)
{
    stop();
    LocalOptions options = wanted;
    SystemLines lines;
    {
        const std::lock_guard lock(m_mutex);
        m_control.leaveCluster();
        if (const auto made = makeLogDirectory(); !made)
            return made;
        if (!options.simulated)
            options.simulated = m_preferred;
        if (options.simulated)
            return simulate(options, stopToken);
        lines = linesOf(options);
        if (const auto room = checkOpenFiles(1 + lines.servers()); !room)
            return room;
        std::vector<std::string> arguments = coordinatorArguments(options);
        for (const auto& more : { lines.asNew, lines.always })
            arguments.insert(arguments.end(), more.begin(), more.end());
        if (options.hasGate)
            arguments.emplace_back("--gate");
        auto coordinator = program("lhrs-coordinator", "coordinator", std::move(arguments));
        if (!coordinator)
            return Error { coordinator.error().text };
        const auto first = startAll({ std::move(*coordinator) }, stopToken);
        if (!first)
            return Error { first.error().text };
        const pb::ProcessInfo& info = first->front();
        const std::uint32_t ip = info.address().ip();
        m_coordinator = std::to_string(ip >> 24) + '.' + std::to_string(ip >> 16 & 255) + '.'
            + std::to_string(ip >> 8 & 255) + '.' + std::to_string(ip & 255) + ':'
            + std::to_string(info.address().udp_port());
        m_options = options;
        m_control.watchCluster(info.control_endpoint());
    }
    for (const SystemLines::Pool& pool : lines.pools) {
        if (&pool == &lines.pools.back()) // the cluster comes to life with it, and then its time-outs stay
            if (const auto chosen = choosePatience(stopToken); !chosen)
                return chosen;
        if (const auto added = addServers(pool.role, pool.count, stopToken); !added)
            return added;
    }
    return {};
}

// ---- patience

Result<std::int64_t> LocalCluster::askLateness(
    const std::vector<std::string>& endpoints, const std::stop_token& stopToken) const
{
    std::vector<std::pair<CallTarget, pb::Command>> questions;
    for (const std::string& endpoint : endpoints) {
        pb::Command command;
        command.mutable_statistics();
        questions.emplace_back(endpoint, command);
    }
    std::int64_t worst = 0;
    for (const Answer& answer : m_control.callAllAndWait(questions, kAnswerTimeout, stopToken)) {
        if (!answer)
            return Error { "A process that runs does not say how late it is woken: " + answer.text };
        worst = std::max(worst, std::int64_t(answer.reply.gauges().wake_late_ns()));
    }
    return worst;
}

Result<void> LocalCluster::choosePatience(const std::stop_token& stopToken)
{
    const std::lock_guard lock(m_mutex);
    if (!m_options)
        return Error { "The cluster was ended while it started." };
    std::vector<std::string> endpoints;
    std::string coordinator;
    for (const auto& [process, program] : m_programs) {
        const auto known = m_control.find(process);
        if (!known)
            continue;
        endpoints.push_back(known->info.control_endpoint());
        if (known->info.kind() == pb::COORDINATOR)
            coordinator = endpoints.back();
    }
    MachinePatience chosen;
    const auto begin = std::chrono::steady_clock::now();
    for (;;) {
        const auto late = askLateness(endpoints, stopToken);
        if (!late)
            return late.error();
        chosen.wakeLateNs = std::max(chosen.wakeLateNs, *late);
        // A quiet machine is recognized at once; another one is measured a little longer.
        const bool isOver = std::chrono::steady_clock::now() - begin >= kLooksLonger;
        if (chosen.wakeLateNs < kLateAtAll.count() || isOver || stopToken.stop_requested())
            break;
        std::mutex pauseMutex;
        std::unique_lock pause(pauseMutex);
        // Ends early on a stop.
        std::condition_variable_any().wait_for(pause, stopToken, kLooksAgain, [] { return false; });
    }
    chosen.timeScale = timeScaleFor(chosen.wakeLateNs);
    if (chosen.timeScale != 1) {
        pb::Command command;
        command.mutable_set_time_scale()->set_factor(chosen.timeScale);
        const Answer answer = m_control.callAndWait(coordinator, command, kAnswerTimeout, stopToken);
        if (!answer)
            return Error { "The coordinator does not take longer time-outs: " + answer.text };
        chosen.timers = answer.reply.timers();
    }
    const std::lock_guard patienceLock(m_patienceMutex);
    m_patience = chosen;
    return {};
}

std::optional<MachinePatience> LocalCluster::patience() const
{
    const std::lock_guard lock(m_patienceMutex);
    return m_patience;
}

// "data-3": numbered in the order of starting.
std::string LocalCluster::nextServer(const std::string& prefix)
{
    return prefix + "-" + std::to_string(++m_servers[prefix]);
}

Result<void> LocalCluster::addServers(pb::Role pool, std::uint32_t count, const std::stop_token& stopToken)
{
    const std::lock_guard lock(m_mutex);
    if (!m_options)
        return Error { "No cluster of this program runs, so no server can be added." };
    const SystemLines lines = linesOf(*m_options);
    const SystemLines::Pool* const known = lines.pool(pool);
    if (known == nullptr)
        return Error { "The cluster has no such pool of servers." };
    if (isSimulated()) {
        pb::StartProcesses wanted;
        wanted.set_kind(pb::NODE);
        wanted.set_pool(pool);
        for (std::uint32_t i = 0; i < count; ++i)
            wanted.add_names(nextServer(known->prefix));
        const auto more = startSimulated(wanted, stopToken);
        return more ? Result<void>() : Result<void>(more.error());
    }
    std::vector<ChildProgram> servers;
    std::vector<std::string> arguments = known->arguments;
    arguments.insert(arguments.end(), lines.always.begin(), lines.always.end());
    arguments.insert(arguments.end(), { "--coordinator", m_coordinator });
    for (std::uint32_t i = 0; i < count; ++i) {
        auto server = program("lhrs-node", nextServer(known->prefix), arguments);
        if (!server)
            return Error { server.error().text };
        servers.push_back(std::move(*server));
    }
    const auto processes = startAll(std::move(servers), stopToken);
    return processes ? Result<void>() : Result<void>(processes.error());
}

Result<pb::ProcessInfo> LocalCluster::startClient(const std::string& name, const std::stop_token& stopToken)
{
    const std::lock_guard lock(m_mutex);
    if (!m_options)
        return Error { "No cluster of this program runs, so no client can be started." };
    if (isSimulated()) {
        pb::StartProcesses wanted;
        wanted.set_kind(pb::CLIENT);
        wanted.add_names(name);
        auto started = startSimulated(wanted, stopToken);
        return started ? Result<pb::ProcessInfo>(started->front()) : Result<pb::ProcessInfo>(started.error());
    }
    std::vector<std::string> arguments = linesOf(*m_options).always;
    arguments.insert(arguments.end(), { "--coordinator", m_coordinator });
    auto client = program("lhrs-client", name, std::move(arguments));
    if (!client)
        return Error { client.error().text };
    auto processes = startAll({ std::move(*client) }, stopToken);
    if (!processes)
        return Error { processes.error().text };
    return processes->front();
}

void LocalCluster::stop()
{
    m_keeper.endAll();
    const std::lock_guard lock(m_mutex);
    {
        const std::lock_guard patienceLock(m_patienceMutex);
        m_patience.reset();
    }
    m_options.reset();
    m_simulation.clear();
    m_coordinator.clear();
    m_servers.clear();
    m_programs.clear();
    if (!m_logDirectory.empty() && !m_hasFailed) {
        std::error_code ignored; // remaining logs do no harm
        fs::remove_all(m_logDirectory, ignored);
    }
    m_logDirectory.clear();
}

// ---- faults

Result<std::vector<pid_t>> LocalCluster::pidsOf(const std::vector<std::uint64_t>& processes) const
{
    std::vector<pid_t> pids;
    for (const std::uint64_t process : processes) {
        const auto known = m_control.find(process);
        if (!known)
            return Error { "There is no such process." };
        const auto pid = pid_t(known->info.pid());
        if (!m_programs.contains(process))
            return Error { "The process " + known->info.name()
                + " was not started by this program, so it is not touched." };
        if (known->hasEnded || !m_keeper.isChild(pid))
            return Error { "The process " + known->info.name() + " has ended already." };
        pids.push_back(pid);
    }
    return pids;
}

Result<void> LocalCluster::kill(const std::vector<std::uint64_t>& processes)
{
    const std::lock_guard lock(m_mutex);
    if (isSimulated())
        return killSimulated(processes);
    const auto pids = pidsOf(processes);
    if (!pids)
        return pids.error();
    // The end has the time of the signal: on a slow machine the coordinator may declare the bucket failed before its
    // process is reaped.
    for (const std::uint64_t process : processes)
        m_control.endProcess(process, kKilledOnRequest);
    m_keeper.kill(*pids);
    return {};
}

Result<void> LocalCluster::pause(const std::vector<std::uint64_t>& processes, milliseconds lease)
{
    const std::lock_guard lock(m_mutex);
    if (isSimulated())
        return pauseSimulated(processes, lease);
    const auto pids = pidsOf(processes);
    if (!pids)
        return pids.error();
    for (const pid_t pid : *pids)
        if (!m_keeper.pause(pid, lease))
            return Error { "The process with number " + std::to_string(pid) + " has just ended." };
    return {};
}

Result<void> LocalCluster::resume(const std::vector<std::uint64_t>& processes)
{
    const std::lock_guard lock(m_mutex);
    if (isSimulated())
        return resumeSimulated(processes);
    const auto pids = pidsOf(processes);
    if (!pids)
        return pids.error();
    for (std::size_t i = 0; i < pids->size(); ++i)
        if (!m_keeper.resume((*pids)[i])) {
            const auto known = m_control.find(processes[i]);
            return Error { "The process " + (known ? known->info.name() : std::string()) + " is not paused." };
        }
    return {};
}

std::size_t LocalCluster::resumeAll()
{
    std::size_t resumed = 0;
    for (const KnownProcess& known : m_control.directory())
        if (!known.hasEnded && known.info.pid() != 0 && m_keeper.resume(pid_t(known.info.pid())))
            ++resumed;
    return resumed;
}

std::map<std::uint64_t, milliseconds> LocalCluster::paused() const
{
    std::map<std::uint64_t, milliseconds> paused;
    for (const KnownProcess& known : m_control.directory())
        if (const auto left = known.hasEnded ? std::nullopt : m_keeper.leaseLeft(pid_t(known.info.pid())))
            paused[known.info.node()] = *left;
    return paused;
}

std::size_t LocalCluster::ended() const
{
    const std::lock_guard lock(m_mutex);
    return std::size_t(std::count_if(m_programs.begin(), m_programs.end(), [this](const auto& item) {
        const auto known = m_control.find(item.first);
        return known && known->hasEnded;
    }));
}

Result<std::vector<pb::ProcessInfo>> LocalCluster::restart(
    const std::vector<std::uint64_t>& processes, const std::stop_token& stopToken)
{
    const std::lock_guard lock(m_mutex);
    if (isSimulated())
        return restartSimulated(processes, stopToken);
    std::vector<ChildProgram> programs;
    std::vector<pid_t> running;
    for (const std::uint64_t process : processes) {
        const auto known = m_control.find(process);
        const auto program = m_programs.find(process);
        if (!known || program == m_programs.end())
            return Error { "Only a process that this program has started can be started again." };
        if (known->info.kind() == pb::CLIENT)
            return Error { "Servers and the coordinator are started again, not " + known->info.name()
                + ": what a client knows ends with its process; start another one." };
        if (known->info.kind() == pb::COORDINATOR) {
            auto again = coordinatorAgain(known->info);
            if (!again)
                return again.error();
            programs.push_back(std::move(*again));
        } else {
            programs.push_back(program->second);
        }
        if (m_keeper.isChild(pid_t(known->info.pid())))
            running.push_back(pid_t(known->info.pid()));
    }
    m_keeper.kill(running);
    for (const std::uint64_t process : processes)
        m_control.endProcess(process, kStartedAgain);
    auto started = startAll(std::move(programs), stopToken);
    if (started) // each only once; what could not be started may be tried again
        for (const std::uint64_t process : processes)
            m_programs.erase(process);
    return started;
}

bool LocalCluster::isRunning() const
{
    const std::lock_guard lock(m_mutex);
    return m_options.has_value();
}

std::size_t LocalCluster::processes() const
{
    const std::lock_guard lock(m_mutex);
    if (!isSimulated())
        return m_keeper.running();
    const std::vector<KnownProcess> all = m_control.directory();
    return std::size_t(
        std::count_if(all.begin(), all.end(), [](const KnownProcess& known) { return !known.hasEnded; }));
}

std::optional<LocalOptions> LocalCluster::options() const
{
    const std::lock_guard lock(m_mutex);
    return m_options;
}

std::string LocalCluster::logDirectory() const
{
    const std::lock_guard lock(m_mutex);
    return m_logDirectory;
}

} // namespace lhrs::gui
