// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/keys/key_file.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lhrs {

inline constexpr std::size_t kTagBytes = 16;
using PacketTag = std::array<std::uint8_t, kTagBytes>;

// The tag of bytes in two parts, with a key: BLAKE2b. Without one: a CRC32C followed by zeros, which finds damage only.
PacketTag tagOf(const KeyBytes* key, std::string_view front, std::string_view back = {});
// Compares in a time that does not depend on where two tags differ.
bool isSameTag(const PacketTag& tag, std::string_view bytes);

// A key drawn from what both ends of a connection have contributed.
KeyBytes keyFrom(const KeyBytes& key, std::string_view contributions);
// Fills the bytes with random numbers that nobody can guess.
void fillRandomly(KeyBytes& bytes);

} // namespace lhrs
