// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/system/system_view.h"
#include "gui/view/system/system_words.h"

#include <QImage>

#include <memory>
#include <optional>
#include <vector>

namespace lhrs::gui {

// A new system adds its line in view_systems.cpp. A system that is not known is shown as the first one, whose
// processes name none.

using SystemViews = std::vector<std::unique_ptr<SystemView>>;
// The views of all systems, for one canvas.
SystemViews systemViews();
// The one among them that shows this cluster.
SystemView& viewFor(const ClusterState& state, const SystemViews& views);
// Draws a small picture for a card, `size` in pixels at 100 %.
using SystemCard = QImage (*)(const ClusterState& state, Theme::Kind kind, QSize size, qreal scale);
// Null: that of the view is good enough.
SystemCard cardFor(const ClusterState& state);
// What is said of the things of this cluster.
const SystemWords& wordsOf(const ClusterState& state);
// The marks of the events of all systems.
std::optional<SystemWords::EventMark> markOfSystems(const pb::Event& event);
std::vector<int> kindsMarkedBySystems();

} // namespace lhrs::gui
