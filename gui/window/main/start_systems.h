// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/start/system_fields.h"

namespace lhrs::gui {

// What the form of the start page can start, new for each form. The first one is chosen at first.
SystemsToStart startSystems();

} // namespace lhrs::gui
