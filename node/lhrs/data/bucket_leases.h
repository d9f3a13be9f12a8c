// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/group/bucket_parts.h"
#include "node/lhrs/group/lease.h"

namespace lhrs {

// The leases of a data bucket, in a file that recovers from failures: those that fence its own reads, and those that it
// grants to the other data buckets of its group. While the bucket is being rebuilt, it neither requests nor grants
// leases.
class BucketLeases {
public:
    explicit BucketLeases(BucketParts& bucket) : m_bucket(bucket) { }

    // The view in the status has changed.
    void takeView(Time now);
    // Whether reads may be answered.
    bool isHeld(Time now) const { return !areWanted() || m_own.isHeld(now); }
    const LeaseHolder& own() const { return m_own; }
    bool areWanted() const { return m_bucket.config.recovery() != pb::RECOVERY_OFF; }
    // How long the last grants to members that have failed can still run.
    Time leftToFailed(Time now) const { return m_grants.leftToFailed(now); }
    void onLeaseRequest(const pb::Message& message, Time now, Effects& out);
    void onLeaseGrant(const pb::Message& message);
    void onTime(Time now, Effects& out);
    Time deadline() const;

private:
    bool areRenewed() const { return areWanted() && m_bucket.status.state != pb::RECOVERING; }
    MemberId self() const { return { pb::DATA, m_bucket.position.value }; }

    BucketParts& m_bucket;
    LeaseHolder m_own;
    LeaseGranter m_grants;
};

} // namespace lhrs
