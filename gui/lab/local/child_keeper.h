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

// A program to start: its arguments after the program's own name, and where its standard error goes.
struct ChildProgram {
    std::string name; // in messages, e.g. "data-3"
    std::string path;
    std::vector<std::string> arguments;
    std::string logFile;
};

struct StartedChild {
    std::string name;
    pid_t pid = 0;
    // The line "ready NAME udp=.. tcp=.. control=.. events=.." by its words: "" -> NAME, "udp" -> .., ...
    std::map<std::string, std::string> ready;
};

// Starts programs and ends them, in a thread of its own: the kernel ends a program that asked for it
// (--die-with-parent) when the *thread* that started it ends, so that must be one that lives as long as they do. Only
// processes that this object started, and that it has not yet seen the end of, are ever signalled.
class ChildKeeper {
public:
    // A child ended; called in the keeper's thread.
    using Ended = std::function<void(pid_t, const std::string& how)>;
    // A child was paused, or goes on; called in the thread that asked for it, or in the keeper's when a lease ran out.
    using Paused = std::function<void(pid_t, bool isPaused)>;

    // `courtesy`: added to the nice value of the programs, so that they give way to this one.
    explicit ChildKeeper(Ended ended, Paused paused = [](pid_t, bool) {}, int courtesy = 0);
    ~ChildKeeper(); // ends all
    ChildKeeper(const ChildKeeper&) = delete;
    ChildKeeper& operator=(const ChildKeeper&) = delete;

    // Starts all and waits for each one's `ready` line. If one fails, those of this call are ended again; the error
    // says which program, what it said last and where its log is.
    Result<std::vector<StartedChild>> start(
        std::vector<ChildProgram> programs, std::chrono::milliseconds timeout, const std::stop_token& stop);
    // Whether it is one of these and still runs.
    bool isChild(pid_t pid) const;
    // SIGKILL, as a crash; returns when they are gone. Those that are no child any more are left alone.
    void kill(const std::vector<pid_t>& pids);
    // Stops a child where it stands, until it is resumed or the lease ends: who pauses and is forgotten harms nothing for
    // long. A further pause renews the lease. False: it is no child any more.
    bool pause(pid_t pid, std::chrono::milliseconds lease);
    // False: it is no child any more, or was not paused.
    bool resume(pid_t pid);
    // What is left of a pause; nothing: it does not stand still.
    std::optional<std::chrono::milliseconds> leaseLeft(pid_t pid) const;
    // SIGTERM to all, SIGKILL to those still there after two seconds; returns when none is left.
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
    std::vector<std::shared_ptr<Child>> m_wanted;   // to be started; guarded by m_mutex
    std::vector<std::shared_ptr<Child>> m_children; // started and not yet reaped; guarded by m_mutex
    std::unique_ptr<WakeUp> m_wakeUp;
    const int m_courtesy;
    std::jthread m_thread;
};

} // namespace lhrs::gui
