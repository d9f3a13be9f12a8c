// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/field/galois.h"

#include <cstddef>
#include <cstdint>

namespace lhrs {

// The same few functions, implemented with one set of instructions. Lengths are in whole symbols; any address is
// allowed. Nothing outside the regions is read or written, and regions must not overlap. All sets compute the same
// bytes.
struct KernelSet {
    using Prepare = void(const std::uint16_t* products, std::byte* table);
    using MultiplyAdd = void(
        std::byte* destination, const std::byte* source, std::size_t bytes, const std::byte* table);
    using Combine = void(const Combination& combination);
    using Xor = void(std::byte* destination, const std::byte* source, std::size_t bytes);

    // What the kernels need for a coefficient c, from c * 2^b for each bit b of a symbol: multiplication is linear over
    // bits, so these products determine all others. The table has Multiplier::kTableBytes and is aligned to 16 bytes.
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

// Null if this processor lacks the instructions. Kernel::Best always exists and is chosen once.
const KernelSet* kernelSet(Kernel kernel);

} // namespace lhrs
