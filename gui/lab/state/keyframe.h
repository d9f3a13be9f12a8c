// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "gui/lab/state/cluster_state.h"
#include "proto/recording.pb.h"

#include <cstdint>
#include <functional>
#include <optional>

// The cluster's state as a message, for recordings.
namespace lhrs::gui {

// One page of a bucket's ranks.
pb::RankPage pageOf(const RankMap& ranks, std::uint32_t page);

// The state as a message. For buckets in the row it contains the page numbers only, unless `isWhole`.
pb::Keyframe keyframeOf(const ClusterState& state, bool isWhole);

// Returns a page of a bucket in the row; empty if it cannot be read.
using PageSource = std::function<std::optional<pb::RankPage>(std::int64_t place, std::uint32_t page)>;
// The inverse. Error: a page is missing, or the contents are not a state.
Result<ClusterState> stateOf(const pb::Keyframe& keyframe, const PageSource& pages);

} // namespace lhrs::gui
