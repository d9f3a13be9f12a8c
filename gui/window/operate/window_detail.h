// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

// How much the processes publish of what they do.
class WindowDetail : public WindowSubject {
    Q_OBJECT
public:
    explicit WindowDetail(WindowParts& parts);

    void enable() override;
};

} // namespace lhrs::gui
