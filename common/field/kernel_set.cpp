// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/field/kernel_set.h"

#include <array>

namespace lhrs {

namespace {

bool hasInstructions(Kernel kernel)
{
#if defined(__x86_64__)
    // These checks also cover whether the operating system saves the registers.
    const bool hasAvx2 = __builtin_cpu_supports("avx2");
    switch (kernel) {
    case Kernel::Best:
    case Kernel::Portable: return true;
    case Kernel::Ssse3: return __builtin_cpu_supports("ssse3");
    case Kernel::Avx2: return hasAvx2;
    case Kernel::GfniAvx2: return hasAvx2 && __builtin_cpu_supports("gfni");
    case Kernel::GfniAvx512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
            && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("gfni");
    }
    return false;
#else
    return kernel == Kernel::Best || kernel == Kernel::Portable;
#endif
}

const KernelSet* setOf(Kernel kernel)
{
    switch (kernel) {
#if defined(__x86_64__)
    case Kernel::GfniAvx512: return &kGfniAvx512Kernels;
    case Kernel::GfniAvx2: return &kGfniAvx2Kernels;
    case Kernel::Avx2: return &kAvx2Kernels;
    case Kernel::Ssse3: return &kSsse3Kernels;
#else
    case Kernel::GfniAvx512:
    case Kernel::GfniAvx2:
    case Kernel::Avx2:
    case Kernel::Ssse3:
#endif
    case Kernel::Best:
    case Kernel::Portable: break;
    }
    return &kPortableKernels;
}

constexpr std::array kBestFirst = { Kernel::GfniAvx512, Kernel::GfniAvx2, Kernel::Avx2, Kernel::Ssse3,
    Kernel::Portable };

Kernel best()
{
    for (const Kernel kernel : kBestFirst) {
        if (hasInstructions(kernel))
            return kernel;
    }
    return Kernel::Portable;
}

} // namespace

Kernel bestKernel()
{
    static const Kernel kBest = best();
    return kBest;
}

const KernelSet* kernelSet(Kernel kernel)
{
    if (kernel == Kernel::Best)
        kernel = bestKernel();
    return hasInstructions(kernel) ? setOf(kernel) : nullptr;
}

bool isSupported(Kernel kernel) { return hasInstructions(kernel); }

} // namespace lhrs
