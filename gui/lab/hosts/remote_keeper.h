// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/children/keeper.h"
#include "proto/host.pb.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace lhrs::gui {

struct HostEntry;

// The programs on another computer, through lhrs-host there. They end with this object, and also when the connection
// breaks.
class RemoteKeeper : public Keeper {
public:
    // Starts lhrs-host on the host and waits until it answers. `programs`: as in Launcher; `log`: what the launcher
    // says on its standard error.
    static Result<std::unique_ptr<RemoteKeeper>> connect(const HostEntry& host, const std::string& programs,
        const std::string& log, Ended ended, Paused paused, const std::stop_token& stop);
    ~RemoteKeeper() override;

    const std::string& folder() const { return m_hello.folder(); } // of this run, on that computer
    const std::string& address() const { return m_hello.address(); }
    // Writes a file into that folder, for this user only.
    Result<void> write(const std::string& name, std::string_view content);
    // Ends all programs; their logs then remain there.
    void endKeepingLogs();

    // Paths of ChildProgram are not used but for the file's name: lhrs-host starts what is beside it.
    Result<std::vector<StartedChild>> start(
        std::vector<ChildProgram> programs, std::chrono::milliseconds timeout, const std::stop_token& stop) override;
    bool isChild(pid_t pid) const override;
    void kill(const std::vector<pid_t>& pids) override;
    bool pause(pid_t pid, std::chrono::milliseconds lease) override;
    bool resume(pid_t pid) override;
    std::optional<std::chrono::milliseconds> leaseLeft(pid_t pid) const override;
    void endAll() override { end(false); }
    std::size_t running() const override;

private:
    using Clock = std::chrono::steady_clock;
    struct Child {
        std::optional<Clock::time_point> pausedUntil;
    };
    struct Call {
        bool isAnswered = false;
        pb::HostReport answer;
    };

    RemoteKeeper(std::string name, Ended ended, Paused paused);
    Result<void> launch(std::vector<std::string> line, const std::string& log);
    void read();
    void onReport(const pb::HostReport& report);
    void onLost(const std::string& why);
    Result<pb::HostReport> call(
        pb::HostCommand command, std::chrono::milliseconds timeout, const std::stop_token& stop = {});
    Result<pb::HostReport> signal(
        pb::HostSignal::Kind kind, const std::vector<pid_t>& pids, std::chrono::milliseconds lease = {});
    bool send(const pb::HostCommand& command);
    void end(bool keepsLogs);

    const std::string m_name; // of the host
    const Ended m_ended;
    const Paused m_paused;
    int m_descriptor = -1; // both directions
    pid_t m_launcher = 0;
    std::mutex m_writing; // one command at a time
    std::atomic<bool> m_keepsLogs = false;

    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    // Guarded by m_mutex.
    std::string m_lost; // why the host is not reached any more; empty: it is
    bool m_hasGreeted = false;
    std::map<pid_t, Child> m_children;
    std::set<pid_t> m_endedEarly; // before their start was reported
    std::map<std::uint64_t, Call> m_calls;
    std::uint64_t m_lastCall = 0;

    pb::HostHello m_hello; // does not change once it is there
    std::jthread m_reader;
};

} // namespace lhrs::gui
