// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"

#include <string>

namespace lhrs::gui {

// Why a bucket was declared failed, as it is shown. A process that was killed, paused, gated or broken on purpose, or
// that has given no sign of life since, keeps the coordinator's word. One to which nothing was done and that goes on was
// only late: "nobody answered for 0.3 s: this machine is busy". A simulated process is never late, and of another machine
// nothing is said.

// Of a member that is down.
std::string shownReason(const ClusterState& state, const DownMember& down);
// Of the event of the coordinator `by`.
std::string shownReason(const ClusterState& state, ProcessId by, const pb::Event& event);

} // namespace lhrs::gui
