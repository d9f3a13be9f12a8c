// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/script/script_engine.h"

#include <optional>

namespace lhrs::gui {

// What can be told of the calls of `lab` in a scenario without running it: a call that does not exist, an option that the call
// does not have, and an option's value that stands there as a literal and is none of the allowed ones. The first of them;
// nothing: none was found. What is computed is seen only when the scenario runs.
std::optional<ScriptProblem> checkCalls(const QString& source);

} // namespace lhrs::gui
