// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/paint/display_list.h"
#include "gui/view/panels/node_facts.h"

namespace lhrs::gui {

// The node inspector as a picture. For each process it shows the facts, the lanes of its threads drawn as samples, and
// its queues as bars with bound and high-water mark. It also shows the messages that wait for an acknowledgement, and
// the sequences. Up to four processes stand side by side where the width suffices, else below each other. Changes are
// underlined, and `since` says since when.
struct NodePicture {
    qreal height = 0; // the height that the list needs at the given width
    int columns = 1;
};
inline constexpr std::size_t kNodesShown = 4;
NodePicture drawNodes(
    const std::vector<NodeFacts>& nodes, const QString& since, const Theme& theme, qreal width, DisplayList& out);

} // namespace lhrs::gui
