// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/lhrs/states.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace lhrs::check {

// The checker's own field arithmetic: shift and reduce, bit by bit, without tables. It shares no code with
// common/field/galois, so that a mistake there is not repeated here. Polynomials: 0x1100b and 0x11d.

// x * y.
std::uint32_t multiply(FieldKind field, std::uint32_t x, std::uint32_t y);

// The y with x * y = 1; x must not be 0.
std::uint32_t inverse(FieldKind field, std::uint32_t x);

// P[position][column] of the parity matrix, by its closed form.
std::uint32_t coefficient(FieldKind field, std::uint32_t position, std::uint32_t column);

// sum ^= P[position][column] * value, symbol by symbol. In GF(2^16) a value of odd length is padded with a zero byte.
// The sum grows as needed.
void addMember(FieldKind field, std::uint32_t position, std::uint32_t column, std::string_view value, std::string& sum);

// True when both are equal after the shorter one is padded with zeros.
bool equalPadded(std::string_view a, std::string_view b);

} // namespace lhrs::check
