// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/live/awake_clock.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace lhrs::gui {

namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTellEvery(100), kBeyondTold(500);

nanoseconds steadyNow() { return steady_clock::now().time_since_epoch(); }

// Updates the clock while the process runs.
class Teller {
public:
    Teller() : m_time(kBeyondTold, steadyNow()), m_thread([this](const std::stop_token& stop) { run(stop); }) { }

    nanoseconds now() const
    {
        const std::lock_guard lock(m_mutex);
        return m_time.at(steadyNow());
    }

private:
    void run(const std::stop_token& stop)
    {
        std::unique_lock lock(m_mutex);
        while (!stop.stop_requested()) {
            m_time.tell(steadyNow());
            m_ended.wait_for(lock, stop, kTellEvery, [] { return false; });
        }
    }

    mutable std::mutex m_mutex;
    std::condition_variable_any m_ended;
    AwakeTime m_time;
    std::jthread m_thread;
};

} // namespace

void AwakeTime::tell(nanoseconds steady)
{
    m_lost += std::max(nanoseconds(0), steady - m_told - m_most);
    m_told = steady;
}

nanoseconds AwakeTime::at(nanoseconds steady) const { return std::min(steady, m_told + m_most) - m_lost; }

AwakeClock::time_point AwakeClock::now()
{
    static const Teller teller;
    return time_point(std::chrono::duration_cast<duration>(teller.now()));
}

} // namespace lhrs::gui
