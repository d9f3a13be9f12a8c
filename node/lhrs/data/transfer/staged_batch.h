// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/group/bucket_parts.h"

#include <cstdint>
#include <deque>
#include <string>

namespace lhrs {

// Size of a block of a split. A split runs beside requests, and a request may have to wait for one block.
inline constexpr std::size_t kSplitBlockBytes = 16 * 1024;

// The changes at one end of a split on their way to its parity buckets, which stage them under one sequence number
// until the decision. They are sent while the bucket still changes, a few blocks under way at once.
//
// An entry about a rank is valid until another entry about the same rank follows. It says that the record leaves
// (Delete), that it moves (Delete, then Insert of the same key at its new rank), or that a record arrives there
// (Insert). Void cancels the entry: nothing happens at this rank. So a record that changes after it was sent is simply
// sent again. The parity bucket applies the last entry about each rank, first for the records that leave, then for
// those that arrive.
class StagedBatch {
public:
    // `mergesFrom`: in a merge, the bucket that gives up all its records; 0: a split.
    StagedBatch(const BucketParts& bucket, std::uint64_t split, Level level, std::uint32_t mergesFrom = 0);
    // Blocks made from now on have at least this many bytes.
    void setBlockBytes(std::size_t bytes) { m_blockBytes = bytes; }
    void add(const BlockEntry& entry);
    void addMove(const RecordStore::Record& record, Rank to);
    // Nothing more will be added; the whole batch is the change with this number.
    void end(Sequence sequence);

    // Sends full blocks as far as there is room. A partial block is sent only if none is under way, or after end().
    void sendBlocks(BucketParts& bucket, Time now, Effects& out);
    void onAck(BucketParts& bucket, const AckList::Entry& entry, Time now, Effects& out);
    // Before end(): whether little is left and everything sent is acknowledged.
    bool isCaughtUp() const;
    // Tells the coordinator, once, when everything at this end is staged. `moved`: number of records that change their
    // bucket.
    void reportWhenStaged(BucketParts& bucket, std::uint32_t moved, Time now, Effects& out);
    bool isReported() const { return m_isReported; }
    // Whether full blocks are waiting for room.
    bool isFull() const { return m_blocks.size() > 1; }
    // The number of blocks, sent or not.
    std::uint32_t made() const { return m_sent + std::uint32_t(m_blocks.size()); }
    Sequence sequence() const { return m_sequence; }
    void stop(BucketParts& bucket) const;

private:
    void send(BucketParts& bucket, std::string&& changes, bool isLast, Time now, Effects& out);

    const std::uint64_t m_split;
    const Level m_level;
    const std::uint32_t m_mergesFrom;
    const bool m_isWanted; // false for k = 0: no parity bucket needs the batch
    std::size_t m_blockBytes;
    std::deque<std::string> m_blocks; // blocks not sent yet; all but the last are full
    std::uint32_t m_sent = 0;
    std::size_t m_underWay = 0; // blocks under way, counted once per parity bucket
    Sequence m_sequence = 0;
    bool m_isReported = false;
};

} // namespace lhrs
