// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ip.h"

#include <compare>
#include <cstdint>

namespace lhrs {

// One end of UDP or TCP. In the simulator `ip` is the number of the process.
struct Endpoint {
    Ip ip;
    std::uint16_t port = 0;
    auto operator<=>(const Endpoint&) const = default;
};

} // namespace lhrs
