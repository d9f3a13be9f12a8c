// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

// Limits on what the gate of a process holds, real or simulated.
namespace lhrs {

inline constexpr std::size_t kHeldMax = 4'096; // messages; further ones are lost
inline constexpr std::size_t kHeldBytesMax = std::size_t(64) << 20;
inline constexpr int kHeldShownMax = 256; // held messages listed in a description
inline constexpr std::uint32_t kReleaseMax = 1'000; // messages per command
inline constexpr const char* kDroppedAtGate = "dropped at the gate";

} // namespace lhrs
