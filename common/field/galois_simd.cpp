// SPDX-License-Identifier: GPL-3.0-or-later
// Our own kernels: their selection, their names, and the preparation of coefficients.
#include "common/field/galois.h"
#include "common/field/kernel_set.h"

namespace lhrs {

namespace {

struct KernelName {
    Kernel kernel;
    std::string_view name;
};

constexpr KernelName kKernelNames[] = { { Kernel::GfniAvx512, "gfni-avx512" }, { Kernel::GfniAvx2, "gfni-avx2" },
    { Kernel::Avx2, "avx2" }, { Kernel::Ssse3, "ssse3" }, { Kernel::Portable, "portable" } };
constexpr std::string_view kSimd = "simd";

std::string kernelsHere()
{
    std::string names;
    for (const KernelName& entry : kKernelNames) {
        if (isSupported(entry.kernel))
            names += (names.empty() ? "simd:" : ", simd:") + std::string(entry.name);
    }
    return names;
}

} // namespace

Result<FieldOptions> fieldOptionsNamed(std::string_view word)
{
    FieldOptions options;
    if (word.empty())
        return options;
    if (word == "gf-complete" || word == "log") {
        options.backend = word == "log" ? Backend::Log : Backend::GfComplete;
        return options;
    }
    options.backend = Backend::Simd;
    if (word == kSimd)
        return options;
    for (const KernelName& entry : kKernelNames) {
        if (word.starts_with(kSimd) && word.substr(kSimd.size()) == ":" + std::string(entry.name)) {
            if (!isSupported(entry.kernel))
                return Error { "this processor lacks the instructions of \"" + std::string(word) + "\"; it has "
                    + kernelsHere() + ", and \"simd\" takes the best of them" };
            options.kernel = entry.kernel;
            return options;
        }
    }
    return Error { "the backend \"" + std::string(word)
        + "\" is unknown; use simd, gf-complete or log, or for one set of "
          "instructions "
        + kernelsHere() };
}

std::string nameOf(const FieldOptions& options)
{
    if (options.backend != Backend::Simd)
        return options.backend == Backend::Log ? "log" : "gf-complete";
    const bool isThere = options.kernel != Kernel::Best && isSupported(options.kernel);
    const Kernel kernel = isThere ? options.kernel : bestKernel();
    for (const KernelName& entry : kKernelNames) {
        if (entry.kernel == kernel)
            return std::string(kSimd) + ":" + std::string(entry.name);
    }
    return std::string(kSimd);
}

const KernelSet& Field::kernelsOf(const FieldOptions& options)
{
    const KernelSet* chosen = options.backend == Backend::Simd ? kernelSet(options.kernel) : nullptr;
    return chosen ? *chosen : *kernelSet(Kernel::Best);
}

void Field::prepareSimd(Symbol coefficient, std::byte* table) const
{
    const bool isWide = m_width == FieldWidth::Gf16;
    const Symbol overflow = symbolMax() + 1;
    const Symbol polynomial = isWide ? 0x1100b : 0x11d;
    std::array<std::uint16_t, 16> products {};
    for (std::size_t bit = 0; bit < 8 * symbolBytes(); ++bit) {
        products[bit] = std::uint16_t(coefficient);
        coefficient <<= 1;
        if (coefficient & overflow)
            coefficient ^= polynomial;
    }
    (isWide ? m_kernels->prepare16 : m_kernels->prepare8)(products.data(), table);
}

void Field::multiplyAddSimd(
    std::byte* destination, const std::byte* source, std::size_t bytes, const std::byte* table) const
{
    (m_width == FieldWidth::Gf16 ? m_kernels->multiplyAdd16 : m_kernels->multiplyAdd8)(
        destination, source, bytes, table);
}

void Field::combineSimd(const Combination& combination) const
{
    (m_width == FieldWidth::Gf16 ? m_kernels->combine16 : m_kernels->combine8)(combination);
}

void Field::xorInto(std::byte* destination, const std::byte* source, std::size_t bytes)
{
    static const KernelSet& kBest = *kernelSet(Kernel::Best);
    kBest.xorInto(destination, source, bytes);
}

} // namespace lhrs
