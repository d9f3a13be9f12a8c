// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/thrash/fleet.h"

#include "tests/rigs/lab/signals.h"

#include "node/transport/socket_address.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace lhrs::thrash {

namespace {

using namespace std::chrono_literals;

const char* wordOf(Kind kind)
{
    switch (kind) {
    case Kind::Coordinator: return "coordinator";
    case Kind::DataNode: return "data";
    case Kind::ParityNode: return "parity";
    case Kind::Client: return "client";
    }
    return "";
}

// A log line that must not appear while all is well.
bool isError(const std::string& line)
{
    for (const char* sign :
        { "[error]", "check failed", "ERROR: AddressSanitizer", "WARNING: ThreadSanitizer", "runtime error:" })
        if (line.find(sign) != std::string::npos)
            return true;
    return false;
}

} // namespace

std::uint64_t startTimeOf(pid_t pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto end = text.rfind(')'); // the name before it may contain anything
    if (end == std::string::npos)
        return 0;
    std::istringstream fields(text.substr(end + 1));
    std::string field;
    for (int number = 3; number < 22; ++number)
        fields >> field;
    std::uint64_t time = 0;
    fields >> time;
    return time;
}

Fleet::Fleet(std::string programs, std::string logs)
    : m_programs(std::move(programs)), m_logs(std::move(logs)), m_keeper([this](pid_t pid, const std::string& how) {
          m_session.control().endProcessOfPid(std::uint32_t(pid), how);
          const std::lock_guard lock(m_mutex);
          m_ended[pid] = how;
      })
{
    m_session.control().setDetail(pb::COUNTS, 0);
}

Fleet::~Fleet()
{
    for (const auto& process : m_processes)
        if (process->isPaused)
            signal(*process, SIGCONT); // so that it can shut down cleanly
}

Result<Process*> Fleet::launch(
    Kind kind, const std::string& name, const std::string& program, std::vector<std::string> arguments)
{
    arguments.insert(arguments.end(), { "--name", name, "--die-with-parent", "--threads", "2" });
    auto started = m_keeper.start(
        { { name, m_programs + "/" + program, std::move(arguments), m_logs + "/" + name + ".log" } }, 30s, {});
    if (!started)
        return started.error();
    auto process = std::make_unique<Process>();
    process->name = name;
    process->kind = kind;
    process->pid = started->front().pid;
    process->startTime = startTimeOf(process->pid);
    pb::Command who;
    who.mutable_who_are_you();
    const gui::Answer answer = control().callAndWait(started->front().ready.at("control"), who, 30s);
    if (!answer)
        return Error { name + " does not answer: " + answer.text };
    process->info = answer.reply.process();
    control().addProcess(process->info);
    m_processes.push_back(std::move(process));
    return m_processes.back().get();
}

// The first coordinator creates a new file; a later one listens at the same address, and finds the file from its
// buckets.
Result<Process*> Fleet::startCoordinator()
{
    std::vector<std::string> arguments { "-m", std::to_string(m_shape.m), "-k", std::to_string(m_shape.k), "-b",
        "100000", "--recovery", "automatic", "--slice", "50", "--time-scale", std::to_string(m_shape.timeScale) };
    if (!m_shape.timers.empty())
        arguments.insert(arguments.end(), { "--timers", m_shape.timers });
    std::string name = "coordinator";
    if (m_coordinatorAddress.empty()) {
        arguments.emplace_back("--new");
    } else {
        arguments.insert(arguments.end(), { "--listen", m_coordinatorAddress, "--replaces" });
        name += "-" + std::to_string(++m_started);
    }
    const auto coordinator = launch(Kind::Coordinator, name, "lhrs-coordinator", std::move(arguments));
    if (!coordinator)
        return coordinator;
    const auto& address = (*coordinator)->info.address();
    m_coordinatorAddress = udpText(address);
    control().watchCluster((*coordinator)->info.control_endpoint());
    return coordinator;
}

Result<void> Fleet::start(const Shape& shape)
{
    m_shape = shape;
    if (const auto coordinator = startCoordinator(); !coordinator)
        return coordinator.error();
    const std::pair<Kind, std::uint32_t> rest[] = { { Kind::ParityNode, shape.parityNodes },
        { Kind::DataNode, shape.dataNodes }, { Kind::Client, shape.clients } };
    for (const auto& [kind, count] : rest)
        for (std::uint32_t i = 0; i < count; ++i)
            if (const auto added = add(kind); !added)
                return added.error();
    return {};
}

Result<Process*> Fleet::add(Kind kind)
{
    if (kind == Kind::Coordinator)
        return startCoordinator();
    const std::string name = std::string(wordOf(kind)) + "-" + std::to_string(++m_started);
    if (kind == Kind::Client)
        return launch(kind, name, "lhrs-client", { "--coordinator", m_coordinatorAddress });
    return launch(kind, name, "lhrs-node", { "--coordinator", m_coordinatorAddress, "--role", wordOf(kind) });
}

Process* Fleet::find(std::uint64_t node)
{
    for (const auto& process : m_processes)
        if (process->info.node() == node && !process->hasEnded)
            return process.get();
    return nullptr;
}

Process* Fleet::coordinator()
{
    const auto found = living(Kind::Coordinator);
    return found.empty() ? nullptr : found.front();
}

std::vector<Process*> Fleet::living(Kind kind)
{
    std::vector<Process*> found;
    for (const auto& process : m_processes)
        if (process->kind == kind && !process->hasEnded)
            found.push_back(process.get());
    return found;
}

// The kernel keeps a child's process number until its end was reaped; otherwise the start time tells the difference.
void Fleet::signal(Process& process, int number)
{
    if (!process.hasEnded && startTimeOf(process.pid) == process.startTime)
        signalOne(process.pid, number);
}

void Fleet::kill(Process& process)
{
    process.mayEnd = true;
    signal(process, SIGKILL);
    process.hasEnded = true;
    if (process.kind == Kind::Coordinator)
        m_coordinatorGone = Clock::now();
    control().endProcess(process.info.node(), "killed on purpose");
}

void Fleet::pause(Process& process)
{
    signal(process, SIGSTOP);
    process.isPaused = true;
}

void Fleet::resume(Process& process)
{
    signal(process, SIGCONT);
    process.isPaused = false;
    if (process.kind == Kind::Coordinator)
        m_coordinatorPaused = Clock::now();
}

std::vector<std::string> Fleet::reap()
{
    std::map<pid_t, std::string> ended;
    {
        const std::lock_guard lock(m_mutex);
        ended.swap(m_ended);
    }
    std::vector<std::string> surprises;
    for (const auto& [pid, how] : ended) {
        for (const auto& process : m_processes) {
            if (process->pid != pid)
                continue;
            process->hasEnded = true;
            if (process->kind == Kind::Coordinator)
                m_coordinatorGone = std::max(m_coordinatorGone, Clock::now() - 1s); // it may have ended a moment ago
            // A process that finds no coordinator at its start gives up with this exit code.
            const bool isWithoutCoordinator = how.ends_with("exit code 3")
                && Clock::now() < std::max(m_coordinatorGone, m_coordinatorPaused) + 20s;
            if (!process->mayEnd && !isWithoutCoordinator)
                surprises.push_back(
                    process->name + ": " + how + "; its log is " + m_logs + "/" + process->name + ".log");
        }
    }
    return surprises;
}

std::vector<std::string> Fleet::errorsInLogs()
{
    std::vector<std::string> found;
    for (const auto& process : m_processes) {
        std::ifstream file(m_logs + "/" + process->name + ".log");
        std::streamoff& at = m_readTo[process->name];
        file.seekg(at);
        for (std::string line; std::getline(file, line); at += std::streamoff(line.size()) + 1)
            if (isError(line))
                found.push_back(process->name + ": " + line);
    }
    return found;
}

} // namespace lhrs::thrash
