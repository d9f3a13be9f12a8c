// SPDX-License-Identifier: GPL-3.0-or-later
// The place of a bucket as one number: data a -> a; parity column j of group g -> -(256 g + j + 1).
#pragma once

#include "proto/event.pb.h"

#include <cstdint>

namespace lhrs::gui {

inline std::int64_t dataPlace(std::uint32_t number) { return std::int64_t(number); }
inline std::int64_t parityPlace(std::uint32_t group, std::uint32_t column)
{
    return -(std::int64_t(256) * group + column + 1);
}
inline std::int64_t placeNumber(const pb::Place& place)
{
    return place.role() == pb::PARITY ? parityPlace(place.number(), place.column()) : dataPlace(place.number());
}

} // namespace lhrs::gui
