// SPDX-License-Identifier: GPL-3.0-or-later
// Bounds that hold in any system, so that no input can end a process. Each system checks its own messages with them,
// once, when a message enters a machine; the code behind relies on it.
#pragma once

#include "node/machine/effects.h"
#include "proto/event.pb.h"
#include "proto/message.pb.h"

namespace lhrs {

// A request without a name could not be answered, and a repeat would not be recognized: if an empty request were
// accepted, it would set key 0 to an empty value.
bool isNamed(const pb::RequestId& request);

// Whether the process is valid for readers of the directory. The only coordinator does not register with itself.
bool isEntry(const pb::ProcessInfo& process);
// The same for the process that registers or sends Alive, if the message does either.
bool hasSoundEntry(const pb::Message& message);

bool isWithinLimits(const pb::Part& part);

// The process that registers or sends Alive; null: the message does neither.
const pb::ProcessInfo* introducedIn(const pb::Message& message);
// Tells a client that wants to register that it is one too many. There is no answer to its Alive.
void turnAway(const pb::Message& message, Effects& out);

// Fills in the event for a message that exceeds the limits.
void tellDropped(const pb::Message& message, pb::Event& event);

} // namespace lhrs
