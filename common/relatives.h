// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"

#include <vector>

namespace lhrs {

// The buckets with which bucket a may exchange forwarded requests and scans, in a file of M buckets. They are its
// ancestors (the bucket it was split from, and so on) and its descendants (the buckets split from it). They are few,
// except for the oldest buckets.
std::vector<BucketNumber> relativesOf(BucketNumber a, std::uint32_t M);

} // namespace lhrs
