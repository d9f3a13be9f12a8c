// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace lhrs {

// Asks for memory that is about to be used, and does not wait for it. What is there is not looked at; null does no harm.
inline void fetch(const void* address) { __builtin_prefetch(address); }

// The same for a few bytes in a row: their first lines; what follows, the processor sees coming.
inline void fetch(const std::byte* bytes, std::size_t size)
{
    constexpr std::size_t kLine = 64;
    fetch(bytes);
    if (size > kLine)
        fetch(bytes + kLine);
}

} // namespace lhrs
