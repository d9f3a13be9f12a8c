// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of bytes in a store whose keys are numbers. The number is a hash of the key, and the record holds the key before
// the value, so that a reader notices when another key has the same hash.
//
//   record = length of the key (2 bytes, network order), key, value
#pragma once

#include "common/ids.h"

#include <optional>
#include <string>
#include <string_view>

namespace lhrs {

inline constexpr std::size_t kKeyBytesMax = 4'096; // of a key given by a client
inline constexpr std::size_t kDoorValueMax = 60'000; // of a value; with the longest key it fits in a record

// SipHash-2-4 of the key with the 16 bytes 00 01 .. 0f, read as a little-endian number: every client of a store must
// find the same record, so these bytes never change. They are known to everybody, so whoever can choose keys can make
// two that collide; the later one then takes the place of the earlier one, which is not found any more.
Key storeKeyOf(std::string_view key);

// Writes the record of a key into `record`, whose memory is reused.
void makeRecord(std::string_view key, std::string_view value, std::string& record);

// The key in a record; nothing if the record was not made by makeRecord().
std::optional<std::string_view> keyIn(std::string_view record);

// The value in a record of this key; nothing if the record is of another key.
std::optional<std::string_view> valueIn(std::string_view record, std::string_view key);

} // namespace lhrs
