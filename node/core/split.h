// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
#include "common/record_block.h"
#include "node/core/blocks_ahead.h"
#include "node/core/node_context.h"
#include "node/core/parity_link.h"
#include "node/core/record_store.h"
#include "node/core/result_table.h"

#include <functional>
#include <string>
#include <vector>

namespace lhrs {

// What both ends of a split need of their data bucket.
struct BucketParts {
    NodeContext& context;
    RecordStore& store;
    ParityLink& link;
    ResultTable& results;
    const pb::FileConfig& config;
    BucketNumber number;
    GroupNumber group;
    Position position;
    Incarnation incarnation;
};

// The changes of one end of a split on their way to its parity buckets: staged there as one sequence number until the
// decision (lhrs.md 5.2). A few blocks are under way at once.
class StagedBatch {
public:
    // Writes the next block of changes; returns whether it was the last.
    using NextBlock = std::function<bool(std::string& out)>;
    // `mergesFrom`: of a merge, the bucket that gives everything; 0: a split.
    void start(BucketParts& bucket, std::uint64_t split, Sequence sequence, Level level, NextBlock next, Time now, Effects& out,
        std::uint32_t mergesFrom = 0);
    void onAck(BucketParts& bucket, const AckList::Entry& entry, Time now, Effects& out);
    bool isStaged() const { return m_isStaged; }
    Sequence sequence() const { return m_sequence; }
    void stop(BucketParts& bucket);

private:
    void sendBlocks(BucketParts& bucket, Time now, Effects& out);
    void sendBlock(BucketParts& bucket, Time now, Effects& out);

    std::uint64_t m_split = 0;
    Sequence m_sequence = 0;
    Level m_level = 0;
    std::uint32_t m_mergesFrom = 0;
    NextBlock m_next;
    std::uint32_t m_block = 0;
    std::uint32_t m_unacknowledged = 0;
    bool m_isLastSent = false;
    bool m_isStaged = false;
};

// The bucket at the split pointer: plans who leaves and who changes rank, copies the leavers to the target, stages its
// batch, and carries the plan out at the commit. In a merge it is the last bucket, and everything leaves.
//
//   ordered -> (all Deltas acknowledged) moving -> prepared -> committed -> finished
//                                            \-> aborted: nothing has changed
class SplitSource {
public:
    SplitSource(const pb::Split& order, bool isMerge) : m_order(order), m_isMerge(isMerge) {}
    const pb::Split& order() const { return m_order; }
    bool isMerge() const { return m_isMerge; }
    bool isStarted() const { return m_isStarted; }
    bool isCommitted() const { return m_isCommitted; }
    bool isPrepared() const { return m_isReported; }
    Sequence batchSequence() const { return m_batch.sequence(); }

    void start(BucketParts& bucket, Time now, Effects& out);
    void onAck(BucketParts& bucket, const AckList::Entry& entry, Time now, Effects& out);
    // Carries the plan out in the store.
    void commit(BucketParts& bucket, Time now, Effects& out);
    void abort(BucketParts& bucket, Time now);

private:
    void sendBlocks(BucketParts& bucket, Time now, Effects& out);
    void sendBlock(BucketParts& bucket, Time now, Effects& out);
    bool nextChanges(BucketParts& bucket, std::string& out);
    void reportWhenPrepared(BucketParts& bucket, Time now, Effects& out);
    bool leaves(const BucketParts& bucket, Key key) const;

    const pb::Split m_order;
    const bool m_isMerge;
    bool m_isStarted = false;
    bool m_isCommitted = false;
    bool m_isReported = false;
    std::vector<Rank> m_leavers;
    struct Move {
        Rank from, to;
    };
    std::vector<Move> m_moves;
    bool m_isInSmallBlocks = false; // of its batch, at a point
    std::size_t m_sent = 0;    // leavers that are in blocks so far
    std::size_t m_changed = 0; // leavers and moves that are in the batch so far
    std::uint32_t m_block = 0, m_underWay = 0;
    bool m_isLastSent = false;
    bool m_isMoved = false;
    std::vector<std::string> m_copies; // the blocks; freed when target and parity have them
    StagedBatch m_batch;
};

// The new bucket: takes the records in the order of arrival, ranks 1, 2, ..., and stages its own batch.
class SplitTarget {
public:
    void onMoveRecords(BucketParts& bucket, const pb::Message& message, Time now, Effects& out);
    void onAck(BucketParts& bucket, const AckList::Entry& entry, Time now, Effects& out);
    std::uint64_t split() const { return m_split; }
    bool isPrepared() const { return m_isReported; }
    Level level() const { return m_level; }
    Sequence batchSequence() const { return m_batch.sequence(); }
    void stop(BucketParts& bucket) { m_batch.stop(bucket); }

private:
    void stage(BucketParts& bucket, Time now, Effects& out);
    void reportWhenPrepared(BucketParts& bucket, Time now, Effects& out);

    std::uint64_t m_split = 0;
    Level m_level = 0;
    std::uint32_t m_expected = 0; // the next block
    BlocksAhead m_ahead;
    bool m_isComplete = false;
    bool m_isReported = false;
    Rank m_staged { 1 };
    StagedBatch m_batch;
};

// The key's hash input: itself, or mix64 of it where the file says so (lhrs.md 1.1).
Key addressed(Key key, const pb::FileConfig& config);

// Everything of mine is staged: to the coordinator.
void reportPrepared(BucketParts& bucket, std::uint64_t split, std::uint32_t moved, Sequence sequence, Time now, Effects& out);

// Takes a Result or DoneBelow of a record block into the table.
void takeRequest(ResultTable& results, const BlockEntry& entry, Time now);

} // namespace lhrs
