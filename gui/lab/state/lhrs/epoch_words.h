// SPDX-License-Identifier: GPL-3.0-or-later
// Epochs of groups and incarnations in a readable form. Both carry the coordinator's epoch in their upper 32 bits, so
// that no value is assigned twice: 4294967297 is the first epoch under the second coordinator.
#pragma once

#include <cstdint>
#include <string>

namespace lhrs::gui {

// "3", or "3 of coordinator 2" under a coordinator that took over.
inline std::string countedUnder(std::uint64_t packed, std::uint64_t coordinator)
{
    const std::string number = std::to_string(packed & 0xffffffff);
    return coordinator > 1 ? number + " of coordinator " + std::to_string(coordinator) : number;
}

// The first coordinator has epoch 1. Its group epochs have 0 in the upper half, its incarnations have 1.
inline std::string epochText(std::uint64_t epoch) { return countedUnder(epoch, (epoch >> 32) + 1); }
inline std::string incarnationText(std::uint64_t incarnation) { return countedUnder(incarnation, incarnation >> 32); }

} // namespace lhrs::gui
