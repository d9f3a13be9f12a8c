// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/start/scenario_pictures.h"

namespace lhrs::gui {

// The experiments with a file in their short form, and the files of free play.
const CardRuns& fileCards();

} // namespace lhrs::gui
