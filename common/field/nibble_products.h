// SPDX-License-Identifier: GPL-3.0-or-later
// Products by looking up half bytes: a byte shuffle reads sixteen entries of a table at once. See kernel_loops.h for
// what a kernel file provides. Its Vectors must also have shuffle (bytes within 16), repeat (16 bytes into a whole
// vector), lowNibbles, highNibbles, and for two-byte symbols lowBytes, highBytes, mixFirst, mixSecond.
#pragma once

#include "common/field/kernel_loops.h"

namespace lhrs {

namespace {

// For each four bits of a symbol, the products of all 16 values: the low bytes, then, for two-byte symbols, the high
// bytes.
template <int kNibbles> void prepareNibbles(const std::uint16_t* products, std::byte* table)
{
    constexpr int kHalves = kNibbles / 2; // bytes of a symbol
    for (int nibble = 0; nibble < kNibbles; ++nibble) {
        std::uint16_t values[16] = {};
        for (unsigned value = 1; value < 16; ++value) {
            const unsigned rest = value & (value - 1);
            values[value] = std::uint16_t(values[rest] ^ products[4 * nibble + __builtin_ctz(value)]);
        }
        for (int half = 0; half < kHalves; ++half) {
            for (const std::uint16_t value : values)
                *table++ = std::byte(value >> (8 * half));
        }
    }
}

template <class Vectors> struct Nibble8 : OneVector<Vectors> {
    using Vec = typename Vectors::Vec;
    using Raw = Vec;
    using Plane = Vec;
    using Opened = Vec;
    static constexpr int kBlocks = 2;
    struct Factor {
        Vec low, high;
    };
    LHRS_STEP Factor factor(const std::byte* table) { return { Vectors::repeat(table), Vectors::repeat(table + 16) }; }
    LHRS_STEP Plane nothing() { return Vectors::zero(); }
    LHRS_STEP Opened open(const Raw& raw) { return raw; }
    LHRS_STEP Raw close(const Plane& plane) { return plane; }
    LHRS_STEP Plane same(const Opened& opened) { return opened; }
    LHRS_STEP Plane sum(const Plane& x, const Plane& y) { return Vectors::plus(x, y); }
    LHRS_STEP Plane product(const Opened& plane, const Factor& factor)
    {
        return Vectors::plus(Vectors::shuffle(factor.low, Vectors::lowNibbles(plane)),
            Vectors::shuffle(factor.high, Vectors::highNibbles(plane)));
    }
};

template <class Vectors> struct Nibble16 : TwoVectors<Vectors> {
    using Vec = typename Vectors::Vec;
    using Raw = typename TwoVectors<Vectors>::Raw;
    struct Plane {
        Vec low, high; // bytes of the symbols
    };
    using Opened = Plane;
    static constexpr int kBlocks = 1;
    struct Factor {
        Vec low[4], high[4]; // bytes of the products, by nibble of the symbol
    };
    LHRS_STEP Factor factor(const std::byte* table)
    {
        return { { Vectors::repeat(table), Vectors::repeat(table + 32), Vectors::repeat(table + 64),
                     Vectors::repeat(table + 96) },
            { Vectors::repeat(table + 16), Vectors::repeat(table + 48), Vectors::repeat(table + 80),
                Vectors::repeat(table + 112) } };
    }
    LHRS_STEP Plane nothing() { return { Vectors::zero(), Vectors::zero() }; }
    LHRS_STEP Opened open(const Raw& raw)
    {
        return { Vectors::lowBytes(raw.first, raw.second), Vectors::highBytes(raw.first, raw.second) };
    }
    LHRS_STEP Raw close(const Plane& plane)
    {
        return { Vectors::mixFirst(plane.low, plane.high), Vectors::mixSecond(plane.low, plane.high) };
    }
    LHRS_STEP Plane same(const Opened& opened) { return opened; }
    LHRS_STEP Plane sum(const Plane& x, const Plane& y)
    {
        return { Vectors::plus(x.low, y.low), Vectors::plus(x.high, y.high) };
    }
    LHRS_STEP Vec looked(const Vec (&tables)[4], const Vec (&nibbles)[4])
    {
        return Vectors::plus(
            Vectors::plus(Vectors::shuffle(tables[0], nibbles[0]), Vectors::shuffle(tables[1], nibbles[1])),
            Vectors::plus(Vectors::shuffle(tables[2], nibbles[2]), Vectors::shuffle(tables[3], nibbles[3])));
    }
    LHRS_STEP Plane product(const Opened& plane, const Factor& factor)
    {
        const Vec nibbles[4] = { Vectors::lowNibbles(plane.low), Vectors::highNibbles(plane.low),
            Vectors::lowNibbles(plane.high), Vectors::highNibbles(plane.high) };
        return { looked(factor.low, nibbles), looked(factor.high, nibbles) };
    }
};

} // namespace

} // namespace lhrs
