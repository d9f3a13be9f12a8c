// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/data/bucket_leases.h"
#include "node/lhrs/data/bucket_memory.h"
#include "node/lhrs/data/moving_records.h"
#include "node/lhrs/data/waiting_requests.h"
#include "node/lhrs/group/bucket_parts.h"

#include <string>
#include <string_view>

namespace lhrs {

// The key operations of a data bucket: it executes them, sends each change to its parity buckets before it answers the
// client, and forwards what belongs elsewhere.
class KeyOperations {
public:
    KeyOperations(BucketParts& bucket, MovingRecords& moving, const BucketLeases& leases, BucketMemory& memory,
        WaitingRequests& waiting)
        : m_bucket(bucket), m_moving(moving), m_leases(leases), m_memory(memory), m_waiting(waiting)
    {
    }

    // Executes the request, forwards it, refuses it or lets it wait. Returns the change that has begun: CHANGE_NOTHING,
    // a result without effect that the parity buckets must keep; CHANGE_UNKNOWN, no change.
    pb::ChangeKind execute(pb::OperationKind kind, const pb::KeyRequest& request, Time now, Effects& out);
    // All parity buckets have the change: answers the client.
    void answer(const ParityLink::Change& change, Time now, Effects& out);
    // How many operations were executed.
    std::uint64_t count() const { return m_count; }

private:
    pb::ChangeKind change(pb::OperationKind kind, const pb::KeyRequest& request, Time now, Effects& out);
    pb::ChangeKind insert(const pb::KeyRequest& request, Time now, Effects& out);
    pb::ChangeKind update(const pb::KeyRequest& request, Rank rank, Time now, Effects& out);
    pb::ChangeKind remove(const pb::KeyRequest& request, Rank rank, Time now, Effects& out);
    // Answers EXISTS or NOT_FOUND to a change without effect.
    pb::ChangeKind changeNothing(
        const pb::KeyRequest& request, pb::ResultCode result, Rank rank, Time now, Effects& out);
    // Gives the change its number and sends its Deltas; `delta` is old ^ new (for an insert, the new value itself).
    pb::ChangeKind sendDelta(const pb::KeyRequest& request, pb::ChangeKind kind, Rank rank, std::string_view delta,
        std::size_t length, pb::ResultCode result, Time now, Effects& out);
    // Whether a change that needs this many further bytes is refused because a server's memory is full; see
    // BucketMemory. A refused request is answered here.
    bool isRefused(const pb::KeyRequest& request, std::uint64_t growth, std::uint64_t besides, Effects& out);
    // Answers a search with the bucket's contents once no change of this key is under way.
    void read(const pb::KeyRequest& request, Time now, Effects& out);
    void hold(pb::OperationKind kind, const pb::KeyRequest& request, Effects& out);
    void forward(pb::OperationKind kind, const pb::KeyRequest& request, BucketNumber to, Time now, Effects& out);
    // The address of a request was wrong: tells its client and the bucket that forwarded it.
    void displace(const pb::KeyRequest& request, Effects& out) const;
    // The number of the next change.
    Sequence next() const { return m_bucket.link.sequence() + 1; }
    // Fills in what every answer says about this bucket and about the path of the request.
    void fillIn(const pb::KeyRequest& request, pb::ResultCode result, Rank rank, pb::Reply& reply) const;
    // Returns the answer, or null if no answer is wanted.
    pb::Reply* reply(const pb::KeyRequest& request, pb::ResultCode result, Rank rank, Effects& out);

    BucketParts& m_bucket;
    MovingRecords& m_moving;
    const BucketLeases& m_leases;
    BucketMemory& m_memory;
    WaitingRequests& m_waiting;
    std::uint64_t m_count = 0;
    std::string m_delta; // reused by each change
};

} // namespace lhrs
