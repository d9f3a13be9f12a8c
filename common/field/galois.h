// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lhrs {

// An element of the field, 0..2^f-1.
using Symbol = std::uint32_t;

// GF(2^f). Gf16: polynomial 0x1100b, the field of the demo paper's matrix. Gf8: 0x11d.
enum class FieldWidth { Gf8 = 8, Gf16 = 16 };

// The implementation of d ^= c*s. Every backend computes the same bytes. Simd: our own kernels.
enum class Backend { Simd, GfComplete, Log };

// The instructions that Simd uses. Best: the last of these that this processor supports.
enum class Kernel { Best, Portable, Ssse3, Avx2, GfniAvx2, GfniAvx512 };

bool isSupported(Kernel kernel);
Kernel bestKernel();

// Options for the experiments E1 and E2; they change the running time but never the result.
struct FieldOptions {
    Backend backend = Backend::Simd;
    // Log only: the coefficient's logarithm is looked up once per region (2003 report 3.1); off: once per symbol.
    bool logPrecalculus = true;
    // Coefficient 1 is plain XOR (2003 report 3.2). Off ("pure RS"): 1 is multiplied like any other coefficient; only
    // with Log and Simd, since gf-complete always uses XOR for 1.
    bool rowOfOnes = true;
    // Simd only. Unsupported instructions are replaced by the best supported ones, which compute the same bytes.
    Kernel kernel = Kernel::Best;
};

// The options for a word given by the user: "simd", "simd:avx2" (those instructions), "gf-complete" or "log"; empty:
// the default. Error: an unknown word, or instructions that this processor lacks.
Result<FieldOptions> fieldOptionsNamed(std::string_view word);
// The word for these options, with the instructions actually used: "simd:gfni-avx512".
std::string nameOf(const FieldOptions& options);

// A coefficient prepared for regions: what its backend needs is computed once (Field::prepare).
class Multiplier {
public:
    static constexpr std::size_t kTableBytes = 128;

    Multiplier() = default; // coefficient 0
    Symbol coefficient() const { return m_coefficient; }
    // Coefficient 1, computed as plain XOR.
    bool isXor() const { return m_isXor; }
    // Simd: the kernel's table for the coefficient.
    const std::byte* table() const { return m_table.data(); }

private:
    friend class Field;
    Symbol m_coefficient = 0;
    bool m_isXor = false;
    alignas(16) std::array<std::byte, kTableBytes> m_table {};
};

// Several regions computed from the same sources in one pass over them. With isAdded: destination ^= sum, else
// destination = sum, where sum is the sum of multipliers[j] * sources[j]. A null source stands for zeros.
struct Combination {
    struct Row {
        std::byte* destination;
        const Multiplier* multipliers; // one for each source
    };
    std::span<const Row> rows;
    std::span<const std::byte* const> sources;
    std::size_t bytes = 0; // length of each region
    bool isAdded = false;
};

struct KernelSet;

// The field in which a machine computes: single symbols by tables of logarithms, regions of bytes by the chosen
// backend. It is a value of a few words; the tables are shared by all fields of one width and never change after
// construction.
class Field {
public:
    explicit Field(FieldWidth width, FieldOptions options = {});

    FieldWidth width() const { return m_width; }
    const FieldOptions& options() const { return m_options; }
    // 1 or 2. A symbol of two bytes is stored low byte first.
    std::size_t symbolBytes() const { return m_width == FieldWidth::Gf8 ? 1 : 2; }
    // 255 or 65535: the largest symbol and also the order of the generator 2.
    Symbol symbolMax() const { return m_width == FieldWidth::Gf8 ? 0xff : 0xffff; }
    // Length rounded up to whole symbols; the padding is treated as zero.
    std::size_t paddedLength(std::size_t bytes) const { return bytes + bytes % symbolBytes(); }

    // Single symbols. Checks: no division by 0, no inverse or logarithm of 0, no symbol above symbolMax().
    Symbol multiply(Symbol x, Symbol y) const;
    Symbol divide(Symbol x, Symbol y) const;
    Symbol inverse(Symbol x) const;
    // The exponent e in 0..symbolMax()-1 with 2^e = x.
    Symbol log(Symbol x) const;
    // 2^exponent for any exponent.
    Symbol alog(std::uint32_t exponent) const;

    // destination ^= coefficient * source, symbol by symbol. `bytes` must be a multiple of symbolBytes() (check; see
    // paddedLength). Both addresses may be unaligned, even odd; the regions must not overlap. Allocates nothing.
    void multiplyAdd(std::byte* destination, const std::byte* source, std::size_t bytes, Symbol coefficient) const;
    // The same with a multiplier that was prepared by a field of the same width and options.
    void multiplyAdd(
        std::byte* destination, const std::byte* source, std::size_t bytes, const Multiplier& multiplier) const;
    Multiplier prepare(Symbol coefficient) const;

    // Regions as for multiplyAdd; no destination overlaps another region. Allocates nothing.
    void combine(const Combination& combination) const;

    // destination ^= source for any number of bytes at any addresses; the regions must not overlap.
    static void xorInto(std::byte* destination, const std::byte* source, std::size_t bytes);

private:
    struct Tables;
    static const Tables& tables(FieldWidth width);
    void multiplyAddLog(std::byte* destination, const std::byte* source, std::size_t bytes, Symbol coefficient) const;
    // In galois_gf_complete.cpp.
    void multiplyAddGfComplete(
        std::byte* destination, const std::byte* source, std::size_t bytes, Symbol coefficient) const;
    // In galois_simd.cpp.
    static const KernelSet& kernelsOf(const FieldOptions& options);
    void prepareSimd(Symbol coefficient, std::byte* table) const;
    void multiplyAddSimd(
        std::byte* destination, const std::byte* source, std::size_t bytes, const std::byte* table) const;
    void combineSimd(const Combination& combination) const;

    FieldWidth m_width;
    FieldOptions m_options;
    const Tables* m_tables; // static, never null
    const KernelSet* m_kernels; // static, never null
};

} // namespace lhrs
