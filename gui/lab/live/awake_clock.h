// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

namespace lhrs::gui {

// The steady clock without the time in which this process did not run: it was stopped by a signal, the virtual
// machine was suspended, or the machine was too busy to run any thread. A timeout that expired in such a time gave no
// process the chance to answer.
class AwakeClock {
public:
    using duration = std::chrono::steady_clock::duration;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<AwakeClock>;
    static constexpr bool is_steady = true;

    // Any thread.
    static time_point now();
};

// The state of such a clock. It is given the steady time repeatedly; a gap longer than `most` is not counted.
class AwakeTime {
public:
    AwakeTime(std::chrono::nanoseconds most, std::chrono::nanoseconds steady) : m_most(most), m_told(steady) { }
    void tell(std::chrono::nanoseconds steady);
    std::chrono::nanoseconds at(std::chrono::nanoseconds steady) const;

private:
    std::chrono::nanoseconds m_most, m_told;
    std::chrono::nanoseconds m_lost {}; // total time not counted
};

} // namespace lhrs::gui
