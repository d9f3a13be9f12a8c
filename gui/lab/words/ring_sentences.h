// SPDX-License-Identifier: GPL-3.0-or-later
// What happens in a ring that walks, in plain sentences.
#pragma once

#include "gui/lab/state/cluster_state.h"

#include <string>

namespace lhrs::gui {

// The event of a ring's process as one sentence; empty: the event is common to all systems and has the same words in
// each.
std::string ringSentence(ProcessId process, const pb::Event& event, const ClusterState& state);
// What the narrator of free play says about the event; empty: nothing.
std::string ringTelling(const pb::Event& event, const ClusterState& state);
inline constexpr const char* kRingMasterEnded
    = "The master has ended: queries go on, but no node joins or leaves any more.";

} // namespace lhrs::gui
