// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/recording/rows/recorded_system.h"

#include <memory>

namespace lhrs::gui {

// Splits, merges, parity creations, recoveries and their slices, and failures, one row each (scenarios/DATA.md).
std::unique_ptr<SystemRows> fileRows(bool isForExport);

} // namespace lhrs::gui
