// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/network/endpoint.h"
#include "proto/group.pb.h"

namespace lhrs {

// The multicast group of a pool of idle servers. Every process and every watcher of the cluster derives it from the
// address at which the coordinator receives datagrams, so that two clusters on one computer do not hear each other.
// Addresses 239.x and ff15: stay within the site, and TTL 0 keeps packets on the computer. With IPv6 the loopback
// interface usually has no route for them; then the coordinator asks the waiting servers one by one.
constexpr Endpoint multicastGroup(pb::Role pool, Endpoint coordinator)
{
    const std::uint32_t second = 75 + std::uint32_t(pool);
    if (coordinator.ip.isV6())
        return { Ip::v6(std::uint64_t(0xff15) << 48, std::uint64_t(second) << 16 | coordinator.port),
            coordinator.port };
    return { 239u << 24 | second << 16 | coordinator.port, coordinator.port };
}

} // namespace lhrs
