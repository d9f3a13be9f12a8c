// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

namespace lhrs::gui {

// The steady clock without the time in which this process stood still: stopped by a signal, or with a suspended virtual
// machine. A time-out that passed meanwhile gave nobody time to answer. A machine so busy that no thread runs counts, too.
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

// What such a clock knows. It is told the steady time again and again; beyond `most` after that it stands still.
class AwakeTime {
public:
    AwakeTime(std::chrono::nanoseconds most, std::chrono::nanoseconds steady) : m_most(most), m_told(steady) {}
    void tell(std::chrono::nanoseconds steady);
    std::chrono::nanoseconds at(std::chrono::nanoseconds steady) const;

private:
    std::chrono::nanoseconds m_most, m_told;
    std::chrono::nanoseconds m_lost {}; // stood still in all
};

} // namespace lhrs::gui
