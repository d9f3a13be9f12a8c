// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/transport/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

namespace lhrs {

namespace {

constexpr std::array<std::uint32_t, 256> crcTable()
{
    std::array<std::uint32_t, 256> table {};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        table[i] = i;
        for (int bit = 0; bit < 8; ++bit)
            table[i] = (table[i] >> 1) ^ ((table[i] & 1) != 0 ? 0x82f63b78u : 0u);
    }
    return table;
}

constexpr auto kTable = crcTable();

std::uint32_t crcByTable(std::string_view bytes, std::uint32_t before)
{
    std::uint32_t crc = ~before;
    for (const char byte : bytes)
        crc = (crc >> 8) ^ kTable[(crc ^ std::uint8_t(byte)) & 0xff];
    return ~crc;
}

#ifdef __x86_64__

// The instruction takes three cycles, and a new one can start in each cycle. So long inputs are read in three lanes of
// this many bytes.
constexpr std::size_t kLane = 2'048;

// The effect of a lane of zeros on a remainder. It is linear in the bits of the remainder, so it is tabulated for each
// of its four bytes.
class AfterLane {
public:
    AfterLane()
    {
        for (std::size_t byte = 0; byte < 4; ++byte) {
            for (std::uint32_t bit = 0; bit < 8; ++bit) {
                std::uint32_t crc = 1u << (8 * byte + bit);
                for (std::size_t i = 0; i < kLane; ++i)
                    crc = (crc >> 8) ^ kTable[crc & 0xff];
                for (std::uint32_t value = 1u << bit; value < 2u << bit; ++value)
                    m_sums[byte][value] = crc ^ m_sums[byte][value - (1u << bit)];
            }
        }
    }
    std::uint32_t of(std::uint32_t crc) const
    {
        return m_sums[0][crc & 0xff] ^ m_sums[1][crc >> 8 & 0xff] ^ m_sums[2][crc >> 16 & 0xff] ^ m_sums[3][crc >> 24];
    }

private:
    std::array<std::array<std::uint32_t, 256>, 4> m_sums {};
};

std::uint64_t wordAt(const char* at)
{
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
}

__attribute__((target("sse4.2"))) std::uint32_t crcByInstruction(std::string_view bytes, std::uint32_t before)
{
    std::uint64_t crc = std::uint32_t(~before);
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 3 * kLane; at += 3 * kLane, left -= 3 * kLane) {
        static const AfterLane kAfterLane;
        std::uint64_t second = 0, third = 0;
        for (std::size_t i = 0; i < kLane; i += 8) {
            crc = _mm_crc32_u64(crc, wordAt(at + i));
            second = _mm_crc32_u64(second, wordAt(at + kLane + i));
            third = _mm_crc32_u64(third, wordAt(at + 2 * kLane + i));
        }
        crc = kAfterLane.of(kAfterLane.of(std::uint32_t(crc)) ^ std::uint32_t(second)) ^ std::uint32_t(third);
    }
    for (; left >= 8; at += 8, left -= 8)
        crc = _mm_crc32_u64(crc, wordAt(at));
    for (; left > 0; ++at, --left)
        crc = _mm_crc32_u8(std::uint32_t(crc), std::uint8_t(*at));
    return ~std::uint32_t(crc);
}

#endif

} // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before)
{
#ifdef __x86_64__
    static const bool kHasInstruction = __builtin_cpu_supports("sse4.2") != 0;
    if (kHasInstruction)
        return crcByInstruction(bytes, before);
#endif
    return crcByTable(bytes, before);
}

} // namespace lhrs
