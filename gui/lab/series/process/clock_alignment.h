// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/series/process/space_time.h"

#include <map>
#include <optional>

namespace lhrs::gui {

// What messages reveal about process clocks: no message arrives before it was sent.
struct ProcessClock {
    // To be added, so that no effect precedes its cause; 0 if no order is violated.
    std::int64_t correctionNs = 0;
    std::optional<std::int64_t> errorNs; // accuracy of the clock, plus or minus: half of the shortest round trip
};

// Clock offsets are assumed to be constant. A process without messages in both directions has no error value, because
// nothing is known.
std::map<ProcessId, ProcessClock> alignClocks(const SpaceTime& model);

} // namespace lhrs::gui
