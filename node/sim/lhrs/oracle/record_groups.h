// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/sim/lhrs/oracle/bucket_histories.h"

namespace lhrs {

// A parity record as the checks take it.
check::ParityRecord copyOf(const ParityBucket& bucket, Rank rank);

// The record groups: each parity record must be the parity of what the data buckets had at the sequence numbers that
// the parity bucket has applied (I1, I2). Ranks are judged when they are touched, or later, when it is known what the
// data buckets had.
class RecordGroups : private OraclePart {
public:
    RecordGroups(const OraclePart& part, const Places& places, BucketHistories& histories)
        : OraclePart(part), m_places(places), m_histories(histories)
    {
    }

    // The parity bucket at the process has changed at this rank, or at any rank.
    void touch(const SimProcess& process, std::uint32_t rank) { m_touched.emplace(process.index, rank); }
    void touchAll(const SimProcess& process);
    // More may be known now.
    void touchDeferred() { m_touched.merge(m_deferred), m_deferred.clear(); }
    void checkTouched();
    // Whether all that was touched has been judged.
    bool isAllJudged() const { return m_deferred.empty(); }

private:
    void judge(std::uint32_t process, std::uint32_t rank);

    const Places& m_places;
    BucketHistories& m_histories;
    std::set<std::pair<std::uint32_t, std::uint32_t>> m_touched; // (process, rank)
    std::set<std::pair<std::uint32_t, std::uint32_t>> m_deferred; // (process, rank) not yet in a history
};

} // namespace lhrs
