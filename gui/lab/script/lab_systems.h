// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/calls/lab_context.h"

namespace lhrs::gui {

// The systems whose clusters a script can make. The first one is made if the script does not say which.
const LabSystems& labSystems();

} // namespace lhrs::gui
