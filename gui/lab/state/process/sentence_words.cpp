// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/process/sentence_words.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace lhrs::gui {

std::string num(std::uint64_t number) { return std::to_string(number); }

std::string counted(std::uint64_t number, const char* one, const char* many)
{
    return num(number) + " " + (number == 1 ? one : many);
}

std::string millisecondsOf(std::int64_t ns)
{
    std::array<char, 32> text {};
    std::snprintf(text.data(), text.size(), ns < 10'000'000 ? "%.2f ms" : "%.0f ms", double(ns) / 1e6);
    return text.data();
}

std::string because(const std::string& reason) { return reason.empty() ? "." : ": " + reason + "."; }

std::string listed(const google::protobuf::RepeatedField<std::uint32_t>& numbers)
{
    constexpr int kShown = 6;
    std::string text;
    for (int i = 0; i < std::min(numbers.size(), kShown); ++i)
        text += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + num(numbers[i]);
    return numbers.size() > kShown ? text + " and " + num(std::uint64_t(numbers.size() - kShown)) + " more" : text;
}

} // namespace lhrs::gui
