// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/local/lines/system_lines.h"

#include <cstdint>

namespace lhrs::gui {

// A ring that walks.
struct RingOptions {
    unsigned bits = 32; // M: ids are numbers modulo 2^M
    std::uint32_t nodes = 8; // so many join the ring as it starts
    std::uint32_t outside = 2; // further processes, which wait
    bool operator==(const RingOptions&) const = default;
};

SystemLines linesOfRing(const RingOptions& ring);

} // namespace lhrs::gui
