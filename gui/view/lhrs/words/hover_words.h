// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/show/words/object_ref.h"
#include "gui/view/system/system_view.h"

#include <QString>

#include <string_view>
#include <vector>

namespace lhrs::gui {

// Explains the term of the part under the mouse in a few words, or of the object where the part has none; then the
// object's details. The card covers no more than the details alone would: two short lines are joined, and a long
// wording is shortened.
HoverCard hoverCard(const ClusterState& state, const Theme& theme, ObjectRef object, std::string_view term);
// Only the details.
HoverCard detailsCard(const ClusterState& state, const Theme& theme, ObjectRef object);

} // namespace lhrs::gui
