// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/config.pb.h"

#include <cstdint>

namespace lhrs {

// The case that a seed stands for: first which features and faults are on at all, then how much of
// each. The same seed gives the same case, operation by operation.
// From kFailuresFrom on the processes fail too, in three of five; seeds below are as they were before that existed.
inline constexpr std::uint64_t kFailuresFrom = 10'000;
// From here on injection points fire too.
inline constexpr std::uint64_t kPointsFrom = 20'000;
// And from here on the coordinator ends and others start in its place, clients end, and files shrink; points are rare.
inline constexpr std::uint64_t kRestartsFrom = 30'000;
// And from here on most files stage several splits at once.
inline constexpr std::uint64_t kWavesFrom = 40'000;
// And from here on the servers of one file in three have little memory.
inline constexpr std::uint64_t kMemoryFrom = 2'000'000;
// And from here on every second file's servers have so little that some of them do become full.
inline constexpr std::uint64_t kFullFrom = 4'300'000;
pb::Case drawCase(std::uint64_t seed);

} // namespace lhrs
