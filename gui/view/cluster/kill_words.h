// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"

#include <QString>

#include <vector>

namespace lhrs::gui {

// What a person has to know before these processes end at once, who are called `names`: why what they hold could not be
// made good, or that nobody here knows yet whether it could. Empty: the parity that is left replaces it.
QString warningOfKill(const ClusterState& state, const std::vector<ProcessId>& processes, const QString& names);

} // namespace lhrs::gui
