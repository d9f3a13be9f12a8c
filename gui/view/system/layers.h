// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lhrs::gui {

// What is drawn in addition to the things themselves; each layer has a key and can be set by a scenario.
struct Layers {
    bool messages = true;
    bool changes = true; // among the messages: of a change between servers, and acknowledgements
    bool parts = true; // of things, for example records
    bool labels = true;
    bool waiting = true; // servers without a place
    bool legend = true, faults = true;
    bool operator==(const Layers&) const = default;
};

} // namespace lhrs::gui
