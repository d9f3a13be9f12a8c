// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/series/process/space_time.h"
#include "gui/lab/state/cluster_state.h"

#include <QString>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

namespace lhrs::gui {

// The clock of another computer: by so much it is ahead of this one's, plus or minus the error.
struct HostClock {
    std::int64_t offsetNs = 0;
    std::int64_t errorNs = 0;
    std::int64_t appliedNs = 0; // by so much its events were moved
    std::int64_t doubtNs() const { return errorNs + std::abs(offsetNs - appliedNs); } // of when they happened
    bool isSurelyOff() const { return (offsetNs < 0 ? -offsetNs : offsetNs) > errorNs; }
};

// The last reading of its clock; nothing if none was read, as for this computer.
std::optional<HostClock> hostClock(const ClusterState& state, const std::string& host);

// "clock + 1.2 ms ± 0.1 ms", or "clock right to ± 0.1 ms".
QString clockWords(const HostClock& clock);

// The events of other computers that may have come before or after this one: they are within what is in doubt of both
// clocks, and no chain of messages tells which came first.
struct UnknownOrder {
    std::size_t events = 0;
    std::int64_t errorNs = 0; // of both clocks together, the largest
};
UnknownOrder unknownOrder(const ClusterState& state, const SpaceTime& model, std::size_t event);

} // namespace lhrs::gui
