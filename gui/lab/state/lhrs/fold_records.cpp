// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/lhrs/fold_records.h"

namespace lhrs::gui::fold {

void takeChange(DataBucketState& bucket, const pb::RecordInserted& e)
{
    bucket.ranks.set(e.rank(), e.key());
    bucket.count = e.count();
    bucket.sequence = e.sequence();
}

void takeChange(DataBucketState& bucket, const pb::RecordUpdated& e) { bucket.sequence = e.sequence(); }

void takeChange(DataBucketState& bucket, const pb::RecordDeleted& e)
{
    bucket.ranks.clear(e.rank());
    bucket.count = e.count();
    bucket.sequence = e.sequence();
}

void takeChange(DataBucketState& bucket, const pb::RecordsChanged& e)
{
    for (int i = 0; i < e.kinds_size() && i < e.keys_size() && i < e.ranks_size(); ++i) {
        if (e.kinds(i) == pb::CHANGE_INSERT)
            bucket.ranks.set(e.ranks(i), e.keys(i));
        else if (e.kinds(i) == pb::CHANGE_DELETE)
            bucket.ranks.clear(e.ranks(i));
    }
    bucket.count = e.count();
    bucket.sequence = e.sequence();
}

void becameApplied(ParityBucketState& column, std::uint32_t position, std::uint64_t sequence)
{
    grown(column.applied, position) = sequence;
    auto& waiting = grown(column.heldSequences, position);
    waiting.erase(waiting.begin(), waiting.upper_bound(sequence));
    grown(column.held, position) = std::uint32_t(waiting.size());
}

void addMember(RankMap& ranks, std::uint32_t rank) { ranks.set(rank, ranks.at(rank) + 1); }

void removeMember(RankMap& ranks, std::uint32_t rank)
{
    if (ranks.at(rank) > 1)
        ranks.set(rank, ranks.at(rank) - 1);
    else
        ranks.clear(rank);
}

namespace {

void setMembers(RankMap& ranks, std::uint32_t rank, std::uint32_t members)
{
    if (members > 0)
        ranks.set(rank, members);
    else
        ranks.clear(rank);
}

} // namespace

void takeChange(ParityBucketState& column, const pb::DeltaApplied& e)
{
    becameApplied(column, e.position(), e.sequence());
    setMembers(column.ranks, e.rank(), e.members());
    column.recordGroups = e.record_groups();
}

void takeChange(ParityBucketState& column, const pb::DeltasApplied& e)
{
    for (int position = 0; position < e.applied_size() && std::uint32_t(position) <= kPositionMax; ++position)
        if (e.applied(position) != 0)
            becameApplied(column, std::uint32_t(position), e.applied(position));
    for (int i = 0; i < e.ranks_size() && i < e.members_size(); ++i)
        setMembers(column.ranks, e.ranks(i), e.members(i));
    column.recordGroups = e.record_groups();
}

void takeChange(ParityBucketState& column, const pb::DeltaHeld& e)
{
    auto& waiting = grown(column.heldSequences, e.position());
    waiting.insert(e.sequence());
    grown(column.held, e.position()) = std::uint32_t(waiting.size());
}

} // namespace lhrs::gui::fold
