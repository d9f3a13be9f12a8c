// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lhrs::gui {

// What is drawn in addition to the things themselves; each layer has a key and can be set by a scenario.
struct Layers {
    bool messages = true, deltas = true, ranks = true, labels = true, spares = true, legend = true, faults = true;
    bool operator==(const Layers&) const = default;
};

} // namespace lhrs::gui
