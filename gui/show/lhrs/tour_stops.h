// SPDX-License-Identifier: GPL-3.0-or-later
// Conditions on a state, for the stops of the tour.
#pragma once

#include "gui/show/lhrs/tour.h"

namespace lhrs::gui {

bool hasEnded(const ClusterState& state, ProcessId process); // or is unknown
ProcessId firstClient(const ClusterState& state); // the first running client; 0: none
std::uint32_t bucketsBelieved(const pb::FileState& image);
std::uint64_t freeKeyOf(const ClusterState& state, const DataBucketState& bucket);
// The action that sets the number of operations per press of a button; empty if it is already set.
std::optional<TourDeed> wantCount(const TourSight& sight, std::uint64_t count);
// The need for a complete file at rest, with this many buckets and a chosen client.
TourNeed needOfFile(const ClusterState& state, const TourSight& sight, std::uint32_t buckets = 1);

// The stops about failures: parity, one bucket lost and restored, one failure too many, and recovery in time.
void addFailureStops(std::vector<std::unique_ptr<TourStop>>& stops);

} // namespace lhrs::gui
