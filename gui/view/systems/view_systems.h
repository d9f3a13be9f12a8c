// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/system/system_view.h"
#include "gui/view/system/system_words.h"

#include <QImage>

#include <memory>
#include <string>
#include <vector>

namespace lhrs::gui {

// A view and the system that it draws, by the name that its processes give themselves; empty: LH*RS.
struct ViewOfSystem {
    std::string system;
    std::unique_ptr<SystemView> view;
    // Draws a small picture for a card, `size` in pixels at 100 %; null: that of the view is good enough.
    QImage (*card)(const ClusterState& state, Theme::Kind kind, QSize size, qreal scale) = nullptr;
};

// A new system adds its lines in view_systems.cpp.

// The views of all systems, for one canvas.
std::vector<ViewOfSystem> systemViews();
// What is said of the things of this cluster.
const SystemWords& wordsOf(const ClusterState& state);
// The marks of the events of all systems.
std::optional<SystemWords::EventMark> markOfSystems(const pb::Event& event);
std::vector<int> kindsMarkedBySystems();

} // namespace lhrs::gui
