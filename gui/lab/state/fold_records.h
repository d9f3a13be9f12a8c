// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"

#include <algorithm>
#include <vector>

// Parts of the fold: what changes in the records of one bucket.
namespace lhrs::gui::fold {

constexpr std::uint32_t kPositionMax = 31; // m <= 32

// The element, made when it is not there yet; a position beyond the last possible one counts as that.
template <class T>
T& grown(std::vector<T>& list, std::uint32_t position)
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

// The parity bucket has all changes of the position up to this one.
void becameApplied(ParityBucketState& column, std::uint32_t position, std::uint64_t sequence);
// The record group has one record more, or less.
void addMember(RankMap& ranks, std::uint32_t rank);
void removeMember(RankMap& ranks, std::uint32_t rank);

void takeChange(ParityBucketState& column, const pb::DeltaApplied& e);
void takeChange(ParityBucketState& column, const pb::DeltasApplied& e);
void takeChange(ParityBucketState& column, const pb::DeltaHeld& e);

} // namespace lhrs::gui::fold
