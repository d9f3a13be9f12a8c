// SPDX-License-Identifier: GPL-3.0-or-later
// The only file of C++23, for this one function of std::string.
#include "common/room.h"

namespace lhrs {

void resizeUnfilled(std::string& text, std::size_t size)
{
    // What libstdc++ 12 hands over as the size is the new capacity, which may be larger.
    text.resize_and_overwrite(size, [size](char*, std::size_t) { return size; });
}

} // namespace lhrs
