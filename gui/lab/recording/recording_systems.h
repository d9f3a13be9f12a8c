// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/recording/rows/recorded_system.h"

#include <vector>

namespace lhrs::gui {

// The systems that a recording may be of. A file has the tables of all of them.
const std::vector<const RecordedSystem*>& recordedSystems();

} // namespace lhrs::gui
