// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace lhrs {

// Why the coordinator declares a bucket failed (BucketFailed.reason) when all that it knows is that the bucket is
// silent.
inline constexpr const char* kAnswersNoProbes = "it does not answer probes";
inline constexpr const char* kTooManySilent = "more members are silent than the parity can replace";
inline constexpr const char* kSilentInLostGroup = "it has been silent too long, in a group that is lost";

inline bool isSilence(std::string_view reason)
{
    constexpr std::array<std::string_view, 3> kSilences { kAnswersNoProbes, kTooManySilent, kSilentInLostGroup };
    return std::find(kSilences.begin(), kSilences.end(), reason) != kSilences.end();
}

} // namespace lhrs
