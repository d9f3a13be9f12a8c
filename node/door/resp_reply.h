// SPDX-License-Identifier: GPL-3.0-or-later
// Writes replies of the Redis protocol, version 2, at the end of a string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lhrs::resp {

void addStatus(std::string& out, std::string_view word);
// `text` begins with the code that clients look at, for example "ERR". Line breaks in it become spaces.
void addError(std::string& out, std::string_view text);
void addInteger(std::string& out, std::int64_t number);
void addBulk(std::string& out, std::string_view bytes);
void addNil(std::string& out);
// The begin of an array; its elements follow.
void addArray(std::string& out, std::size_t count);

} // namespace lhrs::resp
