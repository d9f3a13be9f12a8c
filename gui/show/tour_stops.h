// SPDX-License-Identifier: GPL-3.0-or-later
// What the stops of the tour ask of a state.
#pragma once

#include "gui/show/tour.h"

namespace lhrs::gui {

bool hasEnded(const ClusterState& state, ProcessId process); // or it is not known
ProcessId firstClient(const ClusterState& state);            // that runs; 0: none does
std::uint32_t bucketsBelieved(const pb::FileState& image);
std::uint64_t freeKeyOf(const ClusterState& state, const DataBucketState& bucket);
// So many operations at a press of a button; nothing: that is so already.
std::optional<TourDeed> wantCount(const TourSight& sight, std::uint64_t count);
// A whole file at rest with so many buckets and a client that is chosen.
TourNeed needOfFile(const ClusterState& state, const TourSight& sight, std::uint32_t buckets = 1);

// The stops about failures: parity, one bucket lost and back, one too many, and back in time.
void addFailureStops(std::vector<std::unique_ptr<TourStop>>& stops);

} // namespace lhrs::gui
