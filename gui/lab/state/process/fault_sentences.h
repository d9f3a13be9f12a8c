// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/process/process_state.h"

#include <string>
#include <vector>

namespace lhrs::gui {

// A kill that waits for no step: it has already happened when it is reported, nothing stays armed, and its end is not
// reported.
bool isInstant(const pb::Fault& fault);
// The effect of a fault as part of a sentence: "loses 20 % of what it sends to 3 processes, delays it by 50 ms". `at`:
// the process that has it, which may itself be named in it; 0: not known.
std::string faultWords(const pb::Fault& fault, ProcessId at = 0);
// The same in short forms for a badge, longest first: "loses 20 %, +50 ms", "−20 % +50 ms"; empty if it has no
// values.
std::vector<std::string> faultBadge(const pb::Fault& fault);
// The effect so far: "412 messages: 80 lost, 332 delayed by 52 ms on average".
std::string effectWords(const pb::Fault& fault, const pb::FaultEffect& achieved);

// "is free of a fault, healed (412 messages: 80 lost)."
std::string endWords(const pb::FaultEnded& ended);

} // namespace lhrs::gui
