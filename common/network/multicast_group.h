// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/network/endpoint.h"
#include "proto/group.pb.h"

namespace lhrs {

// The multicast group of a pool of idle servers. Every process and every watcher of the cluster derives it from the
// coordinator's UDP port, so that two clusters on one computer do not hear each other. Addresses 239.x stay within the
// site, and TTL 0 keeps packets on the computer.
constexpr Endpoint multicastGroup(pb::Role pool, std::uint16_t coordinatorPort)
{
    const std::uint32_t second = 75 + std::uint32_t(pool);
    return { 239u << 24 | second << 16 | coordinatorPort, coordinatorPort };
}

} // namespace lhrs
