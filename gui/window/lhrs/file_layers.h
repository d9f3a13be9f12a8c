// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/layer_action.h"

#include <vector>

namespace lhrs::gui {

// The layers that LH*RS has the words for. Other systems draw what is like them in the same layers.
std::vector<LayerAction> fileLayers();

} // namespace lhrs::gui
