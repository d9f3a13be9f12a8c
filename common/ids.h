// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace lhrs {

// A distinct type for each kind of number, so that a key is never passed where a process number is expected.
template <class Tag, class T> struct Id {
    T value = 0;
    constexpr Id() = default;
    constexpr explicit Id(T v) : value(v) { }
    constexpr auto operator<=>(const Id&) const = default;
    constexpr Id next() const { return Id(T(value + 1)); }
};

using Key = Id<struct KeyTag, std::uint64_t>; // any 64-bit number
using NodeId = Id<struct NodeTag, std::uint64_t>; // number of a process, drawn randomly at its start
using Incarnation = Id<struct IncarnationTag, std::uint64_t>; // of what a server holds; never reused

} // namespace lhrs

template <class Tag, class T> struct std::hash<lhrs::Id<Tag, T>> {
    std::size_t operator()(lhrs::Id<Tag, T> id) const noexcept { return std::hash<T> {}(id.value); }
};
