// SPDX-License-Identifier: GPL-3.0-or-later
// Half bytes are looked up in vectors of 16 bytes.
#if defined(__x86_64__)

#define LHRS_TARGET __attribute__((target("ssse3")))
#include "common/field/nibble_products.h"

#include <immintrin.h>

namespace lhrs {

namespace {

struct Vectors {
    using Vec = __m128i;
    static constexpr std::size_t kBytes = 16;
    static constexpr bool kHasMasks = false;

    LHRS_STEP Vec load(const std::byte* from) { return _mm_loadu_si128(reinterpret_cast<const Vec*>(from)); }
    LHRS_STEP void store(std::byte* to, Vec v) { _mm_storeu_si128(reinterpret_cast<Vec*>(to), v); }
    LHRS_STEP Vec zero() { return _mm_setzero_si128(); }
    LHRS_STEP Vec plus(Vec x, Vec y) { return _mm_xor_si128(x, y); }
    LHRS_STEP Vec both(Vec x, Vec y) { return _mm_and_si128(x, y); }
    LHRS_STEP Vec repeat(const std::byte* from) { return load(from); }
    LHRS_STEP Vec shuffle(Vec v, Vec places) { return _mm_shuffle_epi8(v, places); }
    LHRS_STEP Vec lowNibbles(Vec v) { return both(v, _mm_set1_epi8(15)); }
    LHRS_STEP Vec highNibbles(Vec v) { return both(_mm_srli_epi16(v, 4), _mm_set1_epi8(15)); }
    LHRS_STEP Vec lowBytes(Vec x, Vec y)
    {
        const Vec low = _mm_set1_epi16(255);
        return _mm_packus_epi16(both(x, low), both(y, low));
    }
    LHRS_STEP Vec highBytes(Vec x, Vec y) { return _mm_packus_epi16(_mm_srli_epi16(x, 8), _mm_srli_epi16(y, 8)); }
    LHRS_STEP Vec mixFirst(Vec low, Vec high) { return _mm_unpacklo_epi8(low, high); }
    LHRS_STEP Vec mixSecond(Vec low, Vec high) { return _mm_unpackhi_epi8(low, high); }
};

} // namespace

const KernelSet kSsse3Kernels = { &prepareNibbles<2>, &prepareNibbles<4>, &multiplyAddBy<Nibble8<Vectors>>,
    &multiplyAddBy<Nibble16<Vectors>>, &combineBy<Nibble8<Vectors>>, &combineBy<Nibble16<Vectors>>,
    &xorBytes<Vectors> };

} // namespace lhrs

#endif
