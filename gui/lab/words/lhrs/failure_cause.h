// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/lhrs/file_view.h"

#include <string>

namespace lhrs::gui {

// The reason of a declared failure, as it is shown. The coordinator's reason is kept for a process that was killed,
// paused, gated or faulty on purpose, and for one that has given no sign of life since. A process that was not
// disturbed and continues was only late: "no answer for 0.3 s: this machine is busy". A simulated process is
// never late, and nothing is said about other machines.

// For a member that is down.
std::string shownReason(const FileView& state, const DownMember& down);
// For an event of the coordinator `by`.
std::string shownReason(const FileView& state, ProcessId by, const pb::Event& event);

} // namespace lhrs::gui
