// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/effects.h"
#include "proto/message.pb.h"

#include <cstdint>

namespace lhrs {

// Whether the message requests a key operation; if so, keyRequestOf returns the request.
bool hasKeyRequest(const pb::Message& message);
const pb::KeyRequest& keyRequestOf(const pb::Message& message);
// The request in a message that is to request this operation.
pb::KeyRequest& keyRequestIn(pb::Message& message, pb::OperationKind kind);

// Tells the client of a request, or the bucket that forwarded it, that this process is not that bucket, or is that
// bucket no longer. `node`: the process that is told; another one may have had its address before.
void sayDisplaced(const Address& to, NodeId node, const pb::RequestId& request, std::uint32_t bucket,
    std::uint64_t incarnation, std::uint32_t copy, Effects& out);
void sayDisplaced(const Address& to, NodeId node, const pb::KeyRequest& request, Effects& out);

} // namespace lhrs
