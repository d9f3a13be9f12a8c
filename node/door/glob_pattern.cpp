// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/door/glob_pattern.h"

#include <cstddef>

namespace lhrs {

namespace {

char lowered(char c, bool ignoresCase) { return ignoresCase && c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }

// Matches one character against the pattern at `at`, which is not a star, and moves `at` behind what it used.
bool matchesOne(std::string_view pattern, std::size_t& at, char given, bool ignoresCase)
{
    const auto code = [ignoresCase](char c) { return static_cast<unsigned char>(lowered(c, ignoresCase)); };
    const unsigned char c = code(given);
    const char first = pattern[at++];
    if (first == '?')
        return true;
    if (first == '\\' && at < pattern.size())
        return code(pattern[at++]) == c;
    if (first != '[')
        return code(first) == c;
    const bool isNegated = at < pattern.size() && pattern[at] == '^';
    at += isNegated ? 1 : 0;
    bool isIn = false;
    while (at < pattern.size() && pattern[at] != ']') {
        if (pattern[at] == '\\' && at + 1 < pattern.size())
            ++at;
        unsigned char low = code(pattern[at]), high = low;
        if (at + 2 < pattern.size() && pattern[at + 1] == '-' && pattern[at + 2] != ']') {
            high = code(pattern[at + 2]);
            at += 2;
        }
        ++at;
        if (low > high)
            std::swap(low, high);
        isIn = isIn || (low <= c && c <= high);
    }
    at += at < pattern.size() ? 1 : 0; // the closing bracket
    return isIn != isNegated;
}

} // namespace

bool matchesGlob(std::string_view pattern, std::string_view text, bool ignoresCase)
{
    // Only the last star is tried again: an earlier one can take no more than what the later ones leave.
    std::size_t p = 0, t = 0, afterStar = std::string_view::npos, starText = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            afterStar = ++p;
            starText = t;
            continue;
        }
        std::size_t next = p;
        if (p < pattern.size() && matchesOne(pattern, next, text[t], ignoresCase)) {
            p = next;
            ++t;
        } else if (afterStar != std::string_view::npos) {
            p = afterStar;
            t = ++starText;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p == pattern.size();
}

} // namespace lhrs
