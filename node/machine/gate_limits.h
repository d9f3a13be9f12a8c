// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

// What the gate of a process holds at most, be it a real process or a simulated one.
namespace lhrs {

inline constexpr std::size_t kHeldMax = 4'096;                    // messages; what is more is lost
inline constexpr std::size_t kHeldBytesMax = std::size_t(64) << 20;
inline constexpr int kHeldShownMax = 256;                         // of those that are held, in a description
inline constexpr std::uint32_t kReleaseMax = 1'000;               // messages by one command
inline constexpr const char* kDroppedAtGate = "dropped at the gate";

} // namespace lhrs
