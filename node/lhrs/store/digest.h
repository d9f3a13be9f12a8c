// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/field/galois.h"
#include "proto/config.pb.h"

#include <cstdint>
#include <string_view>

namespace lhrs {

// A linear digest of a record or parity field: eight bytes of fixed pseudo-random projections over the file's field
// (four symbols of GF(2^16) or eight of GF(2^8), low byte first). For any coefficients, digest(c x + d y) = c digest(x)
// + d digest(y), symbol by symbol. So if the parity relation of a group holds for the contents, it also holds for the
// digests; the converse fails with probability 2^-64. The contents themselves need not be sent. Trailing zeros do not
// change the digest.
std::uint64_t linearDigest(const Field& field, std::string_view bytes);

// The field that the file is configured to use.
inline Field fieldOf(const pb::FileConfig& config)
{
    return Field(config.field() == pb::GF_8 ? FieldWidth::Gf8 : FieldWidth::Gf16);
}

} // namespace lhrs
