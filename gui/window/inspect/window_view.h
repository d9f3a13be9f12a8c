// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

// The picture: what of it is in sight, its layers, and how things are found in it.
class WindowView : public WindowSubject {
    Q_OBJECT
public:
    // `ofSystems`: the layers that a system has the words for; they come after the messages.
    WindowView(WindowParts& parts, const std::vector<LayerAction>& ofSystems);

    void enable() override;

private:
    void addViewActions();
    void addLayer(const LayerAction& layer);
    void askForObject();
};

} // namespace lhrs::gui
