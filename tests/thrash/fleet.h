// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/children/child_keeper.h"
#include "gui/lab/control/control_client.h"
#include "gui/lab/local/session.h"

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lhrs::thrash {

using Clock = std::chrono::steady_clock;

enum class Kind { Coordinator, DataNode, ParityNode, Client };

// A process that this program started.
struct Process {
    std::string name;
    Kind kind = Kind::DataNode;
    pid_t pid = 0;
    std::uint64_t startTime = 0; // in the kernel's unit; a reused process number has a later start time
    pb::ProcessInfo info;
    bool isPaused = false;
    bool mayEnd = false; // it was killed, or told to end itself
    bool hasEnded = false;
    Clock::time_point calmFrom {}; // until then it counts as hurt: recently paused, cut off, slow

    bool isNode() const { return kind == Kind::DataNode || kind == Kind::ParityNode; }
};

// Field 22 of /proc/PID/stat; 0: no such process.
std::uint64_t startTimeOf(pid_t pid);

// Parameters of the coordinator and of the cluster.
struct Shape {
    std::uint32_t m = 4;
    std::uint32_t k = 2;
    std::uint32_t bucketsMax = 4;
    std::uint32_t dataNodes = 5;
    std::uint32_t parityNodes = 3;
    std::uint32_t clients = 3;
    double timeScale = 3;
    std::string timers; // other timeouts of the protocol, in protobuf text format
};

// The processes of one cluster, and the only place that signals them: by process number and start time, never by name.
class Fleet {
public:
    Fleet(std::string programs, std::string logs);
    ~Fleet();

    Result<void> start(const Shape& shape);
    Result<Process*> add(Kind kind);

    std::vector<std::unique_ptr<Process>>& all() { return m_processes; }
    // Only if it has not ended; nullptr: there is no such process.
    Process* find(std::uint64_t node);
    Process* coordinator();
    std::vector<Process*> living(Kind kind);

    void kill(Process& process);
    Clock::time_point coordinatorGone() const { return m_coordinatorGone; }
    void pause(Process& process);
    void resume(Process& process);
    // From now on its end is expected.
    static void letEnd(Process& process) { process.mayEnd = true; }

    // Collects ended processes, and returns those that should not have ended.
    std::vector<std::string> reap();
    // New log lines of level error.
    std::vector<std::string> errorsInLogs();
    gui::ControlClient& control() { return m_session.control(); }
    // The newest part of their events.
    gui::Ingest& ingest() { return m_session.ingest(); }

private:
    Result<Process*> launch(
        Kind kind, const std::string& name, const std::string& program, std::vector<std::string> arguments);
    Result<Process*> startCoordinator();
    void signal(Process& process, int number);

    const std::string m_programs;
    const std::string m_logs;
    Shape m_shape;
    gui::Session m_session;
    std::mutex m_mutex; // guards m_ended
    std::map<pid_t, std::string> m_ended;
    ChildKeeper m_keeper;
    std::vector<std::unique_ptr<Process>> m_processes;
    std::map<std::string, std::streamoff> m_readTo; // position in each log
    std::string m_coordinatorAddress;
    Clock::time_point m_coordinatorGone {};
    Clock::time_point m_coordinatorPaused {}; // paused until then
    std::uint32_t m_started = 0;
};

} // namespace lhrs::thrash
