// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/field/galois.h"
#include "proto/config.pb.h"

#include <cstdint>
#include <string_view>

namespace lhrs {

// A linear digest of a record or parity field: eight bytes of fixed pseudo-random projections over the file's field
// (four symbols of GF(2^16) or eight of GF(2^8), low byte first). For any coefficients, digest(c x + d y) = c digest(x)
// + d digest(y) symbol by symbol, so the parity relation of a group holds for digests if and (but for 2^-64) only if it
// holds for the contents, which may stay where they are. Trailing zeros change nothing.
std::uint64_t linearDigest(const Field& field, std::string_view bytes);

// That of a file.
inline Field fieldOf(const pb::FileConfig& config)
{
    return Field(config.field() == pb::GF_8 ? FieldWidth::Gf8 : FieldWidth::Gf16);
}

} // namespace lhrs
