// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/system/system_view.h"
#include "gui/view/walk/ring_layout.h"

#include <map>

namespace lhrs::gui {

// Up to this many keys are drawn as dots; for more keys, bars show how many lie where.
inline constexpr std::size_t kRingDots = 2'000;

// The ring without what moves: the circle, the range of each node, keys, nodes, nodes outside, clients, master.
void drawRing(const SystemView::Sight& sight, const RingLayout& layout, DisplayList& out);
// The colour of each node's range. Two neighbours never have the same colour, and a join or leave changes few of them.
std::map<std::uint64_t, QColor> ownerColours(const ClusterState& state);

} // namespace lhrs::gui
