// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/group/bucket_parts.h"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace lhrs {

// A data bucket's part in scans: it answers with its records as of one moment, and sends them when all parity buckets
// have every change included in them. It also passes the scan on to the buckets that were split off.
//
//   taken -> (all its changes acknowledged) sent, block after acknowledged block
class ScanAnswers {
public:
    // Takes the part of this bucket as it is now; progress() sends it.
    void take(const BucketParts& bucket, const pb::Scan& scan, Effects& out);
    // Passes the scan on to the buckets split off since the level that its sender knew.
    void forward(const BucketParts& bucket, const pb::Scan& scan, Effects& out);
    // Holds the scan: this process is not a complete bucket yet.
    void hold(const BucketParts& bucket, const pb::Scan& scan, Effects& out);
    std::vector<pb::Scan> takeHeld() { return std::exchange(m_held, {}); }

    // Sends the parts whose changes can no longer be lost with the bucket. `hasLease`: reads may be answered.
    void progress(BucketParts& bucket, bool hasLease, Time now, Effects& out);
    void onAck(BucketParts& bucket, const AckList::Entry& entry, Time now, Effects& out);
    // The client no longer accepts its part.
    void onGivenUp(const AckList::Entry& entry);
    // The location of a bucket has become known: sends the scans that waited for it.
    void onLocation(const BucketParts& bucket, BucketNumber at, Effects& out);
    // The bucket no longer exists: clients will ask again for the parts that were to be passed on to it.
    void forget(BucketNumber bucket) { m_parked.erase(bucket); }
    // Buckets whose locations are needed.
    std::vector<BucketNumber> wanted() const;

    std::uint32_t held() const { return std::uint32_t(m_held.size() + m_parked.size()); }

private:
    struct Part {
        pb::RequestId request;
        Address client;
        Level level = 0;
        Sequence sequence = 0; // of the last change that the part includes
        std::uint32_t hits = 0;
        std::uint32_t forwards = 0;
        bool onlyHits = false;
        std::vector<std::string> blocks;
        std::size_t next = 0;
        std::uint64_t waitsFor = 0; // id of the block whose acknowledgement is awaited
    };

    void send(const BucketParts& bucket, Part& part, Time now, Effects& out) const;
    static void refuse(const BucketParts& bucket, const pb::Scan& scan, Level level, Effects& out);
    static bool pass(const BucketParts& bucket, const pb::Scan& scan, Effects& out);

    std::deque<Part> m_parts;
    std::vector<pb::Scan> m_held;
    std::multimap<BucketNumber, pb::Scan> m_parked; // to be passed on once the location is known
};

} // namespace lhrs
