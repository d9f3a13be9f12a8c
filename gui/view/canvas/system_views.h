// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/system/system_view.h"

#include <memory>
#include <string>
#include <vector>

namespace lhrs::gui {

// A view and the system that it draws, by the name that its processes give themselves; empty: LH*RS.
struct ViewOfSystem {
    std::string system;
    std::unique_ptr<SystemView> view;
};

// The views of all systems, for one canvas. A new system adds its line in system_views.cpp.
std::vector<ViewOfSystem> systemViews();

} // namespace lhrs::gui
