// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/lhrs/split_lineage.h"

#include <bit>
#include <cstdint>

namespace lhrs {

std::vector<BucketNumber> splitLineageOf(BucketNumber a, std::uint32_t M)
{
    std::vector<BucketNumber> lineage;
    for (std::uint32_t ancestor = a.value; ancestor != 0;) {
        ancestor -= std::bit_floor(ancestor);
        lineage.emplace_back(ancestor);
    }
    // A bucket that was created at level j is first split at level j, so its descendants differ from it by multiples of
    // 2^j.
    const std::uint64_t step = std::uint64_t(1) << std::bit_width(a.value);
    for (std::uint64_t descendant = a.value + step; descendant < M; descendant += step)
        lineage.emplace_back(std::uint32_t(descendant));
    return lineage;
}

} // namespace lhrs
