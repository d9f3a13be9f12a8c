// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/states.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace lhrs::check {

// Field arithmetic of the judge: shift and reduce, bit by bit, without a table and without a line of common/galois, so
// that a mistake there is not repeated here. Polynomials: 0x1100b and 0x11d (lhrs.md 7.1, 7.4).

// x * y.
std::uint32_t multiply(FieldKind field, std::uint32_t x, std::uint32_t y);

// The y with x * y = 1; x is not 0.
std::uint32_t inverse(FieldKind field, std::uint32_t x);

// P[position][column] of the parity matrix by its closed form (lhrs.md 7.3, 7.4).
std::uint32_t coefficient(FieldKind field, std::uint32_t position, std::uint32_t column);

// sum ^= P[position][column] * value, symbol by symbol; a value of odd length gets a zero byte in GF(2^16), and the
// sum grows as needed.
void addMember(FieldKind field, std::uint32_t position, std::uint32_t column, std::string_view value, std::string& sum);

// True when both are equal with zeros thought behind the shorter one.
bool equalPadded(std::string_view a, std::string_view b);

} // namespace lhrs::check
