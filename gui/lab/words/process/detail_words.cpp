// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/words/process/detail_words.h"

#include <algorithm>
#include <cctype>

namespace lhrs::gui {

std::string detailWord(pb::Detail detail)
{
    std::string word = pb::Detail_Name(detail);
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return word;
}

std::optional<pb::Detail> detailOf(std::string_view word)
{
    for (int level = pb::Detail_MIN; level <= pb::Detail_MAX; ++level)
        if (pb::Detail_IsValid(level) && detailWord(pb::Detail(level)) == word)
            return pb::Detail(level);
    return std::nullopt;
}

} // namespace lhrs::gui
