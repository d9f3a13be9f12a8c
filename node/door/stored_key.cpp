// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/door/stored_key.h"

#include <sodium.h>

namespace lhrs {

namespace {

constexpr std::size_t kLengthBytes = 2;
constexpr unsigned char kHashKey[crypto_shorthash_siphash24_KEYBYTES] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
    14, 15 };

} // namespace

Key storeKeyOf(std::string_view key)
{
    unsigned char hash[crypto_shorthash_siphash24_BYTES];
    crypto_shorthash_siphash24(hash, reinterpret_cast<const unsigned char*>(key.data()), key.size(), kHashKey);
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < sizeof hash; ++i)
        number |= std::uint64_t(hash[i]) << (8 * i);
    return Key(number);
}

void makeRecord(std::string_view key, std::string_view value, std::string& record)
{
    record.clear();
    record.reserve(kLengthBytes + key.size() + value.size());
    record.push_back(char(key.size() >> 8));
    record.push_back(char(key.size() & 255));
    record.append(key);
    record.append(value);
}

std::optional<std::string_view> keyIn(std::string_view record)
{
    if (record.size() < kLengthBytes)
        return std::nullopt;
    const std::size_t length = std::size_t(static_cast<unsigned char>(record[0])) << 8
        | static_cast<unsigned char>(record[1]);
    if (length == 0 || length > kKeyBytesMax || record.size() - kLengthBytes < length)
        return std::nullopt;
    return record.substr(kLengthBytes, length);
}

std::optional<std::string_view> valueIn(std::string_view record, std::string_view key)
{
    if (keyIn(record) != key)
        return std::nullopt;
    return record.substr(kLengthBytes + key.size());
}

} // namespace lhrs
