// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

// The picture: what of it is in sight, its layers, and how things are found in it.
class WindowView : public WindowSubject {
    Q_OBJECT
public:
    explicit WindowView(WindowParts& parts);

    void enable() override;

private:
    void addViewActions();
    void addLayers();
    void askForObject();
};

} // namespace lhrs::gui
