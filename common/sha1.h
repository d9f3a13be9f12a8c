// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace lhrs {

// SHA-1 (FIPS 180-4). It is used only to spread names over a ring of ids, as the lookup thesis does; for anything that
// must be secure, it is broken.
std::array<std::uint8_t, 20> sha1(std::string_view bytes);

} // namespace lhrs
