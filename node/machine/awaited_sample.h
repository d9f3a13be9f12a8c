// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/ack_list.h"
#include "proto/control.pb.h"

#include <string>

namespace lhrs {

// A message that waits for its acknowledgement or answer, as watchers of the machine see it.
struct Wait {
    std::uint64_t id = 0;
    std::string kind;
    NodeId to;
    Address address;
    Time sent {}, due {};
    std::uint32_t tries = 0, triesMax = 0;
};
// Counts the wait and describes the first few.
void add(const Wait& wait, pb::NodeSample& out);
// Adds everything that the list waits for.
void add(const AckList& acks, pb::NodeSample& out);

} // namespace lhrs
