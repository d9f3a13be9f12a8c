// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

// What stands side by side in the picture of a file.
class WindowArrangement : public WindowSubject {
    Q_OBJECT
public:
    explicit WindowArrangement(WindowParts& parts);

    void enable() override;
};

} // namespace lhrs::gui
