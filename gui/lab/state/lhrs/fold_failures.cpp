// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/lhrs/fold_failures.h"

#include "gui/lab/state/lhrs/fold_shared.h"

namespace lhrs::gui {

namespace fold {

namespace {

// Events number data buckets over the whole file, views by position in the group.
MemberPlace placeOf(const FileView& s, pb::Role role, std::uint32_t index)
{
    return { role, role == pb::DATA ? index % s.m() : index };
}

// The recovery with this number; null if a later one has replaced it.
RecoveryState* recoveryOf(GroupState& group, std::uint64_t id)
{
    if (id < group.recovery.id)
        return nullptr;
    if (id > group.recovery.id) {
        group.recovery = RecoveryState();
        group.recovery.id = id;
    }
    return &group.recovery;
}

} // namespace

void suspect(FileView& s, const pb::MemberSuspected& e, std::int64_t runNs)
{
    GroupState& group = groupOf(s, e.group());
    const MemberPlace place = placeOf(s, e.role(), e.index());
    if (!group.down.contains(place))
        group.suspected.try_emplace(place, Suspicion { e.reason(), runNs });
}

void acquit(FileView& s, std::uint32_t group) { groupOf(s, group).suspected.clear(); }

void fail(FileView& s, const pb::BucketFailed& e, ProcessId by, std::uint64_t event, std::int64_t runNs)
{
    GroupState& group = groupOf(s, e.group());
    const MemberPlace place = placeOf(s, e.role(), e.index());
    const auto suspicion = group.suspected.find(place);
    const std::int64_t sinceNs = suspicion == group.suspected.end() ? runNs
                                                                    : std::min(runNs, suspicion->second.sinceNs);
    if (e.process() != 0)
        s.failures[e.process()] = { by, event, runNs, runNs - sinceNs };
    group.suspected.erase(place);
    group.down[place] = { e.process(), false, e.reason(), runNs };
}

void startRecovery(FileView& s, const pb::RecoveryStarted& e, std::int64_t runNs)
{
    if (RecoveryState* recovery = recoveryOf(groupOf(s, e.group()), e.recovery())) {
        recovery->isStarted = true;
        s.file.waitsFor.clear(); // a spare has come
        recovery->buckets.assign(e.buckets().begin(), e.buckets().end());
        recovery->manager = e.manager();
        recovery->sliceRanks = e.slice();
        recovery->startedNs = runNs;
    }
}

void chooseDecoder(FileView& s, const pb::DecoderChosen& e)
{
    if (RecoveryState* recovery = recoveryOf(groupOf(s, e.group()), e.recovery()))
        recovery->decoder = std::make_shared<const pb::DecoderChosen>(e);
}

void addSlice(FileView& s, const pb::SliceRecovered& e)
{
    if (RecoveryState* recovery = recoveryOf(groupOf(s, e.group()), e.recovery())) {
        ++recovery->slices;
        recovery->rankTo = std::max(recovery->rankTo, e.rank_to());
        recovery->records += e.records();
        recovery->bytes += e.bytes();
        recovery->askedAgain += e.asked_again();
        recovery->isXor = e.is_xor();
    }
}

void storeSlice(DataBucketState& bucket, const pb::SliceStored& e)
{
    if (e.number() == 0) { // a former attempt may have left values here
        bucket.ranks.clearAll();
        bucket.slicesStored = 0;
    }
    for (int i = 0; i < std::min(e.ranks_size(), e.keys_size()); ++i)
        bucket.ranks.set(e.ranks(i), e.keys(i));
    bucket.ranksAreObserved = bucket.ranksAreObserved && e.records() <= std::uint32_t(e.ranks_size());
    bucket.count = e.count();
    ++bucket.slicesStored;
}

void finishRecovery(FileView& s, const pb::RecoveryFinished& e, std::int64_t runNs)
{
    if (RecoveryState* recovery = recoveryOf(groupOf(s, e.group()), e.recovery())) {
        recovery->isOver = true;
        recovery->endedNs = runNs;
        recovery->totalNs = e.total_ns();
    }
}

void lose(FileView& s, const pb::GroupLost& e, std::int64_t runNs)
{
    GroupState& group = groupOf(s, e.group());
    group.state = pb::GROUP_LOST;
    for (const std::uint32_t bucket : e.buckets()) {
        const auto [down, isNew] = group.down.try_emplace(placeOf(s, pb::DATA, bucket));
        down->second.isLost = true;
        if (isNew)
            down->second.sinceNs = runNs;
    }
}

void takeMembers(GroupState& group, const pb::View& view, std::int64_t runNs)
{
    group.state = view.state();
    if (view.state() == pb::GROUP_UP) {
        group.suspected.clear();
        // Its coordinator ended during the recovery, and another coordinator completed it.
        if (group.recovery.isUnderWay()) {
            group.recovery.isOver = true;
            group.recovery.endedNs = runNs;
        }
    }
    for (const pb::Member& member : view.members()) {
        const MemberPlace place { member.role(), member.index() };
        const bool isLost = member.state() == pb::MEMBER_LOST;
        if (isLost || member.state() == pb::FAILED) {
            const auto [down, isNew] = group.down.try_emplace(place);
            if (isNew) {
                down->second.process = member.holder().node();
                down->second.sinceNs = runNs;
            }
            down->second.isLost = isLost;
        } else if (member.role() == pb::DATA || member.state() == pb::UP) {
            // A parity bucket being filled replaces the lost one only when it is complete.
            group.down.erase(place);
        }
    }
}

} // namespace fold

const DownMember* FileView::downOf(const DataBucketState& bucket) const
{
    const auto group = groups.find(bucket.number / m());
    if (group == groups.end())
        return nullptr;
    const auto down = group->second.down.find({ pb::DATA, bucket.number % m() });
    return down == group->second.down.end() || down->second.process != bucket.process ? nullptr : &down->second;
}

const DownMember* FileView::downOf(const ParityBucketState& bucket) const
{
    const auto group = groups.find(bucket.group);
    if (group == groups.end())
        return nullptr;
    const auto down = group->second.down.find({ pb::PARITY, bucket.column });
    return down == group->second.down.end() || down->second.process != bucket.process ? nullptr : &down->second;
}

const Suspicion* FileView::suspicionOf(pb::Role role, std::uint32_t group, std::uint32_t index) const
{
    const auto at = groups.find(group);
    if (at == groups.end())
        return nullptr;
    const auto found = at->second.suspected.find({ role, index });
    return found == at->second.suspected.end() ? nullptr : &found->second;
}

} // namespace lhrs::gui
