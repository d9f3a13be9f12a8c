// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/process/event_ring.h"

#include <QByteArray>

#include <cstddef>
#include <vector>

namespace lhrs::gui {

// The most that ShiViz can draw; above it the user must choose an interval.
inline constexpr std::size_t kShivizEvents = 10'000;

// The events as a ShiViz log. The first line is the parsing expression; each event then has two lines: host and
// vector clock, and a sentence. The vector clocks count the exported events only and are derived from cause ids.
QByteArray shivizOf(const std::vector<RunEvent>& events, const ClusterState& state);

} // namespace lhrs::gui
