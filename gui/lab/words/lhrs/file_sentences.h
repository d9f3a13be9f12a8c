// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/lhrs/file_view.h"

#include <string>

namespace lhrs::gui {

// The event of a process of LH*RS as one sentence, e.g. "Parity bucket 1.0 applied delta 412 of data bucket 5 to rank
// 17."; empty: it is an event of another system.
std::string fileSentence(ProcessId process, const pb::Event& event, const FileView& state);

} // namespace lhrs::gui
