// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/field/galois.h"

#include "common/errors.h"

#include <array>
#include <cstring>
#include <vector>

namespace lhrs {

struct Field::Tables {
    Tables(Symbol polynomial, Symbol order) : log(order + 1), alog(2 * order)
    {
        Symbol x = 1;
        for (Symbol e = 0; e < order; ++e) {
            log[x] = std::uint16_t(e);
            alog[e] = alog[e + order] = std::uint16_t(x);
            x <<= 1;
            if (x > order)
                x ^= polynomial;
        }
    }
    std::vector<std::uint16_t> log; // log[0] is never read
    std::vector<std::uint16_t> alog; // twice the order long, so that a sum of two logarithms needs no modulo
};

namespace {

template <std::size_t kBytes> Symbol load(const std::byte* at)
{
    if constexpr (kBytes == 1)
        return Symbol(at[0]);
    else
        return Symbol(at[0]) | Symbol(at[1]) << 8;
}

template <std::size_t kBytes> void store(std::byte* at, Symbol value)
{
    at[0] = std::byte(value);
    if constexpr (kBytes == 2)
        at[1] = std::byte(value >> 8);
}

struct LogTables {
    const std::uint16_t* log;
    const std::uint16_t* alog;
};

// With the coefficient's logarithm looked up in advance.
template <std::size_t kBytes>
void addProductsOfLog(
    std::byte* destination, const std::byte* source, std::size_t bytes, Symbol coefficientLog, LogTables tables)
{
    for (std::size_t at = 0; at < bytes; at += kBytes) {
        const Symbol s = load<kBytes>(source + at);
        if (s)
            store<kBytes>(
                destination + at, load<kBytes>(destination + at) ^ tables.alog[tables.log[s] + coefficientLog]);
    }
}

// Multiplies each symbol by tables. `log` is read through volatile, so that no compiler hoists the lookup of the
// coefficient's logarithm out of the loop.
template <std::size_t kBytes>
void addProducts(
    std::byte* destination, const std::byte* source, std::size_t bytes, Symbol coefficient, LogTables tables)
{
    const volatile std::uint16_t* log = tables.log;
    for (std::size_t at = 0; at < bytes; at += kBytes) {
        const Symbol s = load<kBytes>(source + at);
        if (s && coefficient)
            store<kBytes>(destination + at, load<kBytes>(destination + at) ^ tables.alog[log[s] + log[coefficient]]);
    }
}

} // namespace

const Field::Tables& Field::tables(FieldWidth width)
{
    static const Tables gf8(0x11d, 0xff);
    static const Tables gf16(0x1100b, 0xffff);
    return width == FieldWidth::Gf8 ? gf8 : gf16;
}

Field::Field(FieldWidth width, FieldOptions options)
    : m_width(width), m_options(options), m_tables(&tables(width)), m_kernels(&kernelsOf(options))
{
}

Symbol Field::multiply(Symbol x, Symbol y) const
{
    LHRS_CHECK(x <= symbolMax() && y <= symbolMax());
    return x && y ? m_tables->alog[std::size_t(m_tables->log[x]) + m_tables->log[y]] : 0;
}

Symbol Field::divide(Symbol x, Symbol y) const { return multiply(x, inverse(y)); }

Symbol Field::inverse(Symbol x) const { return m_tables->alog[symbolMax() - log(x)]; }

Symbol Field::log(Symbol x) const
{
    LHRS_CHECK(x != 0 && x <= symbolMax());
    return m_tables->log[x];
}

Symbol Field::alog(std::uint32_t exponent) const { return m_tables->alog[exponent % symbolMax()]; }

Multiplier Field::prepare(Symbol coefficient) const
{
    LHRS_CHECK(coefficient <= symbolMax());
    Multiplier multiplier;
    multiplier.m_coefficient = coefficient;
    multiplier.m_isXor = coefficient == 1 && m_options.rowOfOnes;
    if (m_options.backend == Backend::Simd)
        prepareSimd(coefficient, multiplier.m_table.data());
    return multiplier;
}

void Field::multiplyAdd(std::byte* destination, const std::byte* source, std::size_t bytes, Symbol coefficient) const
{
    multiplyAdd(destination, source, bytes, prepare(coefficient));
}

void Field::multiplyAdd(
    std::byte* destination, const std::byte* source, std::size_t bytes, const Multiplier& multiplier) const
{
    LHRS_CHECK(bytes % symbolBytes() == 0);
    const Symbol coefficient = multiplier.coefficient();
    if (coefficient == 0 || bytes == 0)
        return;
    if (multiplier.isXor()) {
        xorInto(destination, source, bytes);
        return;
    }
    switch (m_options.backend) {
    case Backend::GfComplete: multiplyAddGfComplete(destination, source, bytes, coefficient); return;
    case Backend::Log: multiplyAddLog(destination, source, bytes, coefficient); return;
    case Backend::Simd: multiplyAddSimd(destination, source, bytes, multiplier.table()); return;
    }
}

void Field::combine(const Combination& combination) const
{
    LHRS_CHECK(combination.bytes % symbolBytes() == 0);
    if (combination.bytes == 0)
        return;
    if (m_options.backend == Backend::Simd) {
        combineSimd(combination);
        return;
    }
    for (const Combination::Row& row : combination.rows) {
        if (!combination.isAdded)
            std::memset(row.destination, 0, combination.bytes);
        for (std::size_t j = 0; j < combination.sources.size(); ++j) {
            if (combination.sources[j])
                multiplyAdd(row.destination, combination.sources[j], combination.bytes, row.multipliers[j]);
        }
    }
}

void Field::multiplyAddLog(std::byte* destination, const std::byte* source, std::size_t bytes, Symbol coefficient) const
{
    const LogTables tables = { m_tables->log.data(), m_tables->alog.data() };
    if (m_options.logPrecalculus) {
        const auto kernel = m_width == FieldWidth::Gf8 ? addProductsOfLog<1> : addProductsOfLog<2>;
        kernel(destination, source, bytes, log(coefficient), tables);
    } else {
        const auto kernel = m_width == FieldWidth::Gf8 ? addProducts<1> : addProducts<2>;
        kernel(destination, source, bytes, coefficient, tables);
    }
}

} // namespace lhrs
