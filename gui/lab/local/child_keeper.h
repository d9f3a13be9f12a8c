// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace lhrs::gui {

class WakeUp;

// A program to start: its arguments without its own name, and the file for its standard error.
struct ChildProgram {
    std::string name; // as messages show it, e.g. "data-3"
    std::string path;
    std::vector<std::string> arguments;
    std::string logFile;
};

struct StartedChild {
    std::string name;
    pid_t pid = 0;
    // The line "ready NAME udp=.. tcp=.. control=.. events=.." by its words: "" -> NAME, "udp" -> .., ...
    std::map<std::string, std::string> ready;
    // Of that line; empty if it has no such word.
    std::string word(const std::string& which) const;
};

// Starts and ends programs, in a thread of its own. With --die-with-parent the kernel ends a program when the
// *thread* that started it ends, so that thread must live as long as the programs. Only processes that this object
// started and has not yet reaped are ever signalled.
class ChildKeeper {
public:
    // Called in the keeper's thread when a child has ended.
    using Ended = std::function<void(pid_t, const std::string& how)>;
    // Called when a child was paused or resumed: in the calling thread, or in the keeper's thread when a lease
    // expired.
    using Paused = std::function<void(pid_t, bool isPaused)>;

    // `courtesy`: added to the nice value of the programs, so that this process has priority.
    explicit ChildKeeper(
        Ended ended, Paused paused = [](pid_t, bool) {}, int courtesy = 0);
    ~ChildKeeper(); // ends all children
    ChildKeeper(const ChildKeeper&) = delete;
    ChildKeeper& operator=(const ChildKeeper&) = delete;

    // Starts all programs and waits for the `ready` line of each. If one fails, those started by this call are ended;
    // the error names the program, its last output and its log.
    Result<std::vector<StartedChild>> start(
        std::vector<ChildProgram> programs, std::chrono::milliseconds timeout, const std::stop_token& stop);
    // Whether the process is one of the children and still runs.
    bool isChild(pid_t pid) const;
    // Sends SIGKILL, like a crash, and returns when the processes are gone. Processes that are no longer children are
    // ignored.
    void kill(const std::vector<pid_t>& pids);
    // Pauses a child until it is resumed or the lease ends, so that a forgotten pause does no lasting harm. A further
    // pause renews the lease. False: it is no longer a child.
    bool pause(pid_t pid, std::chrono::milliseconds lease);
    // False: it is no longer a child, or was not paused.
    bool resume(pid_t pid);
    // The remaining lease of a pause; empty if the child is not paused.
    std::optional<std::chrono::milliseconds> leaseLeft(pid_t pid) const;
    // Sends SIGTERM to all, and SIGKILL to those that still run after 2 s. Returns when none is left.
    void endAll();
    std::size_t running() const;

private:
    struct Child;
    void run(const std::stop_token& stop);
    void spawnWanted();
    void readFrom(Child& child);
    void reap();
    void endLeases();
    int waitMs(bool isBlind) const;
    void end(const std::vector<pid_t>& pids);
    std::shared_ptr<Child> find(pid_t pid) const; // under m_mutex

    const Ended m_ended;
    const Paused m_paused;
    mutable std::mutex m_mutex;
    mutable std::condition_variable_any m_changed;
    std::vector<std::shared_ptr<Child>> m_wanted; // to be started; guarded by m_mutex
    std::vector<std::shared_ptr<Child>> m_children; // started and not yet reaped; guarded by m_mutex
    std::unique_ptr<WakeUp> m_wakeUp;
    const int m_courtesy;
    std::jthread m_thread;
};

} // namespace lhrs::gui
