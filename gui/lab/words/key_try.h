// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/linear_hash.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lhrs::gui {

// What would happen to an operation on a key that a client with this image sent now: computed by the addressing rules of
// client and buckets (lhrs.md 1.1 to 1.5), with nothing sent. An expectation, no event.
struct KeyTry {
    std::uint64_t key = 0;
    FileImage image, truth;
    std::uint32_t believed = 0, right = 0; // bucket numbers
    std::vector<std::uint32_t> path;       // buckets visited; empty: `believed` does not exist (any more)
    struct Adjustment {
        std::uint32_t bucket = 0;
        Level level = 0;
        FileImage after;
    };
    std::optional<Adjustment> adjustment;  // of the last bucket that forwards
    std::size_t forwards() const { return path.empty() ? 0 : path.size() - 1; }
};

// Both valid (check).
KeyTry tryKey(std::uint64_t key, FileImage image, FileImage truth);

// Buckets of a client's image beside those of the file.
enum class BucketBelief {
    Right,   // known, at its level
    Stale,   // known, but it has split since: keys that left it are sought there
    Unknown, // to the client it does not exist
    Gone,    // the client believes in it, the file has it no more
};
// For bucket `a` of either.
BucketBelief beliefOf(std::uint32_t a, FileImage image, FileImage truth);

} // namespace lhrs::gui
