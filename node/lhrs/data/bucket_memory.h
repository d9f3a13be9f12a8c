// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/data/moving_records.h"
#include "node/lhrs/group/bucket_parts.h"

#include <optional>
#include <string>

namespace lhrs {

// Keeps a data bucket within the limit of its own memory and that of its parity buckets: a change that would make it
// grow is refused before it has any effect. Searches, deletes and changes that need no further memory continue.
class BucketMemory {
public:
    BucketMemory(BucketParts& bucket, const MovingRecords& moving) : m_bucket(bucket), m_moving(moving) { }

    // Bytes stored, as the process counts its memory between two measurements.
    std::uint64_t storedBytes() const;
    // Reserves room for a change, or names the server that has no room for it. `growth`: bytes for the value, here and
    // at the parity buckets; `besides`: further bytes at this bucket only.
    std::optional<pb::FullServer> reserve(std::uint64_t growth, std::uint64_t besides);
    // Whether there is room for records that a split or merge brings. Otherwise they are not acknowledged, and the
    // split or merge is undone at its time limit.
    bool hasRoomFor(const std::string& records) const;
    // Whether so little memory is left that no request may be held.
    bool isScarce() const { return !isReserveLeft(0); }
    // Checks whether the memory is at its limit.
    void look();
    bool isFull() const { return m_isFull; }

private:
    // Whether half of the reserve would still be free after storing this many bytes.
    bool isReserveLeft(std::uint64_t bytes) const;

    BucketParts& m_bucket;
    const MovingRecords& m_moving;
    bool m_isFull = false;
    std::uint64_t m_growthRefused = 0; // the largest growth refused since the memory is full
};

} // namespace lhrs
