// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>

namespace lhrs {

// Like resize(), but what is added has no values yet: for bytes that are written over at once. To fill megabytes with zeros before
// that was a twentieth of a recovery.
void resizeUnfilled(std::string& text, std::size_t size);

} // namespace lhrs
