// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/event_ring.h"

#include <QByteArray>

#include <cstddef>
#include <vector>

namespace lhrs::gui {

inline constexpr std::size_t kShivizEvents = 10'000; // that ShiViz draws; above it an interval has to be chosen

// The events as a log of ShiViz: in the first line the expression that reads it, then two lines an event: host and vector
// clock, and what happened in words. The clocks count the events that are in the log, and know of causes only.
QByteArray shivizOf(const std::vector<RunEvent>& events, const ClusterState& state);

} // namespace lhrs::gui
