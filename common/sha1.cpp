// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/sha1.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lhrs {

namespace {

constexpr std::size_t kBlock = 64;
using State = std::array<std::uint32_t, 5>;

// FIPS 180-4, section 6.1.2.
void take(State& state, const std::uint8_t* block)
{
    std::array<std::uint32_t, 80> w {};
    for (std::size_t t = 0; t < 16; ++t)
        w[t] = std::uint32_t(block[4 * t]) << 24 | std::uint32_t(block[4 * t + 1]) << 16
            | std::uint32_t(block[4 * t + 2]) << 8 | std::uint32_t(block[4 * t + 3]);
    for (std::size_t t = 16; t < w.size(); ++t)
        w[t] = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    auto [a, b, c, d, e] = state;
    for (std::size_t t = 0; t < w.size(); ++t) {
        const std::uint32_t f = t < 20 ? (b & c) ^ (~b & d)
            : t < 40 || t >= 60        ? b ^ c ^ d
                                       : (b & c) ^ (b & d) ^ (c & d);
        const std::uint32_t k = t < 20 ? 0x5a827999 : t < 40 ? 0x6ed9eba1 : t < 60 ? 0x8f1bbcdc : 0xca62c1d6;
        const std::uint32_t sum = std::rotl(a, 5) + f + e + k + w[t];
        e = d;
        d = c;
        c = std::rotl(b, 30);
        b = a;
        a = sum;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

} // namespace

std::array<std::uint8_t, 20> sha1(std::string_view bytes)
{
    State state { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
    const std::uint64_t bits = std::uint64_t(bytes.size()) * 8;
    std::array<std::uint8_t, kBlock> block {};
    for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock)) {
        std::memcpy(block.data(), bytes.data(), kBlock);
        take(state, block.data());
    }
    // The rest, a one bit, zeros, and the length in bits in the last eight bytes.
    block.fill(0);
    std::copy(bytes.begin(), bytes.end(), block.begin());
    block[bytes.size()] = 0x80;
    if (bytes.size() + 9 > kBlock) {
        take(state, block.data());
        block.fill(0);
    }
    for (std::size_t i = 0; i < 8; ++i)
        block[kBlock - 1 - i] = std::uint8_t(bits >> (8 * i));
    take(state, block.data());
    std::array<std::uint8_t, 20> digest {};
    for (std::size_t i = 0; i < digest.size(); ++i)
        digest[i] = std::uint8_t(state[i / 4] >> (24 - 8 * (i % 4)));
    return digest;
}

} // namespace lhrs
