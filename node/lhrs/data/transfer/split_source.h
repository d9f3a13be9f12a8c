// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/failpoints.h"
#include "node/lhrs/data/transfer/staged_batch.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lhrs {

// The bucket at the split pointer. It keeps working while it copies the records that leave to the target and stages its
// batch, a few ranks at a time. A record that changes after it was copied is sent once more. Changes are held only for
// the rest at the end and for the decision. In a merge this is the last bucket: all records leave, and changes are held
// from the order on.
//
//   ordered -> copying -> caught up -> (changes held, all Deltas acknowledged) closed
//   closed -> prepared -> committed -> finished
//                   \-> aborted: nothing has changed
//
// While the bucket copies, no rank is used twice: new records take ranks above all others, and the rank of a deleted
// record is released only at the decision.
//
// FILL_HOLES: two marks move towards each other, one up from rank 1 and one down from the highest rank. The lower mark
// stops at a rank that will become free, the upper one at the record that will move there.
class SplitSource {
public:
    SplitSource(const pb::Split& order, bool isMerge) : m_order(order), m_isMerge(isMerge) { }
    const pb::Split& order() const { return m_order; }
    bool isMerge() const { return m_isMerge; }
    bool isClosed() const { return m_batch && m_batch->sequence() != 0; }
    bool isCommitted() const { return m_isCommitted; }
    bool isPrepared() const { return m_batch && m_batch->isReported(); }

    void begin(BucketParts& bucket, Effects& out);
    // Sends a few blocks if there is room; to be called again when one has arrived.
    void copy(BucketParts& bucket, Time now, Effects& out);
    // Whether so little is left to send that changes may be held for it.
    bool isCaughtUp(const BucketParts& bucket) const;
    // Sends the rest, once changes are held and none is under way.
    void close(BucketParts& bucket, Time now, Effects& out);

    // keepsRanks: whether no rank may be used twice. keepRank: whether this rank, which could be reused, is kept back.
    bool keepsRanks() const { return !m_isCommitted && !LHRS_MUTANT(RankUsedWhileCopied); }
    bool keepRank(Rank rank);
    // The record at this rank was inserted, updated or deleted.
    void onChange(const BucketParts& bucket, Key key, Rank rank);

    void onAck(BucketParts& bucket, const AckList::Entry& entry, Time now, Effects& out);
    // Applies the plan to the store.
    void commit(BucketParts& bucket, Time now, Effects& out);
    void abort(BucketParts& bucket, Time now);

private:
    struct Move {
        Rank from, to;
    };
    bool leaves(const BucketParts& bucket, Key key) const;
    bool fillsHoles(const BucketParts& bucket) const { return bucket.config.rerank() == pb::FILL_HOLES; }
    bool hasLookedAt(Rank rank) const { return rank < m_low || (rank > m_high && rank < m_new); }
    bool hasLookedAtAll(const BucketParts& bucket) const { return m_low > m_high && m_new > bucket.store.rankMax(); }
    bool isLateEnough() const;
    void lookAtNext(BucketParts& bucket);
    void tellLeaver(BucketParts& bucket, Rank rank);
    bool hasChanges() const { return !m_gone.empty() || !m_again.empty(); }
    void tellNextAgain(BucketParts& bucket);
    void moveLast(BucketParts& bucket);
    Move* moveOf(Rank from);
    void releaseRanks(BucketParts& bucket);
    void sendRecords(BucketParts& bucket, bool isLast, Time now, Effects& out);
    void reportWhenPrepared(BucketParts& bucket, Time now, Effects& out);

    const pb::Split m_order;
    const bool m_isMerge;
    Rank m_low { 1 }; // the lower mark
    Rank m_high; // the upper mark
    Rank m_last; // the highest rank when the split was ordered
    Rank m_new; // the next rank to visit among those assigned since
    Rank m_hole; // the hole at which the lower mark has stopped; 0: none
    std::vector<Rank> m_leavers;
    std::uint32_t m_leaving = 0; // those of them that have not been deleted
    std::vector<Move> m_moves; // from the highest rank downwards to the lowest rank upwards
    std::vector<Move> m_late; // moves at the end: to freed ranks, and of new records
    std::set<Rank> m_again; // copied and changed since
    std::vector<Key> m_gone; // keys of leaving records that were copied and then deleted
    std::vector<Rank> m_freed; // ranks that were planned as used and are now free
    std::vector<Rank> m_released; // ranks kept back until the decision
    std::string m_records; // records for the target that are not sent yet
    std::uint32_t m_block = 0, m_underWay = 0;
    std::uint32_t m_firstBlocks = 0; // blocks of both kinds in the first pass; later ones are changes
    bool m_isLastSent = false, m_isCommitted = false;
    std::optional<StagedBatch> m_batch;
};

} // namespace lhrs
