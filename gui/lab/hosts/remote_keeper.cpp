// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/hosts/remote_keeper.h"

#include "common/children/host_pipe.h"
#include "common/children/last_line.h"
#include "gui/lab/hosts/host_list.h"
#include "gui/lab/hosts/launcher.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

extern char** environ;

namespace lhrs::gui {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kConnectTimeout(20'000), kAnswerTimeout(10'000), kEndTimeout(5'000), kLauncherGrace(2'000);

} // namespace

RemoteKeeper::RemoteKeeper(std::string name, Ended ended, Paused paused)
    : m_name(std::move(name)), m_ended(std::move(ended)), m_paused(std::move(paused))
{
}

Result<std::unique_ptr<RemoteKeeper>> RemoteKeeper::connect(const HostEntry& host, const std::string& programs,
    const std::string& log, Ended ended, Paused paused, const std::stop_token& stop)
{
    const Launcher* const launcher = findLauncher(host.by);
    if (launcher == nullptr || launcher->line == nullptr)
        return Error { "The host " + host.name + " is not started by " + host.by + '.' };
    std::unique_ptr<RemoteKeeper> keeper(new RemoteKeeper(host.name, std::move(ended), std::move(paused)));
    const std::vector<std::string> line = launcher->line(host, programs);
    if (const auto launched = keeper->launch(line, log); !launched)
        return launched.error();
    std::unique_lock lock(keeper->m_mutex);
    const bool isOver = keeper->m_changed.wait_for(
        lock, stop, kConnectTimeout, [&] { return keeper->m_hasGreeted || !keeper->m_lost.empty(); });
    if (keeper->m_hasGreeted && keeper->m_lost.empty())
        return keeper;
    std::string why = stop.stop_requested() ? "stopped"
        : !isOver ? "no answer within " + std::to_string(kConnectTimeout.count() / 1000) + " s"
                  : keeper->m_lost;
    lock.unlock();
    keeper.reset(); // the launcher has then said everything
    if (const std::string said = lastLine(log); !said.empty())
        why += "; " + line.front() + " says: " + said;
    return Error { "The host " + host.name + " does not start lhrs-host: " + why };
}

RemoteKeeper::~RemoteKeeper()
{
    if (m_descriptor < 0)
        return;
    end(false);
    ::shutdown(m_descriptor, SHUT_WR);
    // The launcher ends when lhrs-host has ended; one that does not is not waited for.
    pollfd ended { int(::syscall(SYS_pidfd_open, m_launcher, 0)), POLLIN, 0 };
    if (ended.fd < 0 || ::poll(&ended, 1, int(kLauncherGrace.count())) <= 0)
        ::kill(m_launcher, SIGKILL); // not reaped yet, so the number is still its own
    if (ended.fd >= 0)
        ::close(ended.fd);
    ::waitpid(m_launcher, nullptr, 0);
    ::shutdown(m_descriptor, SHUT_RDWR);
    if (m_reader.joinable())
        m_reader.join();
    ::close(m_descriptor);
}

Result<void> RemoteKeeper::launch(std::vector<std::string> line, const std::string& log)
{
    std::array<int, 2> pair {};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
        return Error { std::string("No pipe to ") + line.front() + ": " + std::strerror(errno) };
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, pair[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, pair[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0); // Ctrl-C in the terminal is for this program, which then ends it
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    std::vector<char*> arguments;
    for (std::string& argument : line)
        arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    const int error = ::posix_spawnp(&m_launcher, arguments.front(), &files, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    ::close(pair[1]);
    if (error != 0) {
        ::close(pair[0]);
        return Error { "The host " + m_name + " cannot be reached by " + line.front() + ": " + std::strerror(error) };
    }
    m_descriptor = pair[0];
    m_reader = std::jthread([this] { read(); });
    return {};
}

// ---- the reader's thread

void RemoteKeeper::read()
{
    std::string before;
    if (!readGreeting(m_descriptor, before)) {
        onLost(before.empty() ? "it ended" : "it said: " + before.substr(0, before.find('\n')));
        return;
    }
    for (;;) {
        pb::HostReport report;
        switch (readFrame(m_descriptor, report)) {
        case FrameRead::Message: onReport(report); break;
        case FrameRead::End: onLost("the connection has ended"); return;
        case FrameRead::Broken: onLost("what came from it is not a report"); return;
        }
    }
}

void RemoteKeeper::onReport(const pb::HostReport& report)
{
    std::unique_lock lock(m_mutex);
    switch (report.body_case()) {
    case pb::HostReport::kHello:
        m_hello = report.hello();
        if (m_hello.protocol() != kHostProtocol) {
            const std::string there = m_hello.version() + ", protocol " + std::to_string(m_hello.protocol());
            lock.unlock();
            onLost("lhrs-host there is of version " + there + ", this program of " + LHRS_VERSION + ", protocol "
                + std::to_string(kHostProtocol) + "; install the same version");
            return;
        }
        m_hasGreeted = true;
        break;
    case pb::HostReport::kEnded: {
        const auto pid = pid_t(report.ended().pid());
        const bool wasKnown = m_children.erase(pid) != 0;
        if (!wasKnown)
            m_endedEarly.insert(pid);
        m_changed.notify_all();
        lock.unlock();
        if (wasKnown)
            m_ended(pid, report.ended().how());
        return;
    }
    case pb::HostReport::kPaused: {
        const auto pid = pid_t(report.paused().pid());
        if (const auto child = m_children.find(pid); child != m_children.end() && !report.paused().is_paused())
            child->second.pausedUntil.reset();
        m_changed.notify_all();
        lock.unlock();
        m_paused(pid, report.paused().is_paused());
        return;
    }
    case pb::HostReport::kStarted:
        if (!m_calls.contains(report.answers())) { // nobody waits for them any more
            pb::HostCommand command;
            command.mutable_signal()->set_kind(pb::HostSignal::KILL);
            for (const pb::HostChild& child : report.started().children())
                command.mutable_signal()->add_pids(child.pid());
            lock.unlock();
            send(command);
            return;
        }
        for (const pb::HostChild& child : report.started().children())
            if (m_endedEarly.erase(pid_t(child.pid())) == 0)
                m_children[pid_t(child.pid())] = {};
        m_endedEarly.clear();
        break;
    case pb::HostReport::kRefused:
    case pb::HostReport::kDone:
    case pb::HostReport::BODY_NOT_SET: break;
    }
    if (const auto call = m_calls.find(report.answers()); call != m_calls.end()) {
        call->second.answer = report;
        call->second.isAnswered = true;
    }
    m_changed.notify_all();
}

void RemoteKeeper::onLost(const std::string& why)
{
    std::map<pid_t, Child> left;
    {
        const std::lock_guard lock(m_mutex);
        if (m_lost.empty())
            m_lost = why;
        left.swap(m_children);
    }
    m_changed.notify_all();
    for (const auto& [pid, child] : left)
        m_ended(pid, "its host " + m_name + " is not reached any more: " + why);
}

// ---- commands

bool RemoteKeeper::send(const pb::HostCommand& command)
{
    const std::lock_guard lock(m_writing);
    return writeFrame(m_descriptor, command);
}

Result<pb::HostReport> RemoteKeeper::call(pb::HostCommand command, milliseconds timeout, const std::stop_token& stop)
{
    const auto failed = [this](const std::string& why) { return Error { "the host " + m_name + ": " + why }; };
    std::unique_lock lock(m_mutex);
    if (!m_lost.empty())
        return failed(m_lost);
    const std::uint64_t id = ++m_lastCall;
    m_calls[id] = {};
    lock.unlock();
    command.set_id(id);
    const bool isSent = send(command);
    lock.lock();
    if (isSent)
        m_changed.wait_for(lock, stop, timeout, [&] { return m_calls[id].isAnswered || !m_lost.empty(); });
    const Call done = std::move(m_calls[id]);
    m_calls.erase(id);
    if (!done.isAnswered)
        return failed(!m_lost.empty()   ? m_lost
                : stop.stop_requested() ? "stopped"
                                        : "no answer within " + std::to_string(timeout.count() / 1000) + " s");
    if (done.answer.body_case() == pb::HostReport::kRefused)
        return failed(done.answer.refused());
    return done.answer;
}

Result<void> RemoteKeeper::write(const std::string& name, std::string_view content)
{
    pb::HostCommand command;
    command.mutable_file()->set_name(name);
    command.mutable_file()->set_content(content.data(), content.size());
    const auto written = call(std::move(command), kAnswerTimeout);
    return written ? Result<void>() : Result<void>(written.error());
}

Result<std::vector<StartedChild>> RemoteKeeper::start(
    std::vector<ChildProgram> programs, milliseconds timeout, const std::stop_token& stop)
{
    pb::HostCommand command;
    command.mutable_start()->set_timeout_ms(std::uint32_t(timeout.count()));
    for (ChildProgram& program : programs) {
        auto* const one = command.mutable_start()->add_programs();
        one->set_name(program.name);
        one->set_file(program.path.substr(program.path.rfind('/') + 1));
        for (std::string& argument : program.arguments)
            one->add_arguments(std::move(argument));
    }
    const auto answer = call(std::move(command), timeout + kAnswerTimeout, stop);
    if (!answer)
        return answer.error();
    std::vector<StartedChild> started;
    for (const pb::HostChild& child : answer->started().children())
        started.push_back({ child.name(), pid_t(child.pid()), { child.ready().begin(), child.ready().end() } });
    if (started.size() != programs.size())
        return Error { "the host " + m_name + " has not started all programs" };
    return started;
}

bool RemoteKeeper::isChild(pid_t pid) const
{
    const std::lock_guard lock(m_mutex);
    return m_children.contains(pid);
}

Result<pb::HostReport> RemoteKeeper::signal(
    pb::HostSignal::Kind kind, const std::vector<pid_t>& pids, milliseconds lease)
{
    pb::HostCommand command;
    command.mutable_signal()->set_kind(kind);
    command.mutable_signal()->set_lease_ms(std::uint32_t(lease.count()));
    for (const pid_t pid : pids)
        if (isChild(pid))
            command.mutable_signal()->add_pids(std::uint32_t(pid));
    if (command.signal().pids().empty())
        return Error { "the host " + m_name + " has no such process any more" };
    return call(std::move(command), kAnswerTimeout);
}

void RemoteKeeper::kill(const std::vector<pid_t>& pids)
{
    if (!signal(pb::HostSignal::KILL, pids))
        return; // they are gone, or the host is, and then they end with the connection
    std::unique_lock lock(m_mutex);
    m_changed.wait_for(lock, kEndTimeout,
        [&] { return std::none_of(pids.begin(), pids.end(), [&](pid_t pid) { return m_children.contains(pid); }); });
}

bool RemoteKeeper::pause(pid_t pid, milliseconds lease)
{
    if (!signal(pb::HostSignal::PAUSE, { pid }, lease))
        return false;
    const std::lock_guard lock(m_mutex);
    const auto child = m_children.find(pid);
    if (child == m_children.end())
        return false;
    child->second.pausedUntil = Clock::now() + lease;
    return true;
}

bool RemoteKeeper::resume(pid_t pid)
{
    {
        const std::lock_guard lock(m_mutex);
        const auto child = m_children.find(pid);
        if (child == m_children.end() || !child->second.pausedUntil)
            return false;
    }
    return bool(signal(pb::HostSignal::RESUME, { pid }));
}

std::optional<milliseconds> RemoteKeeper::leaseLeft(pid_t pid) const
{
    const std::lock_guard lock(m_mutex);
    const auto child = m_children.find(pid);
    if (child == m_children.end() || !child->second.pausedUntil)
        return std::nullopt;
    return std::max(
        milliseconds(0), std::chrono::duration_cast<milliseconds>(*child->second.pausedUntil - Clock::now()));
}

void RemoteKeeper::end(bool keepsLogs)
{
    pb::HostCommand command;
    m_keepsLogs = m_keepsLogs || keepsLogs;
    command.mutable_end()->set_keeps_logs(m_keepsLogs);
    // If it does not answer, it ends its programs when the connection ends.
    const auto answered = call(std::move(command), kEndTimeout);
    std::unique_lock lock(m_mutex);
    if (answered)
        m_changed.wait_for(lock, kEndTimeout, [&] { return m_children.empty() || !m_lost.empty(); });
}

void RemoteKeeper::endKeepingLogs() { end(true); }

std::size_t RemoteKeeper::running() const
{
    const std::lock_guard lock(m_mutex);
    return m_children.size();
}

} // namespace lhrs::gui
