// SPDX-License-Identifier: GPL-3.0-or-later
// Epochs of groups and incarnations as people count them. Both carry the coordinator's epoch in their upper 32 bits, so that
// none is ever given twice: 4294967297 is the first epoch under the second coordinator.
#pragma once

#include <cstdint>
#include <string>

namespace lhrs::gui {

// "3", and under a coordinator that took over "3 of coordinator 2".
inline std::string countedUnder(std::uint64_t packed, std::uint64_t coordinator)
{
    const std::string number = std::to_string(packed & 0xffffffff);
    return coordinator > 1 ? number + " of coordinator " + std::to_string(coordinator) : number;
}

// The first coordinator's epoch is 1; the epochs of its groups have 0 in their upper half, its incarnations have 1 there.
inline std::string epochText(std::uint64_t epoch) { return countedUnder(epoch, (epoch >> 32) + 1); }
inline std::string incarnationText(std::uint64_t incarnation) { return countedUnder(incarnation, incarnation >> 32); }

} // namespace lhrs::gui
