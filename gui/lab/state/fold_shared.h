// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"

// Parts of the fold: what several processes tell of (splits, groups, operations). Merged by operations that may come in
// any order: the greatest, the union, the sum of what one of them counts.
namespace lhrs::gui::fold {

// The split; null when it ended long ago and was dropped.
SplitState* splitOf(ClusterState& s, std::uint64_t id);
// Brings the split at least to the stage, and up to date with what is known of it.
void settle(SplitState& split, SplitStage seen);
// The coordinator said which buckets the split concerns.
void concern(SplitState& split, std::uint32_t bucket, std::uint32_t newBucket);
// Keeps the youngest kEndedSplits of those that ended.
void forgetOldSplits(ClusterState& s);

void takeFileState(ClusterState& s, const pb::FileState& file);
GroupState& groupOf(ClusterState& s, std::uint32_t number);
// `isOwn`: of the coordinator itself, whose table may be ahead of the epoch that it has told of.
void takeView(ClusterState& s, const pb::View& view, std::int64_t runNs, bool isOwn);

ClientState& clientOf(ClusterState& s, ProcessId process);
// The operation among its client's newest; null when it is older than those, or no client's.
OperationState* operationOf(ClusterState& s, const pb::RequestId& id);
// The operation passed the bucket.
void visit(OperationState& operation, std::uint32_t bucket);

} // namespace lhrs::gui::fold
