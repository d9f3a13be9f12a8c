// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"

#include <functional>
#include <set>
#include <vector>

namespace lhrs {

// What a surviving parity bucket knows of the Deltas of one failed data position: all up to `applied` are in its parity
// fields, those of `held` wait for a predecessor, those of `logged` are applied and can be given to others.
struct PositionKnowledge {
    Sequence applied = 0;
    std::set<Sequence> held;
    std::set<Sequence> logged;
};

// C[q] (lhrs.md 10.3, ours): the largest number such that every Delta up to it is applied or held by some survivor. All
// acknowledged changes are up to it; what lies beyond was acknowledged by no complete set, so nobody was told OK.
Sequence cutOf(const std::vector<PositionKnowledge>& survivors);

// How the survivors get to the cut: survivor `to` takes the Delta from survivor `from`.
struct DeltaTransfer {
    Sequence sequence = 0;
    std::size_t from = 0;
    std::size_t to = 0;
    auto operator<=>(const DeltaTransfer&) const = default;
};

// The transfers that bring every survivor to the cut, in ascending order. Returns the survivors that cannot be brought
// there: they lack a Delta that is in no log and held by nobody. Logs are trimmed only up to what all parity buckets that
// count had, so that can only be one of which it is not sure that it counted (lhrs.md 9.2: the coordinator and a data
// bucket failed while it was being added).
std::vector<std::size_t> planCut(const std::vector<PositionKnowledge>& survivors, Sequence cut, std::vector<DeltaTransfer>& transfers);

} // namespace lhrs
