// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"

namespace lhrs {

// Process numbers are drawn anew at every start; those of clients have this bit, so that each process knows with which
// key another one seals, and what it may say.
inline constexpr std::uint64_t kClientBit = std::uint64_t(1) << 63;
constexpr bool isClientNumber(NodeId process) { return (process.value & kClientBit) != 0; }

} // namespace lhrs
