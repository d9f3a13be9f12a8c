// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/children/child_keeper.h"

#include "common/run_clock.h"
#include "common/end_reasons.h"
#include "common/children/last_line.h"
#include "common/children/wake_up.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <sstream>

extern char** environ;

namespace lhrs {

namespace {

constexpr std::chrono::milliseconds kGrace(2000); // between SIGTERM and SIGKILL
constexpr int kTickMs = 100; // needed only if the kernel has no pidfd
constexpr std::size_t kLineMax = 4096;

std::string howItEnded(int status)
{
    if (WIFEXITED(status))
        return "it ended with exit code " + std::to_string(WEXITSTATUS(status));
    if (WIFSIGNALED(status)) {
        const char* name = ::sigdescr_np(WTERMSIG(status)); // a recording has the same text in every language
        return "it was ended by signal " + (name != nullptr ? std::string(name) : std::to_string(WTERMSIG(status)));
    }
    return "it ended";
}

} // namespace

struct ChildKeeper::Child {
    ChildProgram program;
    StartedChild started;
    int output = -1; // its standard output
    int pidfd = -1;
    std::string text; // its standard output up to the ready line
    bool isReady = false;
    bool hasEnded = false;
    bool isBeingEnded = false; // by this object
    bool isBeingKilled = false;
    std::optional<std::chrono::steady_clock::time_point> pausedUntil;
    std::string failure;

    ~Child()
    {
        for (const int descriptor : { output, pidfd })
            if (descriptor >= 0)
                ::close(descriptor);
    }

    // Starts the program with the signals, limits and process group of a fresh process. Ctrl-C in the terminal must
    // reach only this program, and its memory limit must not apply to the child.
    void spawn()
    {
        std::array<int, 2> pipe {};
        if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
            failure = std::string("no pipe for its output: ") + std::strerror(errno);
            hasEnded = true;
            return;
        }
        posix_spawn_file_actions_t files;
        posix_spawn_file_actions_init(&files);
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&files, pipe[1], STDOUT_FILENO);
        posix_spawn_file_actions_addopen(
            &files, STDERR_FILENO, program.logFile.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        posix_spawnattr_t attributes;
        posix_spawnattr_init(&attributes);
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
        std::vector<char*> arguments { program.path.data() };
        for (std::string& argument : program.arguments)
            arguments.push_back(argument.data());
        arguments.push_back(nullptr);
        std::string clock = std::string(RunClock::kVariable) + '=' + RunClock::own().word();
        std::vector<char*> environment { clock.data() }; // of duplicate names the first counts
        for (char** variable = environ; *variable; ++variable)
            environment.push_back(*variable);
        environment.push_back(nullptr);
        const int error = ::posix_spawn(
            &started.pid, program.path.c_str(), &files, &attributes, arguments.data(), environment.data());
        posix_spawn_file_actions_destroy(&files);
        posix_spawnattr_destroy(&attributes);
        ::close(pipe[1]);
        output = pipe[0];
        started.name = program.name;
        if (error != 0) {
            started.pid = 0;
            hasEnded = true;
            failure = program.path + " cannot be started: " + std::strerror(error);
            return;
        }
        rlimit limit {};
        if (::prlimit(started.pid, RLIMIT_AS, nullptr, &limit) == 0 && limit.rlim_cur != limit.rlim_max) {
            limit.rlim_cur = limit.rlim_max;
            ::prlimit(started.pid, RLIMIT_AS, &limit, nullptr);
        }
        pidfd = int(::syscall(SYS_pidfd_open, started.pid, 0)); // the C library declares pidfd_open without C linkage
    }

    // Looks for the ready line in the program's output so far.
    void readReadyLine()
    {
        std::size_t end = 0;
        while (!isReady && (end = text.find('\n')) != std::string::npos) {
            std::istringstream line(text.substr(0, end));
            text.erase(0, end + 1);
            std::string word;
            line >> word;
            if (word != "ready")
                continue;
            line >> started.ready[""];
            while (line >> word)
                if (const auto sign = word.find('='); sign != std::string::npos)
                    started.ready[word.substr(0, sign)] = word.substr(sign + 1);
            isReady = true;
        }
    }
};

std::string StartedChild::word(const std::string& which) const
{
    const auto at = ready.find(which);
    return at == ready.end() ? std::string() : at->second;
}

ChildKeeper::ChildKeeper(Ended ended, Paused paused, int courtesy)
    : m_ended(std::move(ended)), m_paused(std::move(paused)), m_wakeUp(std::make_unique<WakeUp>()),
      m_courtesy(courtesy), m_thread([this](const std::stop_token& stop) { run(stop); })
{
}

ChildKeeper::~ChildKeeper()
{
    endAll();
    m_thread.request_stop();
    m_wakeUp->call();
    if (m_thread.joinable())
        m_thread.join();
}

Result<std::vector<StartedChild>> ChildKeeper::start(
    std::vector<ChildProgram> programs, std::chrono::milliseconds timeout, const std::stop_token& stop)
{
    std::vector<std::shared_ptr<Child>> mine;
    for (ChildProgram& program : programs) {
        mine.push_back(std::make_shared<Child>());
        mine.back()->program = std::move(program);
    }
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    std::unique_lock lock(m_mutex);
    m_wanted.insert(m_wanted.end(), mine.begin(), mine.end());
    m_wakeUp->call();
    m_changed.wait_until(lock, stop, deadline, [&] {
        return std::any_of(mine.begin(), mine.end(), [](const auto& child) { return child->hasEnded; })
            || std::all_of(mine.begin(), mine.end(), [](const auto& child) { return child->isReady; });
    });
    std::vector<StartedChild> started;
    std::string failure;
    for (const auto& child : mine) {
        if (child->isReady && !child->hasEnded) {
            started.push_back(child->started);
            continue;
        }
        if (!failure.empty() && !child->hasEnded)
            continue; // the first program that ended tells more than those that were not ready yet
        const std::string last = lastLine(child->program.logFile);
        failure = child->program.name + " did not start: "
            + (child->hasEnded              ? child->failure
                    : stop.stop_requested() ? std::string("stopped")
                                            : "no ready line within " + std::to_string(timeout.count() / 1000) + " s")
            + (last.empty() ? "" : "; it says: " + last) + " (log: " + child->program.logFile + ")";
        if (child->hasEnded)
            break;
    }
    if (failure.empty())
        return started;
    std::erase_if(
        m_wanted, [&](const auto& child) { return std::find(mine.begin(), mine.end(), child) != mine.end(); });
    std::vector<pid_t> pids;
    for (const auto& child : mine)
        if (child->started.pid != 0 && !child->hasEnded)
            pids.push_back(child->started.pid);
    lock.unlock();
    end(pids);
    return Error { failure };
}

void ChildKeeper::end(const std::vector<pid_t>& pids)
{
    std::unique_lock lock(m_mutex);
    const auto signalAll = [&](int signal) {
        for (const auto& child : m_children) {
            if (std::find(pids.begin(), pids.end(), child->started.pid) == pids.end())
                continue;
            child->isBeingEnded = true;
            ::kill(child->started.pid, signal); // not reaped yet, so the pid is still its own
            ::kill(child->started.pid, SIGCONT); // a paused process would not receive the other signal
        }
    };
    const auto areGone = [&] {
        return std::none_of(m_children.begin(), m_children.end(),
            [&](const auto& child) { return std::find(pids.begin(), pids.end(), child->started.pid) != pids.end(); });
    };
    signalAll(SIGTERM);
    if (m_changed.wait_for(lock, kGrace, areGone))
        return;
    signalAll(SIGKILL);
    m_changed.wait(lock, areGone);
}

std::shared_ptr<ChildKeeper::Child> ChildKeeper::find(pid_t pid) const
{
    const auto at = std::find_if(m_children.begin(), m_children.end(),
        [pid](const auto& child) { return child->started.pid == pid && pid != 0; });
    return at == m_children.end() ? nullptr : *at;
}

bool ChildKeeper::isChild(pid_t pid) const
{
    const std::lock_guard lock(m_mutex);
    return find(pid) != nullptr;
}

void ChildKeeper::kill(const std::vector<pid_t>& pids)
{
    std::unique_lock lock(m_mutex);
    for (const pid_t pid : pids)
        if (const auto child = find(pid)) {
            child->isBeingKilled = true;
            ::kill(pid, SIGKILL); // not reaped yet, so the pid is still its own
        }
    m_changed.wait(
        lock, [&] { return std::none_of(pids.begin(), pids.end(), [&](pid_t pid) { return find(pid) != nullptr; }); });
}

bool ChildKeeper::pause(pid_t pid, std::chrono::milliseconds lease)
{
    {
        const std::lock_guard lock(m_mutex);
        const auto child = find(pid);
        if (!child)
            return false;
        child->pausedUntil = std::chrono::steady_clock::now() + lease;
        ::kill(pid, SIGSTOP);
    }
    m_paused(pid, true);
    m_wakeUp->call(); // the keeper's thread now watches the lease
    return true;
}

bool ChildKeeper::resume(pid_t pid)
{
    {
        const std::lock_guard lock(m_mutex);
        const auto child = find(pid);
        if (!child || !child->pausedUntil)
            return false;
        child->pausedUntil.reset();
        ::kill(pid, SIGCONT);
    }
    m_paused(pid, false);
    return true;
}

std::optional<std::chrono::milliseconds> ChildKeeper::leaseLeft(pid_t pid) const
{
    const std::lock_guard lock(m_mutex);
    const auto child = find(pid);
    if (!child || !child->pausedUntil)
        return std::nullopt;
    return std::max(std::chrono::milliseconds(0),
        std::chrono::duration_cast<std::chrono::milliseconds>(*child->pausedUntil - std::chrono::steady_clock::now()));
}

void ChildKeeper::endAll()
{
    std::vector<pid_t> pids;
    {
        const std::lock_guard lock(m_mutex);
        for (const auto& child : m_children)
            pids.push_back(child->started.pid);
    }
    end(pids);
}

std::size_t ChildKeeper::running() const
{
    const std::lock_guard lock(m_mutex);
    return m_children.size();
}

// ---- the keeper's thread

void ChildKeeper::run(const std::stop_token& stop)
{
    // For this thread only; started programs inherit it.
    if (m_courtesy != 0)
        ::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + m_courtesy);
    while (!stop.stop_requested()) {
        spawnWanted();
        std::vector<pollfd> items { { m_wakeUp->descriptor(), POLLIN, 0 } };
        bool isBlind = false; // the end of some child is not reported by a descriptor
        std::vector<std::shared_ptr<Child>> children;
        {
            const std::lock_guard lock(m_mutex);
            children = m_children;
        }
        for (const auto& child : children) {
            items.push_back({ child->output, POLLIN, 0 });
            items.push_back({ child->pidfd, POLLIN, 0 });
            isBlind = isBlind || child->pidfd < 0;
        }
        if (::poll(items.data(), items.size(), waitMs(isBlind)) < 0)
            continue; // interrupted
        if (items[0].revents != 0)
            m_wakeUp->clear();
        for (std::size_t i = 0; i < children.size(); ++i)
            if (items[1 + 2 * i].revents != 0)
                readFrom(*children[i]);
        reap();
        endLeases();
    }
}

// Time until the next action that no descriptor reports, in ms; -1: none.
int ChildKeeper::waitMs(bool isBlind) const
{
    int wait = isBlind ? kTickMs : -1;
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(m_mutex);
    for (const auto& child : m_children)
        if (child->pausedUntil) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(*child->pausedUntil - now).count();
            wait = wait < 0 ? int(std::clamp<std::int64_t>(left, 0, 60'000))
                            : int(std::clamp<std::int64_t>(left, 0, wait));
        }
    return wait;
}

void ChildKeeper::endLeases()
{
    std::vector<pid_t> due;
    {
        const std::lock_guard lock(m_mutex);
        const auto now = std::chrono::steady_clock::now();
        for (const auto& child : m_children)
            if (child->pausedUntil && *child->pausedUntil <= now)
                due.push_back(child->started.pid);
    }
    for (const pid_t pid : due)
        resume(pid);
}

void ChildKeeper::spawnWanted()
{
    std::vector<std::shared_ptr<Child>> wanted;
    {
        const std::lock_guard lock(m_mutex);
        wanted.swap(m_wanted);
    }
    for (const auto& child : wanted) {
        child->spawn();
        const std::lock_guard lock(m_mutex);
        if (child->started.pid != 0)
            m_children.push_back(child);
    }
    if (!wanted.empty())
        m_changed.notify_all();
}

void ChildKeeper::readFrom(Child& child)
{
    std::array<char, 4096> buffer {};
    const ssize_t count = ::read(child.output, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR)
        return;
    const std::lock_guard lock(m_mutex);
    if (count <= 0) {
        ::close(child.output);
        child.output = -1;
        return;
    }
    if (!child.isReady) {
        child.text.append(buffer.data(), std::size_t(count));
        child.readReadyLine();
        if (child.text.size() > kLineMax)
            child.text.clear();
    }
    m_changed.notify_all();
}

void ChildKeeper::reap()
{
    std::vector<std::pair<pid_t, std::string>> ended;
    {
        const std::lock_guard lock(m_mutex);
        std::erase_if(m_children, [&](const auto& child) {
            int status = 0;
            if (::waitpid(child->started.pid, &status, WNOHANG) != child->started.pid)
                return false;
            child->hasEnded = true;
            child->failure = howItEnded(status);
            ended.emplace_back(child->started.pid,
                child->isBeingKilled      ? kKilledOnRequest
                    : child->isBeingEnded ? "it was ended"
                                          : child->failure);
            return true;
        });
    }
    if (ended.empty())
        return;
    m_changed.notify_all();
    for (const auto& [pid, how] : ended)
        m_ended(pid, how);
}

} // namespace lhrs
