// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace lhrs {

// A program to start: its arguments without its own name, and the file for its standard error. Both paths are those of
// the computer on which it is to run.
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

// Starts and ends programs on one computer: this one (ChildKeeper) or another one (RemoteKeeper). Process numbers are
// those of that computer. Any thread may call any function.
class Keeper {
public:
    // Called when a child has ended, not in the thread of a caller.
    using Ended = std::function<void(pid_t, const std::string& how)>;
    // Called when a child was paused or resumed: in the calling thread, or in the keeper's when a lease expired.
    using Paused = std::function<void(pid_t, bool isPaused)>;

    Keeper() = default;
    virtual ~Keeper() = default;
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;

    // Starts all programs and waits for the `ready` line of each. If one fails, those started by this call are ended;
    // the error names the program, its last output and its log.
    virtual Result<std::vector<StartedChild>>
    start(std::vector<ChildProgram> programs, std::chrono::milliseconds timeout, const std::stop_token& stop) = 0;
    // Whether the process is one of the children and still runs.
    virtual bool isChild(pid_t pid) const = 0;
    // Sends SIGKILL, like a crash, and returns when the processes are gone. Processes that are no longer children are
    // ignored.
    virtual void kill(const std::vector<pid_t>& pids) = 0;
    // Pauses a child until it is resumed or the lease ends, so that a forgotten pause does no lasting harm. A further
    // pause renews the lease. False: it is no longer a child.
    virtual bool pause(pid_t pid, std::chrono::milliseconds lease) = 0;
    // False: it is no longer a child, or was not paused.
    virtual bool resume(pid_t pid) = 0;
    // The remaining lease of a pause; empty if the child is not paused.
    virtual std::optional<std::chrono::milliseconds> leaseLeft(pid_t pid) const = 0;
    // Sends SIGTERM to all, and SIGKILL to those that still run after 2 s. Returns when none is left.
    virtual void endAll() = 0;
    virtual std::size_t running() const = 0;
};

} // namespace lhrs
