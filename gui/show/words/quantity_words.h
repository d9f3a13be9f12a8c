// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>

namespace lhrs::gui {

// A whole number with narrow spaces as thousands separators.
QString grouped(std::uint64_t number);
// "1 record", "2 000 records".
QString countedWords(std::uint64_t number, const char* one, const char* many);
// A duration in ns in readable form: "412 µs", "3.2 ms", "1.25 s".
QString durationWords(std::int64_t ns);

} // namespace lhrs::gui
