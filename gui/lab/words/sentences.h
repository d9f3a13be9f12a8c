// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/lab/state/process/event_ring.h"

#include <string>

namespace lhrs::gui {

// The event as one plain sentence, in the words of its system, e.g. "Node 17 passed the query for key 412 on."
// `state` gives names. Sentences are built when they are shown and are not stored.
std::string sentence(ProcessId process, const pb::Event& event, const ClusterState& state);
// The same for a row of the run, including gaps.
std::string sentence(const RunEvent& event, const ClusterState& state);

} // namespace lhrs::gui
