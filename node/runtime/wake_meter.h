// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>

namespace lhrs {

// Measures how late the computer wakes this process: the difference between the end of each timed wait of one thread
// and the time at which the thread continues. In its first second the thread wakes often, so that a figure exists when
// the cluster has started; later the measurement costs nothing. wait() and onTimeout() are for that thread, worst() is
// for any.
class WakeMeter {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kStart { 1000 }, kPeriod { 5 };

    explicit WakeMeter(Clock::time_point start) : m_startEnds(start + kStart) { }

    // How long to wait now, in ms as for poll(): `wanted` (-1: no limit), or less in the first second.
    int wait(int wanted, Clock::time_point now)
    {
        const int most = int(kPeriod.count());
        const int chosen = now >= m_startEnds ? wanted : wanted < 0 ? most : std::min(wanted, most);
        m_due = now + std::chrono::milliseconds(chosen);
        return chosen;
    }
    // The wait timed out; nothing else ended it.
    void onTimeout(Clock::time_point now)
    {
        m_worstNs = std::max(m_worstNs.load(), std::int64_t(std::chrono::nanoseconds(now - m_due).count()));
    }
    std::chrono::nanoseconds worst() const { return std::chrono::nanoseconds(m_worstNs.load()); }

private:
    const Clock::time_point m_startEnds;
    Clock::time_point m_due;
    std::atomic<std::int64_t> m_worstNs = 0;
};

} // namespace lhrs
