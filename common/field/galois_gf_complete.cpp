// SPDX-License-Identifier: GPL-3.0-or-later
// The reference backend; the only file that includes gf-complete.
#include "common/errors.h"
#include "common/field/galois.h"

#include <algorithm>
#include <bit>
#include <cstring>

extern "C" {
#include <gf_complete.h>
}

namespace lhrs {

namespace {

static_assert(std::endian::native == std::endian::little, "gf-complete's symbols have the machine's byte order");

// gf-complete's description of a field. It takes 0.1 to 0.5 MB and about 1 ms to make, so there is one per width. Its
// default mode keeps a region's tables on the stack and writes nothing here, so threads may share it.
struct Reference {
    explicit Reference(int width) { LHRS_CHECK(gf_init_easy(&gf, width) != 0); } // 0: out of memory
    gf_t gf;
};

gf_t& reference(FieldWidth width)
{
    if (width == FieldWidth::Gf8) {
        static Reference gf8(8); // its default polynomial is 0x11d
        return gf8.gf;
    }
    static Reference gf16(16); // 0x1100b
    return gf16.gf;
}

constexpr std::size_t kAlignment = 16;
constexpr std::size_t kBlockBytes = 4096;
constexpr std::size_t kDirectBytesMax = std::size_t(1) << 30; // gf-complete counts bytes in an int

// gf-complete ends the process if the addresses differ modulo 16 or are not multiples of the symbol size. In a region
// shorter than the distance from an unaligned address to the next aligned one, it runs past the end.
bool isSuitable(const std::byte* destination, const std::byte* source)
{
    return reinterpret_cast<std::uintptr_t>(destination) % kAlignment == 0
        && reinterpret_cast<std::uintptr_t>(source) % kAlignment == 0;
}

void multiplyRegion(
    gf_t& gf, std::byte* destination, const std::byte* source, std::size_t bytes, Symbol coefficient, bool isAdded)
{
    // The source is only read, but the C interface has no const.
    gf.multiply_region.w32(&gf, const_cast<std::byte*>(source), destination, coefficient, int(bytes), isAdded);
}

} // namespace

void Field::multiplyAddGfComplete(
    std::byte* destination, const std::byte* source, std::size_t bytes, Symbol coefficient) const
{
    gf_t& gf = reference(m_width);
    if (isSuitable(destination, source)) {
        for (std::size_t done = 0; done < bytes;) {
            const std::size_t part = std::min(bytes - done, kDirectBytesMax);
            multiplyRegion(gf, destination + done, source + done, part, coefficient, true);
            done += part;
        }
        return;
    }
    alignas(kAlignment) std::byte factors[kBlockBytes];
    alignas(kAlignment) std::byte products[kBlockBytes];
    for (std::size_t done = 0; done < bytes;) {
        const std::size_t part = std::min(bytes - done, kBlockBytes);
        std::memcpy(factors, source + done, part);
        multiplyRegion(gf, products, factors, part, coefficient, false);
        xorInto(destination + done, products, part);
        done += part;
    }
}

} // namespace lhrs
