// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/host/host_commands.h"

#include "common/children/host_pipe.h"
#include "node/host/host_address.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <utility>

namespace lhrs {

namespace {

constexpr int kExitEnd = 0, kExitBroken = 1;
constexpr const char* kProgramPrefix = "lhrs-";
constexpr std::uint32_t kTimeoutMost = 600'000, kLeaseMost = 24 * 3'600'000; // ms

pb::HostReport endReport(pid_t pid, const std::string& how)
{
    pb::HostReport report;
    report.mutable_ended()->set_pid(std::uint32_t(pid));
    report.mutable_ended()->set_how(how);
    return report;
}

pb::HostReport pauseReport(pid_t pid, bool isPaused)
{
    pb::HostReport report;
    report.mutable_paused()->set_pid(std::uint32_t(pid));
    report.mutable_paused()->set_is_paused(isPaused);
    return report;
}

} // namespace

HostCommands::HostCommands(int out, std::string programs, HostFolder& folder)
    : m_out(out), m_programs(std::move(programs)), m_folder(folder),
      m_keeper([this](pid_t pid, const std::string& how) { report(endReport(pid, how)); },
          [this](pid_t pid, bool isPaused) { report(pauseReport(pid, isPaused)); })
{
}

HostCommands::~HostCommands()
{
    for (std::jthread& starting : m_starting)
        starting.request_stop();
    m_starting.clear();
    m_keeper.endAll();
}

void HostCommands::greet()
{
    const std::string line = std::string(kHostGreeting) + '\n';
    // If nobody reads, there will be no command either.
    [[maybe_unused]] const auto written = ::write(m_out, line.data(), line.size());
    pb::HostReport hello;
    auto* const told = hello.mutable_hello();
    told->set_protocol(kHostProtocol);
    told->set_version(LHRS_VERSION);
    std::array<char, 256> name {};
    ::gethostname(name.data(), name.size() - 1);
    told->set_name(name.data());
    told->set_folder(m_folder.path());
    told->set_address(hostAddress());
    report(hello);
}

int HostCommands::serve(int in, int signals)
{
    for (;;) {
        std::array<pollfd, 2> items { pollfd { in, POLLIN, 0 }, pollfd { signals, POLLIN, 0 } };
        if (::poll(items.data(), items.size(), -1) < 0)
            continue; // interrupted
        if (items[1].revents != 0)
            return kExitEnd;
        pb::HostCommand command;
        switch (readFrame(in, command)) {
        case FrameRead::Message: onCommand(command); break;
        case FrameRead::End: return kExitEnd;
        case FrameRead::Broken: return kExitBroken;
        }
    }
}

void HostCommands::onCommand(const pb::HostCommand& command)
{
    switch (command.body_case()) {
    case pb::HostCommand::kStart: start(command); return;
    case pb::HostCommand::kSignal: answer(command.id(), signal(command.signal())); return;
    case pb::HostCommand::kFile:
        answer(command.id(), m_folder.write(command.file().name(), command.file().content()));
        return;
    case pb::HostCommand::kEnd:
        for (std::jthread& starting : m_starting)
            starting.request_stop();
        m_starting.clear();
        m_keeper.endAll();
        m_folder.keepLogs(command.end().keeps_logs());
        answer(command.id(), {});
        return;
    case pb::HostCommand::BODY_NOT_SET: break;
    }
    answer(command.id(), Error { "it does not know this command; install the same version on all hosts" });
}

void HostCommands::start(const pb::HostCommand& command)
{
    std::vector<ChildProgram> programs;
    for (const pb::HostProgram& wanted : command.start().programs()) {
        const std::string path = m_programs + '/' + wanted.file();
        const bool isOurs = isFileName(wanted.file()) && wanted.file().starts_with(kProgramPrefix);
        if (!isOurs || !isFileName(wanted.name()) || ::access(path.c_str(), X_OK) != 0) {
            answer(command.id(),
                Error { isOurs ? "there is no program " + path + " on that computer"
                               : '"' + wanted.file() + "\" is not one of the programs of a cluster" });
            return;
        }
        programs.push_back({ wanted.name(), path, { wanted.arguments().begin(), wanted.arguments().end() },
            m_folder.path() + '/' + wanted.name() + ".log" });
    }
    const std::chrono::milliseconds timeout(std::min(command.start().timeout_ms(), kTimeoutMost));
    m_starting.emplace_back(
        [this, timeout, id = command.id(), wanted = std::move(programs)](const std::stop_token& stop) {
            const auto started = m_keeper.start(wanted, timeout, stop);
            if (!started) {
                answer(id, started.error());
                return;
            }
            pb::HostReport told;
            told.set_answers(id);
            told.mutable_started();
            for (const StartedChild& child : *started) {
                auto* const one = told.mutable_started()->add_children();
                one->set_name(child.name);
                one->set_pid(std::uint32_t(child.pid));
                one->mutable_ready()->insert(child.ready.begin(), child.ready.end());
            }
            report(told);
        });
}

Result<void> HostCommands::signal(const pb::HostSignal& signal)
{
    const std::vector<pid_t> pids(signal.pids().begin(), signal.pids().end());
    const std::chrono::milliseconds lease(std::min(signal.lease_ms(), kLeaseMost));
    switch (int(signal.kind())) { // a later version may have others
    case pb::HostSignal::KILL: m_keeper.kill(pids); return {};
    case pb::HostSignal::PAUSE:
        for (const pid_t pid : pids)
            if (!m_keeper.pause(pid, lease))
                return Error { "process " + std::to_string(pid) + " has ended" };
        return {};
    case pb::HostSignal::RESUME:
        for (const pid_t pid : pids)
            if (!m_keeper.resume(pid))
                return Error { "process " + std::to_string(pid) + " is not paused" };
        return {};
    default: return Error { "it does not know this signal; install the same version on all hosts" };
    }
}

void HostCommands::answer(std::uint64_t id, const Result<void>& result)
{
    pb::HostReport told;
    told.set_answers(id);
    if (result)
        told.mutable_done();
    else
        told.set_refused(result.error().text);
    report(told);
}

void HostCommands::report(const pb::HostReport& told)
{
    const std::lock_guard lock(m_writing);
    writeFrame(m_out, told); // if nobody reads any more, serve() ends
}

} // namespace lhrs
