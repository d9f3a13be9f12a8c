// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace lhrs {

// One clock for all that belongs to a run. It shows the time of day as it was when the run began, and from then on goes as the
// machine's steady clock does: a wall clock that is set (summer time, NTP) moves no event, and while the machine is suspended
// it stands, like leases and time-outs. The program that starts the processes of a run tells them its clock.
class RunClock {
public:
    // Name of the environment variable that tells a process its run's clock.
    static constexpr const char* kVariable = "LHRS_RUN_CLOCK";

    // As `told` says (a word()); null or no such word: of a run that begins now. Both times are ns, of 1970 and of the steady clock.
    RunClock(const char* told, std::int64_t wallNs, std::int64_t steadyNs);
    // Of this process.
    static const RunClock& own();

    // ns since 1970 at a time of the steady clock.
    std::int64_t at(std::int64_t steadyNs) const { return m_zeroNs + steadyNs; }
    std::int64_t now() const;
    // What tells another process of it.
    std::string word() const { return std::to_string(m_zeroNs); }

private:
    std::int64_t m_zeroNs = 0; // at zero of the steady clock
};

} // namespace lhrs
