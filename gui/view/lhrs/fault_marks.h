// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/lhrs/cluster_picture.h"
#include "gui/view/system/faults_shown.h"

// Faults on purpose, as the picture shows them. A partition is hatched ground between its sides. A fault of the network
// is drawn on the links that it concerns, or as a badge where it concerns all of them.
namespace lhrs::gui {

// Draws hatched ground and marked links: above the cards, below what moves.
void drawFaultMarks(const PictureInput& input, DisplayList& out);
// Where the fault is drawn; null: nowhere.
QRectF faultRect(const ClusterState& state, const ClusterLayout& layout, std::uint64_t number);

} // namespace lhrs::gui
