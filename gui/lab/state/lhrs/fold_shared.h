// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/lhrs/file_view.h"

// Parts of the fold: facts that several processes report (splits, groups, operations). They are merged by operations
// that do not depend on the order: the maximum, the union, or the sum of what a single process counts.
namespace lhrs::gui::fold {

// The split; null if it ended long ago and was dropped.
SplitState* splitOf(FileView& s, std::uint64_t id);
// Advances the split at least to this stage, and completes it with what is known.
void settle(SplitState& split, SplitStage seen);
// Records which buckets the split concerns, as the coordinator reported.
void concern(SplitState& split, std::uint32_t bucket, std::uint32_t newBucket);
// Keeps only the newest kEndedSplits of the ended splits.
void forgetOldSplits(FileView& s);

void takeFileState(FileView& s, const pb::FileState& file);
GroupState& groupOf(FileView& s, std::uint32_t number);
// `isOwn`: reported by the coordinator itself, whose table may be ahead of the last announced epoch.
void takeView(FileView& s, const pb::View& view, std::int64_t runNs, bool isOwn);

// The operation passed the bucket.
void visit(OperationState& operation, std::uint32_t bucket);

} // namespace lhrs::gui::fold
