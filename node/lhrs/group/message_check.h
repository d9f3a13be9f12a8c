// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/transfer/message_bounds.h"

namespace lhrs {

// Whether the numbers of a message are within the limits of the protocol. Limits that depend on the state of a bucket,
// such as its highest rank, are checked by the bucket.
bool isWithinLimits(const pb::Message& message);

// Whether the directory entry that the message carries, if any, is valid for readers of the directory.
bool namesSoundProcess(const pb::Message& message);

// Limits that are the same for all files.
inline constexpr std::uint32_t kLevelMax = 31; // bucket numbers have 32 bits
inline constexpr std::uint32_t kGroupSizeMax = 32;
inline constexpr std::uint32_t kParityColumnsMax = 255;

} // namespace lhrs
