// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/paint/display_list.h"
#include "gui/view/panels/node_facts.h"

namespace lhrs::gui {

// The node inspector as a picture: for each process its facts, the lanes of its threads drawn as samples, its queues as bars with
// bound and high mark, the messages in wait for the acknowledgement, its sequences. Up to four stand side by side, where the width
// suffices, else below each other. What is changed is underlined, and `since` says since when.
struct NodePicture {
    qreal height = 0; // that the list needs at the width asked for
    int columns = 1;
};
inline constexpr std::size_t kNodesShown = 4;
NodePicture drawNodes(const std::vector<NodeFacts>& nodes, const QString& since, const Theme& theme, qreal width, DisplayList& out);

} // namespace lhrs::gui
