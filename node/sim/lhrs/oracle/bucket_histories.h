// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/sim/lhrs/oracle/availability.h"
#include "node/sim/lhrs/oracle/bucket_history.h"

namespace lhrs {

// A data bucket as the checks take it.
check::DataBucket copyOf(const DataBucket& bucket);

// The history of each data bucket, from its own events. A lost bucket may not have reported the last ones; its parity
// buckets show their effect. A bucket must have what its history says, where it was changed and where it is recovered
// (I3, I7, I13).
class BucketHistories : private OraclePart {
public:
    struct Change {
        check::RequestKind kind = check::RequestKind::Search;
        std::uint64_t key = 0;
        std::uint32_t rank = 0;
        std::uint64_t sequence = 0;
    };

    BucketHistories(const OraclePart& part, const Places& places, const Availability& availability,
        const check::RequestLedger& ledger)
        : OraclePart(part), m_places(places), m_availability(availability), m_ledger(ledger)
    {
    }

    // Null if no such bucket ever began.
    const BucketHistory* of(std::uint32_t number) const;
    // Null while it is unknown what the bucket had at this sequence number.
    const BucketHistory* knownUpTo(std::uint32_t number, std::uint64_t sequence);
    // Whether the process is a parity bucket that lacks changes of a data bucket of the group that has ended.
    bool isBehindTheGone(GroupNumber g, NodeId process) const;

    // A new data bucket begins; or the bucket never came into being, or exists no longer.
    void onBegun(std::uint32_t number);
    void forget(std::uint32_t number);
    void onChanged(const DataBucket& bucket, const Change& change);
    void onKept(std::uint32_t number, std::uint64_t sequence);
    void onRecordsMoved(const SimProcess& process, const pb::Event& event);
    // False if the bucket reports only what is known, or moves that cannot be.
    bool onSplitApplied(const SimProcess& process, const pb::Event& event);
    // A parity bucket has applied a batch of this data bucket.
    void onBatchApplied(std::uint32_t number, const pb::BatchApplied& batch);
    // The bucket is lost, and is recovered without its changes after the cut.
    void onCut(std::uint32_t number, std::uint64_t cut);
    void onEnabled(std::uint32_t number) { m_enabled.push_back(number); }
    // Checks what has been changed or enabled since the last call.
    void checkTouched();

private:
    void learn(std::uint32_t number, std::uint64_t upTo);
    void checkWhole(std::uint32_t number);
    void checkRecord(std::uint32_t number, std::uint64_t key);

    const Places& m_places;
    const Availability& m_availability;
    const check::RequestLedger& m_ledger;
    std::map<std::uint32_t, BucketHistory> m_histories; // by bucket number
    std::map<std::uint32_t, std::map<std::uint32_t, BucketHistory::Slot>> m_arrived; // at new buckets, by rank
    // (bucket, sequence): batches that the bucket has not reported yet.
    std::map<std::pair<std::uint32_t, std::uint64_t>, pb::BatchApplied> m_batches;
    std::vector<std::uint32_t> m_enabled;
    std::set<std::pair<std::uint32_t, std::uint64_t>> m_touched; // (bucket, key)
};

} // namespace lhrs
