// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace lhrs {

// Whether the text matches the pattern as Redis understands it: * ? [abc] [^abc] [a-z] and \ before a character. The
// time is at most the product of both lengths, whatever the pattern is.
bool matchesGlob(std::string_view pattern, std::string_view text, bool ignoresCase = false);

} // namespace lhrs
