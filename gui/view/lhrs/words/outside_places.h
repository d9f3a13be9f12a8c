// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"

#include <vector>

namespace lhrs::gui {

// The spares of a pool in the order of the canvas: by name, with numbers compared as numbers.
std::vector<ProcessId> sparesOf(const ClusterState& state, pb::Role pool);
// Processes that still run although their places were given to others.
std::vector<ProcessId> displacedOf(const ClusterState& state);

} // namespace lhrs::gui
