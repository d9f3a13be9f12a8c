// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "gui/lab/state/cluster_state.h"
#include "gui/lab/state/lhrs/file_message.h"
#include "proto/recording.pb.h"

// The cluster's state as a message, for recordings.
namespace lhrs::gui {

// The state as a message. What has pages is in it by their numbers only, unless `isWhole`.
pb::Keyframe keyframeOf(const ClusterState& state, bool isWhole);
// The inverse. Error: a page is missing, or the contents are not a state.
Result<ClusterState> stateOf(const pb::Keyframe& keyframe, const PageSource& pages);

} // namespace lhrs::gui
