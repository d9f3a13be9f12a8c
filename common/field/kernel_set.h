// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/field/galois.h"

#include <cstddef>
#include <cstdint>

namespace lhrs {

// The same few functions by one set of instructions. Lengths are in whole symbols, addresses any; nothing is read or
// written outside the regions, and regions do not overlap. All of them give the same bytes.
struct KernelSet {
    using Prepare = void(const std::uint16_t* products, std::byte* table);
    using MultiplyAdd = void(std::byte* destination, const std::byte* source, std::size_t bytes, const std::byte* table);
    using Combine = void(const Combination& combination);
    using Xor = void(std::byte* destination, const std::byte* source, std::size_t bytes);

    // What the kernels want to know of a coefficient c, from c * 2^b for each bit b of a symbol: multiplying is linear
    // over bits, so these products say everything. The table has Multiplier::kTableBytes and is aligned to 16.
    Prepare* prepare8;
    Prepare* prepare16;
    MultiplyAdd* multiplyAdd8;
    MultiplyAdd* multiplyAdd16;
    Combine* combine8;
    Combine* combine16;
    Xor* xorInto;
};

extern const KernelSet kPortableKernels;
#if defined(__x86_64__)
extern const KernelSet kSsse3Kernels;
extern const KernelSet kAvx2Kernels;
extern const KernelSet kGfniAvx2Kernels;
extern const KernelSet kGfniAvx512Kernels;
#endif

// Null where this processor lacks the instructions; Kernel::Best is always there, and chosen once.
const KernelSet* kernelSet(Kernel kernel);

} // namespace lhrs
