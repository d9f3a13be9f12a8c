// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"

#include <QString>

#include <vector>

namespace lhrs::gui {

// The warning before these processes, called `names`, are killed at once: why their contents could not be recovered, or
// that this is not known yet. Empty: the remaining parity can recover them.
QString warningOfKill(const ClusterState& state, const std::vector<ProcessId>& processes, const QString& names);

} // namespace lhrs::gui
