// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/script/script_engine.h"

#include <optional>

namespace lhrs::gui {

// Checks the calls of `lab` in a scenario without running it, and returns the first problem: an unknown call, an
// unknown option, or a literal option value that is not allowed. Empty if none is found. Computed values are checked
// only when the scenario runs.
std::optional<ScriptProblem> checkCalls(const QString& source);

} // namespace lhrs::gui
