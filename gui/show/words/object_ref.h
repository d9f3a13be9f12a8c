// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>

namespace lhrs::gui {

enum class ObjectKind : std::uint8_t {
    None,
    Data, // a: bucket number
    Parity, // a: group, b: column
    Dummy, // a: bucket number that does not exist yet
    Group, // a: group
    Spare, // a: process
    Displaced, // a: process whose place was given to another process
    Client, // a: process
    Coordinator, // a: process
    Pool, // a: role
    File,
    Message, // a: number of the flight
    Fault, // a: its number
    Node, // a: process of a system whose nodes hold no numbered places, e.g. of a ring
};

// What a part of a picture stands for. The window's single selection is one of these.
struct ObjectRef {
    ObjectKind kind = ObjectKind::None;
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    auto operator<=>(const ObjectRef&) const = default;
    explicit operator bool() const { return kind != ObjectKind::None; }
};

} // namespace lhrs::gui
