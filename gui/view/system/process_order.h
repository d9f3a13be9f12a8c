// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"

#include <functional>
#include <vector>

namespace lhrs::gui {

// By name, with numbers compared as numbers.
void sortByName(const ClusterState& state, std::vector<ProcessId>& processes);
std::vector<ProcessId> sortedByName(const ClusterState& state, const std::function<bool(const ProcessState&)>& wanted);
// The running clients.
std::vector<ProcessId> clientsOf(const ClusterState& state);
ProcessId coordinatorOf(const ClusterState& state);

} // namespace lhrs::gui
