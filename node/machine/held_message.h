// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/control.pb.h"

#include <cstdint>

namespace lhrs {

// What is told of a message that the gate of a process holds, be it a real process or a simulated one. `sinceNs`: when
// it came, on the clock of whoever tells it.
void describeHeld(pb::HeldMessage& out, std::uint64_t number, const pb::Message& message, std::uint32_t bytes,
    pb::Transport transport, std::int64_t sinceNs);

} // namespace lhrs
