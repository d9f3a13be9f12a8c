// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/file_ids.h"

#include <vector>

namespace lhrs {

// The split lineage of bucket a in a file of M buckets: its ancestors (the bucket from which it was split, and so on)
// and its descendants (the buckets split from it). It may exchange forwarded requests and scans only with these. They
// are few, except for the oldest buckets.
std::vector<BucketNumber> splitLineageOf(BucketNumber a, std::uint32_t M);

} // namespace lhrs
