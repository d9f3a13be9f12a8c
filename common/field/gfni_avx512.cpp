// SPDX-License-Identifier: GPL-3.0-or-later
// GFNI on vectors of 64 bytes, with masks.
#if defined(__x86_64__)

#define LHRS_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,gfni")))
#include "common/field/gfni_products.h"

#include <immintrin.h>

namespace lhrs {

namespace {

struct Vectors {
    using Vec = __m512i;
    static constexpr std::size_t kBytes = 64;
    static constexpr int kRegisters = 32;
    static constexpr bool kHasMasks = true;

    LHRS_STEP Vec load(const std::byte* from) { return _mm512_loadu_si512(from); }
    LHRS_STEP void store(std::byte* to, Vec v) { _mm512_storeu_si512(to, v); }
    LHRS_STEP __mmask64 first(std::size_t bytes) { return ~std::uint64_t(0) >> (64 - bytes); } // 1..64
    LHRS_STEP Vec loadPart(const std::byte* from, std::size_t bytes)
    {
        return _mm512_maskz_loadu_epi8(first(bytes), from);
    }
    LHRS_STEP void storePart(std::byte* to, Vec v, std::size_t bytes) { _mm512_mask_storeu_epi8(to, first(bytes), v); }
    LHRS_STEP Vec zero() { return _mm512_setzero_si512(); }
    LHRS_STEP Vec plus(Vec x, Vec y) { return _mm512_xor_si512(x, y); }
    LHRS_STEP Vec both(Vec x, Vec y) { return _mm512_and_si512(x, y); }
    // The all-ones masks keep GCC 12 from warning about a value that it leaves undefined itself; they add no
    // instruction.
    LHRS_STEP Vec repeat(const std::byte* from)
    {
        return _mm512_maskz_broadcast_i32x4(0xffff, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    }
    LHRS_STEP Vec shuffle(Vec v, Vec places) { return _mm512_shuffle_epi8(v, places); }
    LHRS_STEP Vec swapEights(Vec v) { return _mm512_maskz_shuffle_epi32(0xffff, v, _MM_PERM_BADC); }
    LHRS_STEP Vec affine(Vec v, Vec matrix) { return _mm512_gf2p8affine_epi64_epi8(v, matrix, 0); }
};

} // namespace

const KernelSet kGfniAvx512Kernels = { &prepareGfni8, &prepareGfni16, &multiplyAddBy<Gfni8<Vectors>>,
    &multiplyAddBy<Gfni16<Vectors>>, &combineBy<Gfni8<Vectors>>, &combineBy<Gfni16<Vectors>>, &xorBytes<Vectors> };

} // namespace lhrs

#endif
