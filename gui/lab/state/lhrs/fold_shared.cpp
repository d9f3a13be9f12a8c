// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/lhrs/fold_shared.h"

#include "common/lhrs/linear_hash.h"
#include "gui/lab/state/lhrs/fold_failures.h"

#include <algorithm>

namespace lhrs::gui::fold {

SplitState* splitOf(FileView& s, std::uint64_t id)
{
    if (const auto at = s.splits.find(id); at != s.splits.end())
        return &at->second;
    if (id <= s.splitForgotten)
        return nullptr; // a late report on a split that ended long ago
    SplitState& split = s.splits[id];
    split.id = id;
    return &split;
}

void settle(SplitState& split, SplitStage seen)
{
    split.stage = std::max(split.stage, seen);
    split.moved = std::max(split.movedReported, split.movedArrived);
    if (!split.isOrdered)
        return;
    split.sourceIsPrepared = split.preparedBuckets.contains(split.bucket);
    split.targetIsPrepared = split.preparedBuckets.contains(split.newBucket);
    if (split.sourceIsPrepared && split.targetIsPrepared)
        split.stage = std::max(split.stage, SplitStage::Prepared);
}

void concern(SplitState& split, std::uint32_t bucket, std::uint32_t newBucket)
{
    split.bucket = bucket;
    split.newBucket = newBucket;
    split.isOrdered = true;
}

void forgetOldSplits(FileView& s)
{
    auto ended = std::count_if(s.splits.begin(), s.splits.end(), [](const auto& e) { return !e.second.isUnderWay(); });
    for (auto at = s.splits.begin(); at != s.splits.end() && ended > std::ptrdiff_t(FileView::kEndedSplits);) {
        if (at->second.isUnderWay()) {
            ++at;
            continue;
        }
        s.splitForgotten = std::max(s.splitForgotten, at->first);
        at = s.splits.erase(at);
        --ended;
    }
}

void takeFileState(FileView& s, const pb::FileState& file)
{
    s.file.i = file.i();
    s.file.n = file.n();
    if (isValid({ file.i(), file.n() }))
        s.file.buckets = bucketCount({ file.i(), file.n() });
}

GroupState& groupOf(FileView& s, std::uint32_t number)
{
    GroupState& group = s.groups[number];
    group.number = number;
    return group;
}

void takeView(FileView& s, const pb::View& view, std::int64_t runNs, bool isOwn)
{
    GroupState& group = groupOf(s, view.group());
    if (view.epoch() > group.epoch || (isOwn && view.epoch() == group.epoch))
        takeMembers(group, view, runNs);
    group.epoch = std::max(group.epoch, view.epoch());
}

void visit(OperationState& operation, std::uint32_t bucket)
{
    const auto at = std::lower_bound(operation.path.begin(), operation.path.end(), bucket);
    if (at == operation.path.end() || *at != bucket)
        operation.path.insert(at, bucket);
}

} // namespace lhrs::gui::fold
