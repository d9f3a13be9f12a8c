// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/event.pb.h"
#include "proto/message.pb.h"

namespace lhrs {

// Whether the numbers of a message are within the limits of the protocol (lhrs.md 13.3: no input may end a process).
// Asked once at the door of each machine; what is behind it relies on it. What depends on the state of a bucket, such as
// the highest rank it can have, is checked there.
bool isWithinLimits(const pb::Message& message);

// Whether the process that it brings into the directory, if it does, is one that readers of the list can use.
bool hasSoundEntry(const pb::Message& message);

// The event for a message from that process that is not within them.
void tellDropped(const pb::Message& message, pb::Event& event);

// Limits that are the same for all files.
inline constexpr std::uint32_t kValueBytesMax = 65'535;
inline constexpr std::uint32_t kLevelMax = 31; // bucket numbers have 32 bits
inline constexpr std::uint32_t kGroupSizeMax = 32;
inline constexpr std::uint32_t kParityColumnsMax = 255;

} // namespace lhrs
