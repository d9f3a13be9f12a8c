// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/event.pb.h"
#include "proto/message.pb.h"

namespace lhrs {

// Whether the numbers of a message are within the limits of the protocol: no input may end a process. Checked once when
// a message enters a machine; the code behind relies on it. Limits that depend on the state of a bucket, such as its
// highest rank, are checked there.
bool isWithinLimits(const pb::Message& message);

// Whether the directory entry that the message carries, if any, is valid for readers of the directory.
bool hasSoundEntry(const pb::Message& message);

// Fills in the event for a message that is not within the limits.
void tellDropped(const pb::Message& message, pb::Event& event);

// Limits that are the same for all files.
inline constexpr std::uint32_t kValueBytesMax = 65'535;
inline constexpr std::uint32_t kLevelMax = 31; // bucket numbers have 32 bits
inline constexpr std::uint32_t kGroupSizeMax = 32;
inline constexpr std::uint32_t kParityColumnsMax = 255;

} // namespace lhrs
