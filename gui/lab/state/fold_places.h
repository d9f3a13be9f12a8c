// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"

// Parts of the fold: which process holds which place. Of several incarnations of a bucket the youngest stands in the
// row and the others aside, so that it does not matter whose events come first.
namespace lhrs::gui::fold {

// The process' bucket, made when events tell of one whose recruiting was missed; null: `place` is of the other role.
DataBucketState* dataOf(ClusterState& s, ProcessId process, const pb::Place& place);
ParityBucketState* parityOf(ClusterState& s, ProcessId process, const pb::Place& place);

// Takes the process' bucket away, whatever it is; the youngest of those that stood aside for the number comes back.
void releasePlace(ClusterState& s, ProcessId process);

// A place whose holder was declared failed before anybody watched: it exists, and nothing else is known of it.
void placeDeclared(ClusterState& s, std::uint32_t group, const pb::Member& member);

// Whether the bucket is overflowed, as far as b is known by now.
void settleOverflow(DataBucketState& bucket, const FileShown& file);
void settleOverflows(ClusterState& s);

// Who the process is.
void takeInfo(ClusterState& s, const pb::ProcessInfo& info);

} // namespace lhrs::gui::fold
