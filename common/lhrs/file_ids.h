// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of an LH*RS file. The types prevent a rank from being passed where a bucket number is expected.
#pragma once

#include "common/ids.h"

namespace lhrs {

using Rank = Id<struct RankTag, std::uint32_t>; // r: from 1; 0 means none
using BucketNumber = Id<struct BucketTag, std::uint32_t>; // a: 0..M-1
using GroupNumber = Id<struct GroupTag, std::uint32_t>; // g = a div m
using Position = Id<struct PositionTag, std::uint32_t>; // q = a mod m
using ParityColumn = Id<struct ParityColumnTag, std::uint32_t>; // p: 0..k-1
using Level = std::uint32_t; // j or i
using Sequence = std::uint64_t; // sequence number of a data bucket; 0: no change yet
// Sequence numbers are stored in this many bits: at 100,000 changes a second to one bucket they last for eleven years.
inline constexpr int kSequenceBits = 45;
inline constexpr Sequence kSequenceMax = (Sequence(1) << kSequenceBits) - 1;
using Epoch = Id<struct EpochTag, std::uint64_t>; // of a group; never decreases

constexpr GroupNumber groupOf(BucketNumber a, std::uint32_t m) { return GroupNumber(a.value / m); }
constexpr Position positionOf(BucketNumber a, std::uint32_t m) { return Position(a.value % m); }
constexpr BucketNumber bucketAt(GroupNumber g, Position q, std::uint32_t m)
{
    return BucketNumber(g.value * m + q.value);
}

} // namespace lhrs
