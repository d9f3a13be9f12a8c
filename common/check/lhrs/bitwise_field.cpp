// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/check/lhrs/bitwise_field.h"

#include <algorithm>
#include <cstring>

namespace lhrs::check {

namespace {

struct Shape {
    unsigned bits; // bits of a symbol
    std::uint32_t reducer; // the polynomial
};

constexpr Shape shapeOf(FieldKind field)
{
    return field == FieldKind::Gf16 ? Shape { 16, 0x1100b } : Shape { 8, 0x11d };
}

// Several symbols packed in one word, each multiplied by 2.
std::uint64_t doubled(FieldKind field, std::uint64_t symbols)
{
    if (field == FieldKind::Gf16) {
        const std::uint64_t tops = (symbols >> 15) & 0x0001000100010001;
        return ((symbols & 0x7fff7fff7fff7fff) << 1) ^ (tops * 0x100b);
    }
    const std::uint64_t tops = (symbols >> 7) & 0x0101010101010101;
    return ((symbols & 0x7f7f7f7f7f7f7f7f) << 1) ^ (tops * 0x1d);
}

// Eight bytes of the value from `offset`, padded with zeros; the first byte is the lowest.
std::uint64_t wordAt(std::string_view value, std::size_t offset)
{
    std::uint64_t word = 0;
    const std::size_t bytes = std::min<std::size_t>(8, value.size() - offset);
    for (std::size_t i = 0; i < bytes; ++i)
        word |= std::uint64_t(std::uint8_t(value[offset + i])) << (8 * i);
    return word;
}

} // namespace

std::uint32_t multiply(FieldKind field, std::uint32_t x, std::uint32_t y)
{
    const auto [bits, reducer] = shapeOf(field);
    std::uint32_t product = 0;
    for (unsigned bit = bits; bit-- > 0;) {
        product <<= 1;
        if (product >> bits)
            product ^= reducer;
        if ((y >> bit) & 1)
            product ^= x;
    }
    return product;
}

std::uint32_t inverse(FieldKind field, std::uint32_t x)
{
    // x^(2^bits - 2): the exponent is all ones except its last bit.
    std::uint32_t power = x;
    std::uint32_t result = 1;
    for (unsigned bit = 1; bit < shapeOf(field).bits; ++bit) {
        power = multiply(field, power, power);
        result = multiply(field, result, power);
    }
    return result;
}

std::uint32_t coefficient(FieldKind field, std::uint32_t position, std::uint32_t column)
{
    if (field == FieldKind::Gf8) {
        if (column == 0)
            return 1;
        const std::uint32_t y = 128 + column;
        return multiply(field, y, inverse(field, y ^ position));
    }
    const std::uint32_t y = 32 + column;
    const std::uint32_t above = multiply(field, y, 32 ^ position);
    const std::uint32_t below = multiply(field, y ^ position, 32);
    return multiply(field, above, inverse(field, below));
}

void addMember(FieldKind field, std::uint32_t position, std::uint32_t column, std::string_view value, std::string& sum)
{
    const std::size_t symbolBytes = field == FieldKind::Gf16 ? 2 : 1;
    const std::size_t padded = (value.size() + symbolBytes - 1) / symbolBytes * symbolBytes;
    if (sum.size() < padded)
        sum.resize(padded, '\0');
    const std::uint32_t factor = coefficient(field, position, column);
    for (std::size_t offset = 0; offset < value.size(); offset += 8) {
        const std::uint64_t symbols = wordAt(value, offset);
        std::uint64_t product = 0;
        for (unsigned bit = shapeOf(field).bits; bit-- > 0;) {
            product = doubled(field, product);
            if ((factor >> bit) & 1)
                product ^= symbols;
        }
        const std::size_t bytes = std::min<std::size_t>(8, padded - offset);
        for (std::size_t i = 0; i < bytes; ++i)
            sum[offset + i] = char(std::uint8_t(sum[offset + i]) ^ std::uint8_t(product >> (8 * i)));
    }
}

bool equalPadded(std::string_view a, std::string_view b)
{
    if (a.size() < b.size())
        std::swap(a, b);
    if (!b.empty() && std::memcmp(a.data(), b.data(), b.size()) != 0)
        return false;
    return std::all_of(a.begin() + std::ptrdiff_t(b.size()), a.end(), [](char c) { return c == '\0'; });
}

} // namespace lhrs::check
