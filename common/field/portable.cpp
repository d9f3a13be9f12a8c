// SPDX-License-Identifier: GPL-3.0-or-later
// For every processor: eight bytes at a time in an ordinary register, bit by bit of the symbols.
#define LHRS_TARGET
#include "common/field/kernel_loops.h"

#include <bit>

namespace lhrs {

namespace {

static_assert(std::endian::native == std::endian::little, "symbols lie low byte first");

struct Vectors {
    using Vec = std::uint64_t;
    static constexpr std::size_t kBytes = 8;
    static constexpr bool kHasMasks = false;

    LHRS_STEP Vec load(const std::byte* from)
    {
        Vec v;
        std::memcpy(&v, from, sizeof v);
        return v;
    }
    LHRS_STEP void store(std::byte* to, Vec v) { std::memcpy(to, &v, sizeof v); }
    LHRS_STEP Vec plus(Vec x, Vec y) { return x ^ y; }
    LHRS_STEP Vec both(Vec x, Vec y) { return x & y; }
};

// Multiplies each bit of all symbols in the register by its product; no product extends beyond its symbol.
template <int kBits> struct Bitwise : OneVector<Vectors> {
    using Raw = std::uint64_t;
    using Plane = std::uint64_t;
    using Opened = std::uint64_t;
    static constexpr int kBlocks = 2;
    static constexpr std::uint64_t kOnes = kBits == 8 ? 0x0101010101010101 : 0x0001000100010001;
    struct Factor {
        std::uint16_t products[kBits];
    };
    LHRS_STEP Factor factor(const std::byte* table)
    {
        Factor factor;
        std::memcpy(factor.products, table, sizeof factor.products);
        return factor;
    }
    LHRS_STEP Plane nothing() { return 0; }
    LHRS_STEP Opened open(Raw raw) { return raw; }
    LHRS_STEP Raw close(Plane plane) { return plane; }
    LHRS_STEP Plane same(Opened opened) { return opened; }
    LHRS_STEP Plane sum(Plane x, Plane y) { return x ^ y; }
    LHRS_STEP Plane product(Plane plane, const Factor& factor)
    {
        Plane sum = 0;
        for (int bit = 0; bit < kBits; ++bit)
            sum ^= ((plane >> bit) & kOnes) * factor.products[bit];
        return sum;
    }
};

template <int kBits> void prepare(const std::uint16_t* products, std::byte* table)
{
    std::memcpy(table, products, kBits * sizeof *products);
}

} // namespace

const KernelSet kPortableKernels = { &prepare<8>, &prepare<16>, &multiplyAddBy<Bitwise<8>>, &multiplyAddBy<Bitwise<16>>,
    &combineBy<Bitwise<8>>, &combineBy<Bitwise<16>>, &xorBytes<Vectors> };

} // namespace lhrs
