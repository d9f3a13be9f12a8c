// SPDX-License-Identifier: GPL-3.0-or-later
// The loops shared by all kernels. Each kernel file includes this once, after it has defined LHRS_TARGET: the attribute
// that permits its instructions. The attribute must be on each function and on each function inlined there. (Compiler
// flags for a whole file would emit standard templates with those instructions, which the linker might select for the
// whole program.) So only kernel files include this header; everything it defines is local to them.
//
// A kernel file provides a `Vectors`: Vec, kBytes, load, store, zero, plus (XOR), both (AND); and, where masks exist,
// loadPart and storePart. A `Products` for each field width builds on it:
//   Raw      bytes as they lie in memory, kBytes of them: one vector or two
//   Plane    the same bytes in the order in which they are multiplied
//   Opened   a plane prepared for all its products
//   Factor   a coefficient's table in registers
// and kBlocks, how many blocks share a factor: as many as the registers allow.
#pragma once

#ifndef LHRS_TARGET
#error "define LHRS_TARGET first; see above"
#endif

#include "common/field/kernel_set.h"

#include <cstring>

#define LHRS_STEP __attribute__((always_inline)) LHRS_TARGET static inline

namespace lhrs {

namespace {

constexpr std::size_t kLargestBlock = 64;

// Read at kLargestBlock - n + i: of n bytes, the last i are 0xff.
alignas(64) constexpr unsigned char kEdge[2 * kLargestBlock] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, //
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, //
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, //
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, //
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, //
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255 };

// Blocks of one vector.
template <class Vectors> struct OneVector {
    using Raw = typename Vectors::Vec;
    static constexpr std::size_t kBytes = Vectors::kBytes;
    static constexpr bool kHasMasks = Vectors::kHasMasks;
    LHRS_STEP Raw load(const std::byte* from) { return Vectors::load(from); }
    LHRS_STEP void store(std::byte* to, const Raw& raw) { Vectors::store(to, raw); }
    LHRS_STEP Raw plus(const Raw& x, const Raw& y) { return Vectors::plus(x, y); }
    LHRS_STEP Raw both(const Raw& x, const Raw& y) { return Vectors::both(x, y); }
    LHRS_STEP Raw loadPart(const std::byte* from, std::size_t bytes) { return Vectors::loadPart(from, bytes); }
    LHRS_STEP void storePart(std::byte* to, const Raw& raw, std::size_t bytes) { Vectors::storePart(to, raw, bytes); }
};

// Blocks of two vectors, for products that separate the low bytes of symbols from the high ones.
template <class Vectors> struct TwoVectors {
    struct Raw {
        typename Vectors::Vec first, second;
    };
    static constexpr std::size_t kBytes = 2 * Vectors::kBytes;
    static constexpr bool kHasMasks = false;
    LHRS_STEP Raw load(const std::byte* from) { return { Vectors::load(from), Vectors::load(from + Vectors::kBytes) }; }
    LHRS_STEP void store(std::byte* to, const Raw& raw)
    {
        Vectors::store(to, raw.first);
        Vectors::store(to + Vectors::kBytes, raw.second);
    }
    LHRS_STEP Raw plus(const Raw& x, const Raw& y)
    {
        return { Vectors::plus(x.first, y.first), Vectors::plus(x.second, y.second) };
    }
    LHRS_STEP Raw both(const Raw& x, const Raw& y)
    {
        return { Vectors::both(x.first, y.first), Vectors::both(x.second, y.second) };
    }
};

// Coefficient 1.
template <class Vectors> struct Same : OneVector<Vectors> {
    using Raw = typename Vectors::Vec;
    struct Factor { };
    LHRS_STEP Factor factor(const std::byte*) { return {}; }
    LHRS_STEP Raw open(const Raw& raw) { return raw; }
    LHRS_STEP Raw close(const Raw& plane) { return plane; }
    LHRS_STEP Raw product(const Raw& opened, const Factor&) { return opened; }
};

// Zeroes all but the last `bytes` bytes of the block.
template <class Products>
LHRS_STEP typename Products::Raw keepLast(const typename Products::Raw& raw, std::size_t bytes)
{
    const unsigned char* edge = kEdge + kLargestBlock - Products::kBytes + bytes;
    return Products::both(raw, Products::load(reinterpret_cast<const std::byte*>(edge)));
}

// Loads fewer bytes than a block and pads with zeros.
template <class Products> LHRS_STEP typename Products::Raw loadPart(const std::byte* from, std::size_t bytes)
{
    if constexpr (Products::kHasMasks) {
        return Products::loadPart(from, bytes);
    } else {
        alignas(kLargestBlock) std::byte copy[Products::kBytes] = {};
        std::memcpy(copy, from, bytes);
        return Products::load(copy);
    }
}

template <class Products> LHRS_STEP void storePart(std::byte* to, const typename Products::Raw& raw, std::size_t bytes)
{
    if constexpr (Products::kHasMasks) {
        Products::storePart(to, raw, bytes);
    } else {
        alignas(kLargestBlock) std::byte copy[Products::kBytes];
        Products::store(copy, raw);
        std::memcpy(to, copy, bytes);
    }
}

template <class Products>
LHRS_STEP typename Products::Raw multiply(const typename Products::Raw& raw, const typename Products::Factor& factor)
{
    return Products::close(Products::product(Products::open(raw), factor));
}

// destination ^= c * source. The tail after the last whole block is processed in one of three ways: with masks; as a
// block that ends where the region ends, with the part already done set to zero; or, for short regions, on a copy.
template <class Products>
LHRS_TARGET void multiplyAddBy(
    std::byte* destination, const std::byte* source, std::size_t bytes, const std::byte* table)
{
    const typename Products::Factor factor = Products::factor(table);
    std::size_t at = 0;
    for (; at + Products::kBytes <= bytes; at += Products::kBytes) {
        const auto product = multiply<Products>(Products::load(source + at), factor);
        Products::store(destination + at, Products::plus(Products::load(destination + at), product));
    }
    const std::size_t rest = bytes - at;
    if (rest == 0)
        return;
    if (Products::kHasMasks || at == 0) {
        const auto product = multiply<Products>(loadPart<Products>(source + at, rest), factor);
        const auto sum = Products::plus(loadPart<Products>(destination + at, rest), product);
        storePart<Products>(destination + at, sum, rest);
    } else {
        at = bytes - Products::kBytes;
        const auto product = keepLast<Products>(multiply<Products>(Products::load(source + at), factor), rest);
        Products::store(destination + at, Products::plus(Products::load(destination + at), product));
    }
}

template <class Vectors> LHRS_TARGET void xorBytes(std::byte* destination, const std::byte* source, std::size_t bytes)
{
    multiplyAddBy<Same<Vectors>>(destination, source, bytes, nullptr);
}

enum class Where { WholeBlocks, Part, End };

// Adds source j to some blocks of up to four rows. The first source is stored rather than added, which saves a tenth of
// the work over all rows.
template <class Products, int kRows, int kBlocks, Where kWhere, bool kIsFirst>
LHRS_STEP void addSource(typename Products::Plane (&sums)[kRows][kBlocks], const Combination::Row* rows, std::size_t j,
    const std::byte* from, std::size_t bytes)
{
    bool isSum = true; // every row's factor is 1: nothing is multiplied, so the preparation for products is skipped
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i)
        isSum = isSum && rows[i].multipliers[j].isXor();
    typename Products::Raw raw[kBlocks];
#pragma GCC unroll 4
    for (int block = 0; block < kBlocks; ++block) {
        const std::byte* at = from + std::size_t(block) * Products::kBytes;
        raw[block] = kWhere == Where::Part ? loadPart<Products>(at, bytes) : Products::load(at);
    }
    if (isSum) {
#pragma GCC unroll 4
        for (int block = 0; block < kBlocks; ++block) {
            const typename Products::Plane plane = Products::same(Products::open(raw[block]));
#pragma GCC unroll 4
            for (int i = 0; i < kRows; ++i)
                sums[i][block] = kIsFirst ? plane : Products::sum(sums[i][block], plane);
        }
        return;
    }
    typename Products::Opened opened[kBlocks];
#pragma GCC unroll 4
    for (int block = 0; block < kBlocks; ++block)
        opened[block] = Products::open(raw[block]);
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i) {
        const Multiplier& multiplier = rows[i].multipliers[j];
        if (multiplier.isXor()) {
#pragma GCC unroll 4
            for (int block = 0; block < kBlocks; ++block)
                sums[i][block] = kIsFirst ? Products::same(opened[block])
                                          : Products::sum(sums[i][block], Products::same(opened[block]));
            continue;
        }
        const auto factor = Products::factor(multiplier.table());
#pragma GCC unroll 4
        for (int block = 0; block < kBlocks; ++block) {
            const typename Products::Plane product = Products::product(opened[block], factor);
            sums[i][block] = kIsFirst ? product : Products::sum(sums[i][block], product);
        }
    }
}

// Some blocks of up to four rows; the sources are read once for all of them. `bytes` matters for Part and End: Part has
// that many bytes in all; End has that many new bytes at the end of the block.
template <class Products, int kRows, int kBlocks, Where kWhere>
LHRS_STEP void combineBlocks(const Combination& c, std::size_t rowFirst, std::size_t at, std::size_t bytes)
{
    const Combination::Row* rows = c.rows.data() + rowFirst;
    const std::size_t count = c.sources.size();
    std::size_t j = 0;
    while (j < count && !c.sources.data()[j])
        ++j; // zeros
    typename Products::Plane sums[kRows][kBlocks];
    if (j == count) {
#pragma GCC unroll 4
        for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
            for (int block = 0; block < kBlocks; ++block)
                sums[i][block] = Products::nothing();
        }
    } else {
        addSource<Products, kRows, kBlocks, kWhere, true>(sums, rows, j, c.sources.data()[j] + at, bytes);
        for (++j; j < count; ++j) {
            if (c.sources.data()[j])
                addSource<Products, kRows, kBlocks, kWhere, false>(sums, rows, j, c.sources.data()[j] + at, bytes);
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
        for (int block = 0; block < kBlocks; ++block) {
            std::byte* to = rows[i].destination + at + std::size_t(block) * Products::kBytes;
            auto raw = Products::close(sums[i][block]);
            if (kWhere == Where::Part) {
                if (c.isAdded)
                    raw = Products::plus(raw, loadPart<Products>(to, bytes));
                storePart<Products>(to, raw, bytes);
                continue;
            }
            if (c.isAdded)
                raw = Products::plus(kWhere == Where::End ? keepLast<Products>(raw, bytes) : raw, Products::load(to));
            Products::store(to, raw);
        }
    }
}

template <class Products, int kRows>
LHRS_TARGET void combineRows(const Combination& c, std::size_t rowFirst, std::size_t from, std::size_t to)
{
    constexpr int kBlocks = Products::kBlocks;
    std::size_t at = from;
    for (; at + kBlocks * Products::kBytes <= to; at += kBlocks * Products::kBytes)
        combineBlocks<Products, kRows, kBlocks, Where::WholeBlocks>(c, rowFirst, at, 0);
    for (; at + Products::kBytes <= to; at += Products::kBytes)
        combineBlocks<Products, kRows, 1, Where::WholeBlocks>(c, rowFirst, at, 0);
    if (at == to)
        return;
    if (Products::kHasMasks || to < Products::kBytes)
        combineBlocks<Products, kRows, 1, Where::Part>(c, rowFirst, at, to - at);
    else
        combineBlocks<Products, kRows, 1, Where::End>(c, rowFirst, to - Products::kBytes, to - at);
}

template <class Products> LHRS_TARGET void combineBy(const Combination& c)
{
    // This many bytes of each source stay in the cache for the next four rows.
    constexpr std::size_t kPart = 8192;
    const std::size_t rows = c.rows.size();
    for (std::size_t from = 0; from < c.bytes;) {
        const std::size_t to = rows > 4 && c.bytes - from > kPart ? from + kPart : c.bytes;
        for (std::size_t row = 0; row < rows; row += 4) {
            switch (rows - row) {
            case 1: combineRows<Products, 1>(c, row, from, to); break;
            case 2: combineRows<Products, 2>(c, row, from, to); break;
            case 3: combineRows<Products, 3>(c, row, from, to); break;
            default: combineRows<Products, 4>(c, row, from, to); break;
            }
        }
        from = to;
    }
}

} // namespace

} // namespace lhrs
