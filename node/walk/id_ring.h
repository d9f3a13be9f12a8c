// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
#include "common/sha1.h"

#include <string_view>

namespace lhrs {

// A place on the ring, 0..2^M - 1. (The lookup thesis uses 160 bits; the separate type makes it possible to widen it.)
using RingId = Id<struct RingIdTag, std::uint64_t>;

// The ring of 2^M ids, and what lies between two of them. The lookup thesis found this arithmetic error-prone, so it
// exists only here.
class IdRing {
public:
    static constexpr unsigned kBitsMin = 8, kBitsMax = 64; // for a ring of processes
    explicit constexpr IdRing(unsigned bits = 32) : m_mask(bits >= 64 ? ~0ULL : (1ULL << bits) - 1) { }

    constexpr RingId wrap(std::uint64_t number) const { return RingId(number & m_mask); }
    // The clockwise distance from one id to another; 0 if they are the same.
    constexpr std::uint64_t clockwise(RingId from, RingId to) const { return (to.value - from.value) & m_mask; }
    // x in (a, b]; the whole ring if a == b.
    constexpr bool inRight(RingId x, RingId a, RingId b) const
    {
        return a == b || (clockwise(a, x) > 0 && clockwise(a, x) <= clockwise(a, b));
    }
    // x in (a, b); everything but a if a == b.
    constexpr bool inOpen(RingId x, RingId a, RingId b) const
    {
        return a == b ? x != a : clockwise(a, x) > 0 && clockwise(a, x) < clockwise(a, b);
    }

    // The last M bits of the SHA-1 of a name.
    RingId idOf(std::string_view name) const
    {
        const auto digest = sha1(name);
        std::uint64_t last = 0;
        for (std::size_t i = digest.size() - 8; i < digest.size(); ++i)
            last = last << 8 | digest[i];
        return wrap(last);
    }
    // A key's place: its name is its eight bytes, most significant first.
    RingId idOf(Key key) const
    {
        char bytes[8];
        for (unsigned i = 0; i < 8; ++i)
            bytes[i] = char(std::uint8_t(key.value >> (56 - 8 * i)));
        return idOf(std::string_view(bytes, sizeof bytes));
    }

private:
    std::uint64_t m_mask;
};

} // namespace lhrs
