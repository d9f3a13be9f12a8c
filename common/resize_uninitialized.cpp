// SPDX-License-Identifier: GPL-3.0-or-later
// The only C++23 file; it needs a function of std::string from that standard.
#include "common/resize_uninitialized.h"

namespace lhrs {

void resizeUninitialized(std::string& text, std::size_t size)
{
    // The size that libstdc++ 12 passes to the callback is the new capacity, which may be larger.
    text.resize_and_overwrite(size, [size](char*, std::size_t) { return size; });
}

} // namespace lhrs
