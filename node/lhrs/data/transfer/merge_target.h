// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/transfer/incoming_blocks.h"
#include "node/lhrs/data/transfer/staged_batch.h"

#include <optional>
#include <string>
#include <vector>

namespace lhrs {

// The bucket that takes back the records of the last bucket. They are kept aside until the decision, so that a merge
// that is undone has changed nothing. Their ranks are planned when no change is under way any more.
//
//   ordered -> (all records here, all Deltas acknowledged) staging -> prepared -> committed
//                                                              \-> aborted: nothing has changed
class MergeTarget {
public:
    explicit MergeTarget(const pb::Split& order) : m_order(order) { }
    const pb::Split& order() const { return m_order; }
    // The level after the merge; the order names the level before it.
    Level level() const { return m_order.level() - 1; }
    bool isPrepared() const { return m_batch && m_batch->isReported(); }
    // Bytes of records that are not stored yet.
    std::uint64_t keptBytes() const { return m_keptBytes; }
    bool isCommitted() const { return m_isCommitted; }

    void onMoveRecords(const pb::Message& message, Effects& out);
    // Stages the batch as soon as possible.
    void progress(BucketParts& bucket, Time now, Effects& out);
    void onAck(BucketParts& bucket, const AckList::Entry& entry, Time now, Effects& out);
    void commit(BucketParts& bucket, Time now, Effects& out);
    void abort(BucketParts& bucket, Time now);

private:
    const pb::Split m_order;
    std::uint64_t m_keptBytes = 0; // bytes of the blocks
    std::vector<std::string> m_blocks;
    IncomingBlocks m_incoming;
    bool m_isComplete = false, m_isCommitted = false;
    std::vector<Rank> m_ranks; // planned, in the order of the records
    std::optional<StagedBatch> m_batch;
};

} // namespace lhrs
