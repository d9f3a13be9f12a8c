// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/data/bucket_leases.h"
#include "node/lhrs/group/bucket_parts.h"

#include <map>
#include <optional>

namespace lhrs {

// A data bucket's view of its group: takes in each epoch, and acknowledges it once the parity buckets have the changes
// that it requires.
class GroupView {
public:
    GroupView(BucketParts& bucket, BucketStatus& status, BucketLeases& leases)
        : m_bucket(bucket), m_status(status), m_leases(leases)
    {
    }

    // Sets the view with which the bucket begins.
    void begin(Time now, Effects& out);
    // Returns false for an epoch that is out of date here; it changes nothing.
    bool onEpoch(const pb::Message& message, Time now, Effects& out);
    // Acknowledges the epoch when the conditions are met.
    void progress(Time now, Effects& out);

private:
    void take(const pb::View& view, Time now, Effects& out);

    BucketParts& m_bucket;
    BucketStatus& m_status;
    BucketLeases& m_leases;
    struct OwedAck {
        pb::Message epoch; // the message to be acknowledged
        std::map<ParityColumn, Sequence> wanted; // the changes that the parity buckets must have first
    };
    std::optional<OwedAck> m_owed;
};

} // namespace lhrs
