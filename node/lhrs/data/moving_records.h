// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/file_ids.h"

#include <cstdint>

namespace lhrs {

// What a split or merge under way requires of key operations.
class MovingRecords {
public:
    // Whether no rank may be used twice.
    virtual bool keepsRanks() const = 0;
    // Whether the rank of a deleted record is kept back until the decision.
    virtual bool keepRank(Rank rank) = 0;
    // The record at this rank was inserted, updated or deleted.
    virtual void onChange(Key key, Rank rank) = 0;
    // Whether this bucket may be about to take back the keys of the other bucket. In either case a key will be in one
    // of the two.
    virtual bool isUndecided(BucketNumber other) const = 0;
    // Bytes of records that have arrived and are not stored yet.
    virtual std::uint64_t keptBytes() const = 0;

protected:
    ~MovingRecords() = default;
};

} // namespace lhrs
