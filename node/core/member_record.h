// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/record_block.h"
#include "node/core/lease.h"
#include "node/core/parity_store.h"
#include "node/core/record_store.h"

#include <string>
#include <vector>

namespace lhrs {

// What one member of a group tells of some ranks, and what it needs besides for the recovery of another: shared by data
// and parity buckets.

// A data bucket's records of these ranks as a block of inserts; ranks without a record are left out.
void writeRecords(const RecordStore& store, Rank from, Rank to, std::string& out);
// A parity bucket's: for each parity record an Insert with the parity field, and behind it one entry for each of the m
// positions in order, an Update with key, length and version, or a Delete where there is no member.
void writeParityRecords(const ParityStore& store, Rank from, Rank to, std::string& out);

// Parity records as read from a block; `bytes` points into the block. The members of all of them stand in one row, m of each.
struct ParityRecordViews {
    struct View {
        Rank rank;
        std::string_view bytes;
    };
    std::vector<View> records;
    std::vector<ParityStore::Member> members;

    std::span<const ParityStore::Member> membersOf(std::size_t record) const
    {
        const std::size_t m = members.size() / records.size();
        return std::span(members).subspan(record * m, m);
    }
};
// False where the block is malformed.
bool readParityRecords(std::string_view block, std::uint32_t m, ParityRecordViews& out);

LeaseTimes leaseTimesOf(const pb::Timers& timers);
// Answers a LeaseRequest, if the asker may have one.
void grantLease(LeaseGranter& grants, const pb::Message& request, MemberId self, Incarnation incarnation, Time now, Effects& out);
// Tells the coordinator that a member is silent.
void suspect(NodeContext& context, const pb::View& view, MemberId silent, Time now, Effects& out);

} // namespace lhrs
