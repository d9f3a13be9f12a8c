// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/process/heap.h"

#include <malloc.h>

namespace lhrs {

namespace {

constexpr int kMapFrom = 32 << 20; // longer than any message; the largest value that the allocator accepts
constexpr int kKeep = 64 << 20;

} // namespace

void keepFreedMemory()
{
    ::mallopt(M_MMAP_THRESHOLD, kMapFrom);
    ::mallopt(M_TRIM_THRESHOLD, kKeep);
    // Each further arena would keep what its threads have freed, and only one thread at a time runs the core anyway.
    ::mallopt(M_ARENA_MAX, 1);
}

void giveBackFreedMemory() { ::malloc_trim(0); }

} // namespace lhrs
