// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/data/moving_records.h"
#include "node/lhrs/group/bucket_parts.h"

#include <optional>
#include <string>

namespace lhrs {

// A data bucket at the limit of its memory, or of that of a parity bucket: a change that would make it grow is refused
// before it has any effect. Searches, deletes and changes that need no further memory go on.
class BucketMemory {
public:
    BucketMemory(BucketParts& bucket, const MovingRecords& moving) : m_bucket(bucket), m_moving(moving) { }

    // Bytes stored, as the process counts its memory between two measurements.
    std::uint64_t storedBytes() const;
    // Reserves room for a change, or names the server that has none for it. `growth`: bytes for the value, here and at
    // the parity buckets; `besides`: further bytes at this bucket only.
    std::optional<pb::FullServer> reserve(std::uint64_t growth, std::uint64_t besides);
    // Whether there is room for records that a split or merge brings. Otherwise they are not acknowledged, and the
    // split or merge is undone at its time limit.
    bool hasRoomFor(const std::string& records) const;
    // Whether so little is left that no request may be held.
    bool isScarce() const { return !isReserveLeft(0); }
    // Checks whether the memory is at its limit.
    void look();
    bool isFull() const { return m_isFull; }

private:
    // Whether half of the reserve is left besides these bytes.
    bool isReserveLeft(std::uint64_t bytes) const;

    BucketParts& m_bucket;
    const MovingRecords& m_moving;
    bool m_isFull = false;
    std::uint64_t m_growthRefused = 0; // the largest growth refused since it is full
};

} // namespace lhrs
