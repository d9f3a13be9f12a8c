// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <type_traits>

namespace lhrs::check {

// Concatenates its parts, numbers included, into one sentence: say("key ", 7, " is missing").
template <class... Parts> std::string say(const Parts&... parts)
{
    std::string text;
    const auto add = [&text](const auto& part) {
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(part)>>)
            text += std::to_string(part);
        else
            text += part;
    };
    (add(parts), ...);
    return text;
}

} // namespace lhrs::check
