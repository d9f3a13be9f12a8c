// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/failpoint_list.h"
#include "proto/config.pb.h"

#include <cstdint>

namespace lhrs {

// The case that a seed determines: first which features and faults are on, then the amount of each. The same seed gives
// the same case, operation by operation. From kFailuresFrom on, processes also fail in three of five cases; lower seeds
// keep the cases that they had before.
inline constexpr std::uint64_t kFailuresFrom = 10'000;
// From this seed on, failpoints fire too.
inline constexpr std::uint64_t kFailpointsFrom = 20'000;
// From this seed on, the coordinator ends and others start in its place, clients end, and files shrink; failpoints are
// rare.
inline constexpr std::uint64_t kRestartsFrom = 30'000;
// From this seed on, most files stage several splits at once.
inline constexpr std::uint64_t kWavesFrom = 40'000;
// From this seed on, the servers of one file in three have little memory.
inline constexpr std::uint64_t kMemoryFrom = 2'000'000;
// From this seed on, the servers of every second file have so little memory that some become full.
inline constexpr std::uint64_t kFullFrom = 4'300'000;
pb::Case drawCase(std::uint64_t seed);

} // namespace lhrs
