// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/data/scan_answers.h"
#include "node/lhrs/group/bucket_parts.h"

#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace lhrs {

// The requests that can be neither answered nor forwarded yet:
//
//   held    the bucket is not complete, or changes are not allowed at present
//   reads   of a record whose last change could still be lost with this bucket
//   parked  to be forwarded to a bucket whose location is unknown; the coordinator is asked for it
//
// One bound applies to all of them, including scans that wait. A copy of a request that already waits adds nothing, but
// it must not be refused either.
class WaitingRequests {
public:
    struct Request {
        pb::OperationKind kind;
        pb::KeyRequest request;
    };

    WaitingRequests(BucketParts& bucket, const ScanAnswers& scans) : m_bucket(bucket), m_scans(scans) { }

    std::uint32_t count() const
    {
        return std::uint32_t(m_held.size() + m_parked.size() + m_reads.size()) + m_scans.held();
    }
    // Let the request wait. They return false if there is no room for it; then it must be refused.
    bool hold(pb::OperationKind kind, const pb::KeyRequest& request, bool isMemoryScarce, Effects& out);
    bool waitForChange(Sequence change, const pb::KeyRequest& read);
    bool waitForLocation(
        BucketNumber to, pb::OperationKind kind, const pb::KeyRequest& request, Time now, Effects& out);

    // Takes up everything that is held, including scans, in this step, one request after the other.
    void release();
    // The same for what is parked for this bucket.
    void releaseParked(BucketNumber bucket);
    bool isReleased() const { return !m_released.empty() || m_areScansReleased; }
    std::optional<Request> takeReleased();
    bool takeScansReleased() { return std::exchange(m_areScansReleased, false); }
    // The reads that wait for this change or an earlier one.
    std::vector<Request> takeReads(Sequence change);
    // A bucket no longer exists, so all routes may have changed: everything that was parked is held from now on.
    void holdParked(BucketNumber gone);

    // Asks the coordinator where the bucket is, and repeats this until it answers.
    void ask(BucketNumber bucket, Time now, Effects& out);
    // The coordinator has answered. The bucket is asked for again as long as requests are parked for it.
    void answered(BucketNumber bucket) { m_asked.erase(bucket); }
    void onTime(Time now, Effects& out);
    Time deadline() const;

private:
    bool hasRoom() const { return count() < m_bucket.context.acks.timers().held_max(); }
    bool isWaiting(const pb::KeyRequest& request) const;

    BucketParts& m_bucket;
    const ScanAnswers& m_scans;
    std::vector<Request> m_held;
    std::deque<Request> m_released; // released requests, which no longer count
    bool m_areScansReleased = false;
    std::multimap<Sequence, Request> m_reads; // by the change that they wait for
    std::multimap<BucketNumber, Request> m_parked;
    std::map<BucketNumber, Time> m_asked; // WhereIs under way, with the time of the next one
};

} // namespace lhrs
