// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/system/system_view.h"
#include "gui/view/walk/ring_layout.h"

#include <map>

namespace lhrs::gui {

// So many keys are drawn as dots; of more, bars show how many lie where.
inline constexpr std::size_t kRingDots = 2'000;

// The ring without what moves: the circle, what each node answers for, keys, nodes, those outside, clients, master.
void drawRing(const SystemView::Sight& sight, const RingLayout& layout, DisplayList& out);
// The colour of what each node answers for. Two neighbours never have the same one, and a join or leave changes few.
std::map<std::uint64_t, QColor> ownerColours(const ClusterState& state);

} // namespace lhrs::gui
