// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
#include "common/wire.h"
#include "node/machine/machine.h"

#include <span>

namespace lhrs {

// A number for a process that starts: its kind can be seen from it (client_number.h), and no two have the same.
NodeId drawProcessNumber(pb::ProcessKind kind);

// Whether the holder of this process number may have sent these messages. It is certain that it has sealed them, and
// with which key; a client speaks for itself only, and says only what clients say.
bool mayBeFrom(NodeId sender, std::span<const ReadMessage> messages);

// Whether the sender may acknowledge what the message acknowledges, if anything. All clients have one key, so one of
// them could claim to have received what the machine has sent to others.
bool mayAcknowledge(const pb::Message& message, const Machine& machine);

} // namespace lhrs
