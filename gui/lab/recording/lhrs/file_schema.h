// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/recording/rows/recorded_system.h"

namespace lhrs::gui {

// What a recording keeps of a file of LH*RS.
const RecordedSystem& recordedFile();

} // namespace lhrs::gui
