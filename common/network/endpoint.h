// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>

namespace lhrs {

// One end of UDP or TCP over IPv4, in host byte order. In the simulator `ip` is the number of the process.
struct Endpoint {
    std::uint32_t ip = 0;
    std::uint16_t port = 0;
    auto operator<=>(const Endpoint&) const = default;
};

} // namespace lhrs
