// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/group/bucket_parts.h"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace lhrs {

// A data bucket's part in scans (lhrs.md 12): the records of one moment, sent when all parity buckets have every change
// in them, and the way on to the buckets that were split off.
//
//   taken -> (all its changes acknowledged) sent, block after acknowledged block
class ScanAnswers {
public:
    // Takes the bucket's part as it is now; progress() sends it.
    void take(const BucketParts& bucket, Level level, const pb::Scan& scan, Effects& out);
    // Passes the scan on to the buckets split off since the level that its sender knew.
    void forward(const BucketParts& bucket, Level level, const pb::Scan& scan, Time now, Effects& out);
    // Not now: the bucket is on its way to being one.
    void hold(const BucketParts& bucket, const pb::Scan& scan, Effects& out);
    std::vector<pb::Scan> takeHeld() { return std::exchange(m_held, {}); }

    // Sends the parts that show nothing which could still die with the bucket; `hasLease`: reads may be answered.
    void progress(BucketParts& bucket, bool hasLease, Time now, Effects& out);
    void onAck(BucketParts& bucket, const AckList::Entry& entry, Time now, Effects& out);
    // The client does not take its part any more.
    void onGivenUp(const AckList::Entry& entry);
    // Where a bucket is has become known: what waited for it goes on.
    void onLocation(const BucketParts& bucket, BucketNumber at, Time now, Effects& out);
    // The bucket is no more: what was to be passed on to it is asked for again by its client.
    void forget(BucketNumber bucket) { m_parked.erase(bucket); }
    // Buckets whose location is wanted.
    std::vector<BucketNumber> wanted() const;

    std::uint32_t held() const { return std::uint32_t(m_held.size() + m_parked.size()); }

private:
    struct Part {
        pb::RequestId request;
        Address client;
        Level level = 0;
        Sequence sequence = 0; // of the last change that it shows
        std::uint32_t hits = 0;
        std::uint32_t forwards = 0;
        bool onlyHits = false;
        std::vector<std::string> blocks;
        std::size_t next = 0;
        std::uint64_t waitsFor = 0; // id of the block that is to be acknowledged
    };

    void send(const BucketParts& bucket, Part& part, Time now, Effects& out) const;
    static void refuse(const BucketParts& bucket, const pb::Scan& scan, Level level, Effects& out);
    bool pass(const BucketParts& bucket, const pb::Scan& scan, Time now, Effects& out) const;

    std::deque<Part> m_parts;
    std::vector<pb::Scan> m_held;
    std::multimap<BucketNumber, pb::Scan> m_parked; // to be passed on once the location is known
};

} // namespace lhrs
