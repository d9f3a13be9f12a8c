// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/machine.h"
#include "node/process/thread_meter.h"
#include "node/runtime/protocol_clock.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace lhrs {

// The Acknowledgement Manager of the demo paper's figure 2: sleeps until the core's deadline and then steps the core
// with the time. The core keeps the list of messages that await acknowledgement and decides when to resend.
class AckManager {
public:
    // `step` is called in the manager's thread when the deadline has passed; it ends with expectOnly() or expect().
    // Deadlines are on `clock`, which must outlive the manager; while the clock stands still, nothing is due.
    AckManager(const ProtocolClock& clock, Time deadline, std::function<void()> step, ThreadBook* threads);

    // Replaces the core's deadline. Call it while holding the core, from the manager's own step.
    void expectOnly(Time deadline);
    // Ends the thread. Its step may use this object until then, so the object must remain accessible.
    void stop() { m_thread = std::jthread(); }
    // The core has this deadline: wakes the manager if it would wake too late. May be called from any thread.
    void expect(Time deadline);
    // The clock is running again. May be called from any thread.
    void lookAgain();

private:
    void watch(std::stop_token stop);

    const ProtocolClock& m_clock;
    const std::function<void()> m_step;
    ThreadBook* const m_threads;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::atomic<Time> m_until; // written under m_mutex
    std::jthread m_thread;
};

} // namespace lhrs
