// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/file_ids.h"

#include <functional>
#include <set>
#include <vector>

namespace lhrs {

// What a surviving parity bucket knows of the Deltas of one failed data position. All up to `applied` are in its parity
// fields; those in `held` wait for a predecessor; those in `logged` are applied and can be copied to others.
struct PositionKnowledge {
    Sequence applied = 0;
    std::set<Sequence> held;
    std::set<Sequence> logged;
};

// The cut C[q]: the largest number such that every Delta up to it is applied or held by some survivor. It includes all
// acknowledged changes. No change beyond the cut was acknowledged by all parity buckets, so no client received OK for
// one.
Sequence cutOf(const std::vector<PositionKnowledge>& survivors);

// One step of bringing the survivors to the cut: survivor `to` takes the Delta from survivor `from`.
struct DeltaTransfer {
    Sequence sequence = 0;
    std::size_t from = 0;
    std::size_t to = 0;
    auto operator<=>(const DeltaTransfer&) const = default;
};

// Finds the transfers that bring every survivor to the cut, in ascending order. Returns the survivors that cannot be
// brought there, because they lack a Delta that no survivor holds or has in its log. Logs are trimmed only up to what
// all counted parity buckets have applied. So it is uncertain whether such a survivor ever counted: the coordinator and
// a data bucket failed while it was being added.
std::vector<std::size_t> planCut(
    const std::vector<PositionKnowledge>& survivors, Sequence cut, std::vector<DeltaTransfer>& transfers);

} // namespace lhrs
