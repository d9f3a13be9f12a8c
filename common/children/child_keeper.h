// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/children/keeper.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace lhrs {

class WakeUp;

// Starts and ends programs, in a thread of its own. With --die-with-parent the kernel ends a program when the
// *thread* that started it ends, so that thread must live as long as the programs. Only processes that this object
// started and has not yet reaped are ever signalled.
class ChildKeeper : public Keeper {
public:
    // `courtesy`: added to the nice value of the programs, so that this process has priority.
    explicit ChildKeeper(
        Ended ended, Paused paused = [](pid_t, bool) {}, int courtesy = 0);
    ~ChildKeeper() override; // ends all children

    Result<std::vector<StartedChild>> start(
        std::vector<ChildProgram> programs, std::chrono::milliseconds timeout, const std::stop_token& stop) override;
    bool isChild(pid_t pid) const override;
    void kill(const std::vector<pid_t>& pids) override;
    bool pause(pid_t pid, std::chrono::milliseconds lease) override;
    bool resume(pid_t pid) override;
    std::optional<std::chrono::milliseconds> leaseLeft(pid_t pid) const override;
    void endAll() override;
    std::size_t running() const override;

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

} // namespace lhrs
