// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/linear_hash.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lhrs::gui {

// The expected course of an operation on a key by a client with this image, computed by the addressing rules of
// client and buckets. Nothing is sent; this is an expectation, not an event.
struct KeyTry {
    std::uint64_t key = 0;
    FileImage image, truth;
    std::uint32_t believed = 0, right = 0; // bucket numbers
    std::vector<std::uint32_t> path; // buckets visited; empty: `believed` does not exist, or no longer
    struct Adjustment {
        std::uint32_t bucket = 0;
        Level level = 0;
        FileImage after;
    };
    std::optional<Adjustment> adjustment; // from the last bucket that forwards
    std::size_t forwards() const { return path.empty() ? 0 : path.size() - 1; }
};

// Both states must be valid (check).
KeyTry tryKey(std::uint64_t key, FileImage image, FileImage truth);

// The buckets of a client's image compared with those of the file.
enum class BucketBelief {
    Right, // known, at its level
    Stale, // known, but it has split since: the client looks there for keys that have left it
    Unknown, // the client does not know of it
    Gone, // the client believes that it exists, but the file no longer has it
};
// For a bucket `a` of either.
BucketBelief beliefOf(std::uint32_t a, FileImage image, FileImage truth);

} // namespace lhrs::gui
