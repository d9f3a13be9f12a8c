// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/record_block.h"
#include "node/lhrs/group/lease.h"
#include "node/lhrs/store/parity_store.h"
#include "node/lhrs/store/record_store.h"

#include <string>
#include <string_view>

namespace lhrs {

// What one member of a group reports about some ranks, and what else the recovery of another member needs from it.
// Shared by data and parity buckets.

// Writes a data bucket's records of these ranks as a block of inserts; ranks without a record are left out.
void writeRecords(const RecordStore& store, Rank from, Rank to, std::string& out);
// Writes one run of such a block, at most a few dozen ranks, for `from` <= `to` <= the highest rank. Returns the first
// rank that is not written yet. In an empty string it also reserves room for the remaining ranks, as if their records
// were as long, but at most `roomMax` bytes.
Rank writeRun(const RecordStore& store, Rank from, Rank to, std::size_t roomMax, std::string& out);
// The largest number of records of this length in a run. A run is written in two passes and should stay in the cache
// between them.
std::uint32_t runRanks(std::size_t length);
// Writes a parity bucket's records: for each an Insert with the parity field and, in place of a key, the state of its
// members (see stateOf). The receiver has its own key list and only needs to know whether the two agree.
void writeParityRecords(const ParityStore& store, Rank from, Rank to, std::string& out);

// Reads such a block rank by rank.
class RankReader {
public:
    explicit RankReader(std::string_view block) : m_reader(block) { }
    // The entry of this rank; null if there is none or the block is malformed there. Ranks must ascend, from call to
    // call and in the block; an entry that does not ascend is skipped.
    const BlockEntry* at(Rank rank)
    {
        while (m_entry.rank < rank && m_reader.next(m_entry)) { }
        return m_entry.rank == rank && !m_reader.isMalformed() && m_entry.kind == BlockEntry::Kind::Insert ? &m_entry
                                                                                                           : nullptr;
    }

private:
    BlockReader m_reader;
    BlockEntry m_entry;
};

// Whether a record block is well formed and all its ranks are in this range.
bool isFit(const std::string& block, Rank least, Rank most);

// Answer a request from the recovery of another member; the caller writes the block of records into the string that
// they return.
std::string& answerMemberRead(const pb::Message& message, MemberId self, Effects& out);
std::string& answerSliceRequest(const pb::Message& message, MemberId self, Rank rankMax, Way way, Effects& out);

LeaseTimes leaseTimesOf(const pb::Timers& timers);
// Answers a LeaseRequest if the asker may have a grant.
void grantLease(
    LeaseGranter& grants, const pb::Message& request, MemberId self, Incarnation incarnation, Time now, Effects& out);
// Reports to the coordinator that a member is silent.
void suspect(NodeContext& context, const pb::View& view, MemberId silent, Time now, Effects& out);

} // namespace lhrs
