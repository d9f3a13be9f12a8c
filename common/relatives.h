// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"

#include <vector>

namespace lhrs {

// The buckets that may pass a request or a scan on to bucket a, or that it may pass one on to, in a file of M buckets: those that it
// was split off, at one or more removes, and those that were split off it. They are few but for the oldest buckets.
std::vector<BucketNumber> relativesOf(BucketNumber a, std::uint32_t M);

} // namespace lhrs
