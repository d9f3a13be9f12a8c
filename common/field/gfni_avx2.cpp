// SPDX-License-Identifier: GPL-3.0-or-later
// GFNI on vectors of 32 bytes.
#if defined(__x86_64__)

#define LHRS_TARGET __attribute__((target("avx2,gfni")))
#include "common/field/gfni_products.h"

#include <immintrin.h>

namespace lhrs {

namespace {

struct Vectors {
    using Vec = __m256i;
    static constexpr std::size_t kBytes = 32;
    static constexpr int kRegisters = 16;
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
    LHRS_STEP Vec swapEights(Vec v) { return _mm256_shuffle_epi32(v, _MM_SHUFFLE(1, 0, 3, 2)); }
    LHRS_STEP Vec affine(Vec v, Vec matrix) { return _mm256_gf2p8affine_epi64_epi8(v, matrix, 0); }
};

} // namespace

const KernelSet kGfniAvx2Kernels = { &prepareGfni8, &prepareGfni16, &multiplyAddBy<Gfni8<Vectors>>,
    &multiplyAddBy<Gfni16<Vectors>>, &combineBy<Gfni8<Vectors>>, &combineBy<Gfni16<Vectors>>, &xorBytes<Vectors> };

} // namespace lhrs

#endif
