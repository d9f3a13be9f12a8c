// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/series/space_time.h"

#include <map>
#include <optional>

namespace lhrs::gui {

// What messages tell of the clocks of their processes: no message arrives before it was sent.
struct ProcessClock {
    std::int64_t correctionNs = 0;             // to be added, so that no effect stands before its cause; 0 where nothing is wrong
    std::optional<std::int64_t> errorNs;       // the clock is known to so much, before and after: half of the quickest way there and back
};

// Clocks may be off, but by the same amount all the time. A process that was not spoken with in both directions has no error:
// nothing is known.
std::map<ProcessId, ProcessClock> alignClocks(const SpaceTime& model);

} // namespace lhrs::gui
