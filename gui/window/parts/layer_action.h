// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/system/layers.h"

namespace lhrs::gui {

// A layer of the picture as a person and a scenario switch it.
struct LayerAction {
    const char* word; // of scenarios: lab.camera({ layers: { labels: false } })
    bool Layers::*layer;
    const char *id, *name, *key, *sentence; // of its action
    bool isForHall = true; // the last row of a hall can read it, and it is not too much at once
};

} // namespace lhrs::gui
