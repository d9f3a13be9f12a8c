// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/recording/rows/recorded_system.h"

#include <memory>

namespace lhrs::gui {

// The bucket group and the place of an event, and the pages of ranks that belong to a keyframe.
std::unique_ptr<SystemNotes> fileNotes();

} // namespace lhrs::gui
