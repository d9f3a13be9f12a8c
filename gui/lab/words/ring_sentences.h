// SPDX-License-Identifier: GPL-3.0-or-later
// What happens in a ring that walks, in plain sentences.
#pragma once

#include "gui/lab/state/cluster_state.h"

#include <string>

namespace lhrs::gui {

// The event of a process of a ring as one sentence; empty: it is one that every system tells, in the same words.
std::string ringSentence(ProcessId process, const pb::Event& event, const ClusterState& state);
// What the narrator of free play says of it; empty: nothing.
std::string ringTelling(const pb::Event& event, const ClusterState& state);
inline constexpr const char* kRingMasterEnded
    = "The master has ended: queries go on, but no node joins or leaves any more.";

} // namespace lhrs::gui
