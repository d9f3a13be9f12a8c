// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/control.pb.h"

#include <cstdint>

namespace lhrs {

// Describes a message that the gate of a process holds, real or simulated. `sinceNs`: when it arrived, on the caller's
// clock.
void describeHeld(pb::HeldMessage& out, std::uint64_t number, const pb::Message& message, std::uint32_t bytes,
    pb::Transport transport, std::int64_t sinceNs);

} // namespace lhrs
