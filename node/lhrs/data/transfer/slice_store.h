// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/group/bucket_parts.h"

#include <map>

namespace lhrs {

// A spare that is to take the place of a lost data bucket: stores the slices from the recovery manager in order. A
// later recovery starts over.
class SliceStore {
public:
    SliceStore(BucketParts& bucket, BucketStatus& status) : m_bucket(bucket), m_status(status) { }

    void onSpareSlice(const pb::Message& message, Time now, Effects& out);

private:
    // Whether the message comes from a parity bucket of this bucket's group.
    bool isOfOurGroup(const pb::Message& message) const;
    void store(const pb::SpareSlice& slice, Time now, Effects& out);

    BucketParts& m_bucket;
    BucketStatus& m_status;
    std::uint64_t m_recovery = 0; // the recovery that rebuilds this bucket
    std::uint32_t m_stored = 0; // slices stored in this recovery
    std::map<std::uint32_t, pb::Message> m_ahead; // arrived before their predecessors, by number
};

} // namespace lhrs
