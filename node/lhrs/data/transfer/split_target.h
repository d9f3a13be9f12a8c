// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/transfer/incoming_blocks.h"
#include "node/lhrs/data/transfer/staged_batch.h"

#include <optional>
#include <vector>

namespace lhrs {

// The new bucket: gives the records the ranks 1, 2, ... in the order of arrival and stages its own batch meanwhile. A
// record that arrives again has changed at the source, and a record may be taken back.
class SplitTarget {
public:
    void onMoveRecords(BucketParts& bucket, const pb::Message& message, Time now, Effects& out);
    void onAck(BucketParts& bucket, const AckList::Entry& entry, Time now, Effects& out);
    std::uint64_t split() const { return m_split; }
    bool isPrepared() const { return m_batch && m_batch->isReported(); }
    Level level() const { return m_level; }
    Sequence batchSequence() const { return 1; } // this bucket has no earlier change
    void stop(BucketParts& bucket) const;

private:
    void take(BucketParts& bucket, const pb::MoveRecords& move, Time now, Effects& out);
    void end(BucketParts& bucket);

    std::uint64_t m_split = 0;
    Level m_level = 0;
    IncomingBlocks m_incoming;
    bool m_isComplete = false;
    std::vector<Rank> m_takenBack; // not reused while the batch refers to them
    std::optional<StagedBatch> m_batch;
};

} // namespace lhrs
