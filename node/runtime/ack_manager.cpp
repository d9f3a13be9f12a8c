// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/runtime/ack_manager.h"

#include "node/runtime/thread.h"

namespace lhrs {

AckManager::AckManager(std::chrono::steady_clock::time_point start, Time deadline, std::function<void()> step, ThreadBook* threads)
    : m_start(start)
    , m_step(std::move(step))
    , m_threads(threads)
    , m_until(deadline)
    , m_thread(spawn("Ack Manager", [this](std::stop_token stop) { watch(stop); }))
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
        if (until == Time::max()) {
            m_wake.wait(lock);
        } else if (std::chrono::steady_clock::now() < m_start + until) {
            m_wake.wait_until(lock, m_start + until);
        } else {
            lock.unlock();
            m_step();
            lock.lock();
        }
    }
}

} // namespace lhrs
