// SPDX-License-Identifier: GPL-3.0-or-later
// Half bytes are looked up in vectors of 32 bytes.
#if defined(__x86_64__)

#define LHRS_TARGET __attribute__((target("avx2")))
#include "common/field/nibble_products.h"

#include <immintrin.h>

namespace lhrs {

namespace {

struct Vectors {
    using Vec = __m256i;
    static constexpr std::size_t kBytes = 32;
    static constexpr bool kHasMasks = false;

    LHRS_STEP Vec load(const std::byte* from) { return _mm256_loadu_si256(reinterpret_cast<const Vec*>(from)); }
    LHRS_STEP void store(std::byte* to, Vec v) { _mm256_storeu_si256(reinterpret_cast<Vec*>(to), v); }
    LHRS_STEP Vec zero() { return _mm256_setzero_si256(); }
    LHRS_STEP Vec plus(Vec x, Vec y) { return _mm256_xor_si256(x, y); }
    LHRS_STEP Vec both(Vec x, Vec y) { return _mm256_and_si256(x, y); }
    LHRS_STEP Vec repeat(const std::byte* from)
    {
        return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    }
    LHRS_STEP Vec shuffle(Vec v, Vec places) { return _mm256_shuffle_epi8(v, places); }
    LHRS_STEP Vec lowNibbles(Vec v) { return both(v, _mm256_set1_epi8(15)); }
    LHRS_STEP Vec highNibbles(Vec v) { return both(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(15)); }
    // All four work within lanes of 16 bytes, so separating and recombining the bytes restores their order.
    LHRS_STEP Vec lowBytes(Vec x, Vec y)
    {
        const Vec low = _mm256_set1_epi16(255);
        return _mm256_packus_epi16(both(x, low), both(y, low));
    }
    LHRS_STEP Vec highBytes(Vec x, Vec y)
    {
        return _mm256_packus_epi16(_mm256_srli_epi16(x, 8), _mm256_srli_epi16(y, 8));
    }
    LHRS_STEP Vec mixFirst(Vec low, Vec high) { return _mm256_unpacklo_epi8(low, high); }
    LHRS_STEP Vec mixSecond(Vec low, Vec high) { return _mm256_unpackhi_epi8(low, high); }
};

} // namespace

const KernelSet kAvx2Kernels = { &prepareNibbles<2>, &prepareNibbles<4>, &multiplyAddBy<Nibble8<Vectors>>,
    &multiplyAddBy<Nibble16<Vectors>>, &combineBy<Nibble8<Vectors>>, &combineBy<Nibble16<Vectors>>,
    &xorBytes<Vectors> };

} // namespace lhrs

#endif
