// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/group/bucket_parts.h"

#include <cstdint>
#include <deque>
#include <string>

namespace lhrs {

// The changes of one end of a split on their way to its parity buckets: staged there as one sequence number until the
// decision (lhrs.md 5.2). They go while the bucket still changes, a few blocks under way at once.
//
// What is said of a rank counts until something else is said of it: that its record leaves (Delete), that it moves (Delete,
// and after it Insert of the same key at its new rank), that a record comes there (Insert), or nothing any more (Void). So a
// record that changes after it was told of is just told of again, and the parity bucket applies the last word about each rank,
// first what leaves, then what comes.
class StagedBatch {
public:
    // `mergesFrom`: of a merge, the bucket that gives everything; 0: a split.
    StagedBatch(const BucketParts& bucket, std::uint64_t split, Level level, std::uint32_t mergesFrom = 0);
    // Blocks that are made from now on have at least this many bytes.
    void setBlockBytes(std::size_t bytes) { m_blockBytes = bytes; }
    void add(const BlockEntry& entry);
    void addMove(const RecordStore::Record& record, Rank to);
    // No more comes; all of it is the change with this number.
    void end(Sequence sequence);

    // Sends full blocks, where none is under way also what there is of the next, and after end() all, as far as there is room.
    void sendBlocks(BucketParts& bucket, Time now, Effects& out);
    void onAck(BucketParts& bucket, const AckList::Entry& entry, Time now, Effects& out);
    // Before end(): whether little is left and all that was sent is acknowledged.
    bool isCaughtUp() const;
    bool isStaged() const { return m_sequence != 0 && m_blocks.empty() && m_underWay == 0; }
    // Whether full blocks wait for room.
    bool isFull() const { return m_blocks.size() > 1; }
    // Blocks, sent or not.
    std::uint32_t made() const { return m_sent + std::uint32_t(m_blocks.size()); }
    Sequence sequence() const { return m_sequence; }
    void stop(BucketParts& bucket) const;

private:
    void send(BucketParts& bucket, std::string&& changes, bool isLast, Time now, Effects& out);

    const std::uint64_t m_split;
    const Level m_level;
    const std::uint32_t m_mergesFrom;
    const bool m_isWanted; // k = 0: nobody has to know
    std::size_t m_blockBytes;
    std::deque<std::string> m_blocks; // not sent; all but the last are full
    std::uint32_t m_sent = 0;
    std::size_t m_underWay = 0; // copies of blocks
    Sequence m_sequence = 0;
};

} // namespace lhrs
