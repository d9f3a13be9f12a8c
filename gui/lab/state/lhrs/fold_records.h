// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/lhrs/file_view.h"

#include <algorithm>
#include <vector>

// Parts of the fold: changes in the records of one bucket.
namespace lhrs::gui::fold {

constexpr std::uint32_t kPositionMax = 31; // m <= 32

// The element, made if it is missing; a position beyond the maximum counts as the maximum.
template <class T> T& grown(std::vector<T>& list, std::uint32_t position)
{
    position = std::min(position, kPositionMax);
    if (position >= list.size())
        list.resize(position + 1);
    return list[position];
}

void takeChange(DataBucketState& bucket, const pb::RecordInserted& e);
void takeChange(DataBucketState& bucket, const pb::RecordUpdated& e);
void takeChange(DataBucketState& bucket, const pb::RecordDeleted& e);
void takeChange(DataBucketState& bucket, const pb::RecordsChanged& e);

// The parity bucket has applied all changes of the position up to this one.
void becameApplied(ParityBucketState& column, std::uint32_t position, std::uint64_t sequence);
// The record group has gained or lost one record.
void addMember(RankMap& ranks, std::uint32_t rank);
void removeMember(RankMap& ranks, std::uint32_t rank);

void takeChange(ParityBucketState& column, const pb::DeltaApplied& e);
void takeChange(ParityBucketState& column, const pb::DeltasApplied& e);
void takeChange(ParityBucketState& column, const pb::DeltaHeld& e);

} // namespace lhrs::gui::fold
