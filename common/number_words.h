// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as words in files, options and other programs: with a decimal point, whatever the user's locale is.
#pragma once

#include "common/errors.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace lhrs {

// The shortest word without an exponent that reads back as exactly this number, e.g. 0.5.
template <class T> std::string numberWord(T value)
{
    std::array<char, 400> text; // 1.7e308 has 309 digits, 5e-324 has 326 characters
    if constexpr (std::is_floating_point_v<T>)
        return { text.data(),
            std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr };
    else
        return { text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr };
}

// The number that the whole word denotes, from low to high. A word that is not a number, is NaN, is out of range, or
// has a unit gives an Error: "WORD" is not WHAT from LOW to HIGH.
template <class T> Result<T> readNumber(std::string_view word, T low, T high, std::string_view what = "a number")
{
    T value {};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !(value >= low && value <= high))
        return Error { '"' + std::string(word) + "\" is not " + std::string(what) + " from " + numberWord(low) + " to "
            + numberWord(high) };
    return value;
}

// The seed that the word denotes: a 64-bit number, decimal or, with 0x, hexadecimal.
inline Result<std::uint64_t> readSeed(std::string_view word)
{
    const bool isHex = word.starts_with("0x");
    const std::string_view digits = isHex ? word.substr(2) : word;
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seed, isHex ? 16 : 10);
    if (error != std::errc() || end != digits.data() + digits.size())
        return Error { '"' + std::string(word) + "\" is not a seed; write a number such as 7 or 0x5e1f09, below 2^64" };
    return seed;
}

} // namespace lhrs
