// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/store/digest.h"

#include <array>

namespace lhrs {

namespace {

std::uint64_t mixed(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

} // namespace

std::uint64_t linearDigest(const Field& field, std::string_view bytes)
{
    const std::size_t width = field.symbolBytes();
    std::array<Symbol, 8> sums {};
    for (std::size_t x = 0; x * width < bytes.size(); ++x) {
        Symbol symbol = std::uint8_t(bytes[x * width]);
        if (width == 2 && x * width + 1 < bytes.size())
            symbol = Symbol(symbol | Symbol(std::uint8_t(bytes[x * width + 1])) << 8);
        if (symbol == 0)
            continue;
        const std::uint64_t weights = mixed(x); // all projections of the symbol at this place
        for (std::size_t t = 0; t < 8 / width; ++t) {
            const auto weight = Symbol((weights >> (8 * width * t)) & field.symbolMax());
            sums[t] = Symbol(sums[t] ^ field.multiply(symbol, weight));
        }
    }
    std::uint64_t digest = 0;
    for (std::size_t t = 0; t < 8 / width; ++t)
        digest |= std::uint64_t(sums[t]) << (8 * width * t);
    return digest;
}

} // namespace lhrs
