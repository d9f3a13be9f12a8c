// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/file_ids.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lhrs {

// Buckets show their contents in pages of this many records or this many bytes, whichever comes first.
constexpr std::uint32_t kPageRecords = 4096;
constexpr std::size_t kPageBytes = 1024 * 1024;

inline std::uint32_t pageCount(std::uint32_t wanted) { return wanted == 0 ? 256 : std::min(wanted, kPageRecords); }

// Calls `each(rank)`, which returns a size in bytes, for each used rank of a page. Returns the first rank after the
// page, or 0 at the end.
template <class Store, class Each>
std::uint32_t walkPage(const Store& store, std::uint32_t from, std::uint32_t count, Each each)
{
    std::size_t bytes = 0;
    std::uint32_t found = 0;
    for (Rank r(std::max(from, 1u)); r <= store.rankMax(); r = r.next()) {
        if (!store.has(r))
            continue;
        if (found == count || bytes > kPageBytes)
            return r.value;
        bytes += each(r);
        ++found;
    }
    return 0;
}

} // namespace lhrs
