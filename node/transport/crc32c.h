// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace lhrs {

// CRC-32C (Castagnoli) of any number of bytes, by the processor's instruction if it has one. RFC 3720, appendix B.4 has
// examples. `before`: the checksum of the preceding bytes.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

} // namespace lhrs
