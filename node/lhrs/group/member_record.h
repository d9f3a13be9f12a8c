// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/record_block.h"
#include "node/lhrs/group/lease.h"
#include "node/lhrs/store/parity_store.h"
#include "node/lhrs/store/record_store.h"

#include <string>
#include <string_view>

namespace lhrs {

// What one member of a group tells of some ranks, and what it needs besides for the recovery of another: shared by data
// and parity buckets.

// A data bucket's records of these ranks as a block of inserts; ranks without a record are left out.
void writeRecords(const RecordStore& store, Rank from, Rank to, std::string& out);
// A piece of that, some dozens of ranks at most, for `from` <= `to` <= the highest rank; returns the first rank that is not written
// yet. An empty string gets room for the others, too, as if they were as long, but no more than for `roomMax` bytes.
Rank writeRun(const RecordStore& store, Rank from, Rank to, std::size_t roomMax, std::string& out);
// How many records of this length a run has at most: it is written in two passes, and is to stay in the cache between them.
std::uint32_t runRanks(std::size_t length);
// A parity bucket's: for each parity record an Insert with the parity field, and in place of a key the state of its members (see
// stateOf): who combines it has a key list of his own, and wants to know whether it is the same.
void writeParityRecords(const ParityStore& store, Rank from, Rank to, std::string& out);

// Reads such a block rank by rank.
class RankReader {
public:
    explicit RankReader(std::string_view block) : m_reader(block) {}
    // What the block has of this rank; null: nothing, or it is malformed there. Ranks must ascend, from call to call and in the
    // block; what does not ascend there is passed over.
    const BlockEntry* at(Rank rank)
    {
        while (m_entry.rank < rank && m_reader.next(m_entry)) { }
        return m_entry.rank == rank && !m_reader.isMalformed() && m_entry.kind == BlockEntry::Kind::Insert ? &m_entry : nullptr;
    }

private:
    BlockReader m_reader;
    BlockEntry m_entry;
};

LeaseTimes leaseTimesOf(const pb::Timers& timers);
// Answers a LeaseRequest, if the asker may have one.
void grantLease(LeaseGranter& grants, const pb::Message& request, MemberId self, Incarnation incarnation, Time now, Effects& out);
// Tells the coordinator that a member is silent.
void suspect(NodeContext& context, const pb::View& view, MemberId silent, Time now, Effects& out);

} // namespace lhrs
