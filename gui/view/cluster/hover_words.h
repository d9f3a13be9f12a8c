// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/show/object_ref.h"
#include "gui/view/paint/theme.h"

#include <QSizeF>
#include <QString>

#include <string_view>
#include <vector>

namespace lhrs::gui {

// What the hover card says, and how large it is without its margins.
struct HoverCard {
    std::vector<QString> lines; // the first one has its own style
    TextStyle first { TextSize::Strong, true };
    QSizeF size;
};
// The term of the part that is pointed at, or of the object where there is none, in a few words, and then the object's details.
// It covers no more than the details alone would: two lines that say little are one, and a wording that is too long gives way.
HoverCard hoverCard(const ClusterState& state, const Theme& theme, ObjectRef object, std::string_view term);
// The details alone.
HoverCard detailsCard(const ClusterState& state, const Theme& theme, ObjectRef object);

} // namespace lhrs::gui
