// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/runtime/ack_manager.h"

#include "node/runtime/thread.h"

namespace lhrs {

AckManager::AckManager(const ProtocolClock& clock, Time deadline, std::function<void()> step, ThreadBook* threads)
    : m_clock(clock), m_step(std::move(step)), m_threads(threads), m_until(deadline),
      m_thread(spawn("Ack Manager", [this](std::stop_token stop) { watch(stop); }))
{
}

void AckManager::expectOnly(Time deadline)
{
    const std::lock_guard lock(m_mutex);
    m_until = deadline;
}

void AckManager::expect(Time deadline)
{
    if (deadline >= m_until.load())
        return;
    {
        const std::lock_guard lock(m_mutex);
        if (deadline >= m_until.load())
            return;
        m_until = deadline;
    }
    m_wake.notify_one();
}

void AckManager::lookAgain()
{
    const std::lock_guard lock(m_mutex);
    m_wake.notify_one();
}

void AckManager::watch(std::stop_token stop)
{
    const ThreadMeter meter(m_threads, "Acknowledgement manager");
    const std::stop_callback wakeUp(stop, [this] {
        const std::lock_guard lock(m_mutex);
        m_wake.notify_one();
    });
    std::unique_lock lock(m_mutex);
    while (!stop.stop_requested()) {
        ThreadMeter::become(pb::NodeSample::WAITING);
        const Time until = m_until.load();
        const auto due = until == Time::max() ? std::nullopt : m_clock.when(until);
        if (!due) {
            m_wake.wait(lock);
        } else if (ProtocolClock::Real::now() < *due) {
            m_wake.wait_until(lock, *due);
        } else {
            lock.unlock();
            m_step();
            lock.lock();
        }
    }
}

} // namespace lhrs
