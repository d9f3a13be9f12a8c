// SPDX-License-Identifier: GPL-3.0-or-later
// Products by GFNI: multiplying by a constant is a matrix over bits, and gf2p8affineqb multiplies each byte by an 8 x 8
// one. See kernel_loops.h for what a kernel file provides. Its Vectors must also have kRegisters, affine, shuffle
// (bytes within 16), swapEights (swaps the halves of each 16 bytes) and repeat (16 bytes into a whole vector).
#pragma once

#include "common/field/kernel_loops.h"

namespace lhrs {

namespace {

// The matrix that maps input bits inFirst.. of a symbol to product bits outFirst.., as gf2p8affineqb reads it: byte 7 -
// i has the input bits that contribute to output bit i.
inline std::uint64_t bitMatrix(const std::uint16_t* products, int outFirst, int inFirst)
{
    std::uint64_t columns = 0; // byte j: the effect of input bit j on the eight output bits
    for (int j = 0; j < 8; ++j)
        columns |= std::uint64_t((products[inFirst + j] >> outFirst) & 0xff) << (8 * j);
    // Transposed: byte i has bit i of each column.
    std::uint64_t rows = columns;
    std::uint64_t moved = (rows ^ (rows >> 7)) & 0x00aa00aa00aa00aa;
    rows ^= moved ^ (moved << 7);
    moved = (rows ^ (rows >> 14)) & 0x0000cccc0000cccc;
    rows ^= moved ^ (moved << 14);
    moved = (rows ^ (rows >> 28)) & 0x00000000f0f0f0f0;
    rows ^= moved ^ (moved << 28);
    return __builtin_bswap64(rows);
}

inline void prepareGfni8(const std::uint16_t* products, std::byte* table)
{
    const std::uint64_t matrix = bitMatrix(products, 0, 0);
    std::memcpy(table, &matrix, 8);
    std::memcpy(table + 8, &matrix, 8);
}

// Four matrices: low from low, high from high; then low from high, high from low.
inline void prepareGfni16(const std::uint16_t* products, std::byte* table)
{
    const std::uint64_t matrices[] = { bitMatrix(products, 0, 0), bitMatrix(products, 8, 8), bitMatrix(products, 0, 8),
        bitMatrix(products, 8, 0) };
    std::memcpy(table, matrices, sizeof matrices);
}

template <class Vectors> struct Gfni8 : OneVector<Vectors> {
    using Vec = typename Vectors::Vec;
    using Raw = Vec;
    using Plane = Vec;
    static constexpr int kBlocks = Vectors::kRegisters / 8;
    using Opened = Vec;
    struct Factor {
        Vec matrix;
    };
    LHRS_STEP Factor factor(const std::byte* table) { return { Vectors::repeat(table) }; }
    LHRS_STEP Plane nothing() { return Vectors::zero(); }
    LHRS_STEP Opened open(const Raw& raw) { return raw; }
    LHRS_STEP Raw close(const Plane& plane) { return plane; }
    LHRS_STEP Plane same(const Opened& opened) { return opened; }
    LHRS_STEP Plane sum(const Plane& x, const Plane& y) { return Vectors::plus(x, y); }
    LHRS_STEP Plane product(const Opened& opened, const Factor& factor)
    {
        return Vectors::affine(opened, factor.matrix);
    }
};

// In each 16 bytes the low bytes of the eight symbols are gathered, then the high bytes, so that one instruction
// applies one matrix to each eight bytes.
template <class Vectors> struct Gfni16 : OneVector<Vectors> {
    using Vec = typename Vectors::Vec;
    using Raw = Vec;
    using Plane = Vec;
    static constexpr int kBlocks = Vectors::kRegisters / 8;
    struct Opened {
        Vec plane, swapped;
    };
    struct Factor {
        Vec straight, crossed;
    };
    LHRS_STEP Factor factor(const std::byte* table) { return { Vectors::repeat(table), Vectors::repeat(table + 16) }; }
    LHRS_STEP Plane nothing() { return Vectors::zero(); }
    LHRS_STEP Opened open(const Raw& raw)
    {
        alignas(16) static constexpr unsigned char kApart[16] = { 0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13,
            15 };
        const Vec plane = Vectors::shuffle(raw, Vectors::repeat(reinterpret_cast<const std::byte*>(kApart)));
        return { plane, Vectors::swapEights(plane) };
    }
    LHRS_STEP Raw close(const Plane& plane)
    {
        alignas(16) static constexpr unsigned char kTogether[16] = { 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7,
            15 };
        return Vectors::shuffle(plane, Vectors::repeat(reinterpret_cast<const std::byte*>(kTogether)));
    }
    LHRS_STEP Plane same(const Opened& opened) { return opened.plane; }
    LHRS_STEP Plane sum(const Plane& x, const Plane& y) { return Vectors::plus(x, y); }
    LHRS_STEP Plane product(const Opened& opened, const Factor& factor)
    {
        return Vectors::plus(
            Vectors::affine(opened.plane, factor.straight), Vectors::affine(opened.swapped, factor.crossed));
    }
};

} // namespace

} // namespace lhrs
