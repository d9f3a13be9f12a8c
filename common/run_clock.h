// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace lhrs {

// One clock for all processes of a run. It starts at the time of day when the run began and then follows the computer's
// steady clock, so setting the wall clock (summer time, NTP) moves no event. While the computer is suspended it stands
// still, like leases and timeouts. The program that starts the processes of a run passes its clock on to them.
class RunClock {
public:
    // Name of the environment variable that carries the run's clock to a process.
    static constexpr const char* kVariable = "LHRS_RUN_CLOCK";

    // The clock described by `told`, a word(); if it is null or invalid, the clock of a run that begins now. Both times
    // are in ns: since 1970, and on the steady clock.
    RunClock(const char* told, std::int64_t wallNs, std::int64_t steadyNs);
    // This process's clock.
    static const RunClock& own();

    // ns since 1970 at a time on the steady clock.
    std::int64_t at(std::int64_t steadyNs) const { return m_zeroNs + steadyNs; }
    std::int64_t now() const;
    // The word that passes this clock on to another process.
    std::string word() const { return std::to_string(m_zeroNs); }

private:
    std::int64_t m_zeroNs = 0; // ns since 1970 when the steady clock was at zero
};

} // namespace lhrs
