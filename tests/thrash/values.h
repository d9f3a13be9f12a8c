// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/sim/engine/random.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

namespace lhrs::thrash {

// The value that belongs to a write: its fingerprint, then bytes that follow from it.
inline std::string valueOf(std::uint64_t mark)
{
    std::string value(8 + splitMix(mark) % 300, '\0');
    std::memcpy(value.data(), &mark, 8);
    for (std::size_t i = 8; i < value.size(); ++i)
        value[i] = char(splitMix(mark + i));
    return value;
}

// The write that a value belongs to; empty: no client wrote this.
inline std::optional<std::uint64_t> markOf(const std::string& value)
{
    if (value.size() < 8)
        return std::nullopt;
    std::uint64_t mark = 0;
    std::memcpy(&mark, value.data(), 8);
    return valueOf(mark) == value ? std::optional(mark) : std::nullopt;
}

} // namespace lhrs::thrash
