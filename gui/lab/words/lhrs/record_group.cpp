// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/words/lhrs/record_group.h"

#include <algorithm>

namespace lhrs::gui {

MemberRecord recordOf(const pb::ContentsPage& page, std::uint32_t rank)
{
    MemberRecord record;
    for (const auto& data : page.data()) {
        if (data.rank() == rank)
            record = { true, data.key(), data.version(), data.value(), {} };
    }
    for (const auto& parity : page.parity()) {
        if (parity.rank() != rank)
            continue;
        record = { true, 0, 0, parity.parity(), {} };
        for (const auto& member : parity.members())
            record.members.push_back({ member.position(), member.length(), member.key(), member.version() });
    }
    return record;
}

// ---- witnesses

void WitnessBook::keep(const pb::Place& place, std::uint32_t rank, MemberRecord record, bool isPinned)
{
    const std::lock_guard lock(m_mutex);
    const Where where = whereOf(place, rank);
    Entry& entry = m_entries[where];
    if (entry.isPinned && !isPinned)
        return;
    m_order.erase(entry.number);
    entry = { std::move(record), isPinned, ++m_number };
    if (!isPinned)
        m_order[entry.number] = where;
    if (m_entries.size() > kEntriesMax && !m_order.empty()) {
        m_entries.erase(m_order.begin()->second);
        m_order.erase(m_order.begin());
    }
}

std::optional<WitnessBook::Entry> WitnessBook::find(const pb::Place& place, std::uint32_t rank) const
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_entries.find(whereOf(place, rank));
    return found == m_entries.end() ? std::nullopt : std::optional(found->second);
}

void WitnessBook::forget(const pb::Place& place, std::uint32_t rank)
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_entries.find(whereOf(place, rank));
    if (found == m_entries.end())
        return;
    m_order.erase(found->second.number);
    m_entries.erase(found);
}

void WitnessBook::clear()
{
    const std::lock_guard lock(m_mutex);
    m_entries.clear();
    m_order.clear();
}

// ---- the group

std::string nameOf(const pb::Place& place)
{
    return place.role() == pb::DATA ? "data " + std::to_string(place.number())
                                    : "parity " + std::to_string(place.number()) + "." + std::to_string(place.column());
}

std::string shortName(Participant member)
{
    return (member.kind == Participant::Kind::Data ? "D" : "P") + std::to_string(member.index);
}

GroupMember* RecordGroup::find(Participant member)
{
    const auto found = std::find_if(
        members.begin(), members.end(), [&](const GroupMember& one) { return one.member == member; });
    return found == members.end() ? nullptr : &*found;
}

const GroupMember* RecordGroup::find(Participant member) const
{
    const auto found = std::find_if(
        members.begin(), members.end(), [&](const GroupMember& one) { return one.member == member; });
    return found == members.end() ? nullptr : &*found;
}

bool RecordGroup::hasParityRead() const
{
    return std::any_of(members.begin(), members.end(),
        [](const GroupMember& one) { return one.member.kind == Participant::Kind::Parity && one.isRead; });
}

std::optional<MemberRecord::Listed> RecordGroup::listed(std::uint32_t position) const
{
    for (const GroupMember& member : members) {
        if (member.member.kind != Participant::Kind::Parity || !member.isRead)
            continue;
        for (const MemberRecord::Listed& listed : member.record.members) {
            if (listed.position == position)
                return listed;
        }
    }
    return std::nullopt;
}

std::string RecordGroup::differenceOfStates() const
{
    for (const GroupMember& parity : members) {
        if (parity.member.kind != Participant::Kind::Parity || !parity.isRead)
            continue;
        for (const GroupMember& other : members) {
            if (!other.isRead || other.member == parity.member)
                continue;
            if (other.member.kind == Participant::Kind::Parity) {
                if (other.record.members != parity.record.members)
                    return nameOf(parity.place) + " and " + nameOf(other.place) + " list different changes";
                continue;
            }
            const auto& list = parity.record.members;
            const auto listed = std::find_if(
                list.begin(), list.end(), [&](const auto& l) { return l.position == other.member.index; });
            const bool isListed = listed != list.end();
            if (isListed != other.record.isPresent
                || (isListed && (listed->key != other.record.key || listed->version != other.record.version)))
                return nameOf(other.place) + " is at another change than " + nameOf(parity.place) + " has of it";
        }
    }
    return {};
}

namespace {

// Sets the member's state from what the coordinator and the processes report.
void setStanding(GroupMember& member, const FileView& state, const GroupState& group, const RecoveryState& recovery)
{
    const auto process = state.processes.find(member.process);
    const auto down = group.down.find({ member.place.role(), member.member.index });
    const bool isData = member.member.kind == Participant::Kind::Data;
    const bool isRebuilt = isData && recovery.isUnderWay()
        && std::find(recovery.buckets.begin(), recovery.buckets.end(), member.place.number()) != recovery.buckets.end();
    if (down != group.down.end()) {
        member.standing = GroupMember::Standing::Down;
        member.words = down->second.isLost ? "LOST" : isRebuilt ? "being rebuilt" : "failed";
    } else if (isRebuilt) {
        member.standing = GroupMember::Standing::Down;
        member.words = "being rebuilt";
    } else if (process != state.processes.end() && process->second.hasEnded) {
        member.standing = GroupMember::Standing::Down;
        member.words = "process gone";
    }
}

} // namespace

std::optional<RecordGroup> recordGroupOf(const FileView& state, std::uint32_t group, std::uint32_t rank)
{
    const auto known = state.groups.find(group);
    if (known == state.groups.end() || !state.file.exists)
        return std::nullopt;
    RecordGroup result;
    result.group = group;
    result.rank = rank;
    result.m = state.m();
    result.field = state.file.config.field() == pb::GF_8 ? FieldWidth::Gf8 : FieldWidth::Gf16;
    if (result.m > ParityMatrix::groupSizeMax(result.field))
        return std::nullopt;
    // An additional parity bucket that is being filled does not count yet.
    result.k = std::min(known->second.k, ParityMatrix::parityCountMax(result.field));
    const RecoveryState& recovery = known->second.recovery;
    result.decoder = recovery.decoder;
    result.isBeingRebuilt = recovery.isUnderWay();
    for (std::uint32_t q = 0; q < result.m; ++q) {
        GroupMember member;
        member.member = Participant::data(Position(q));
        member.place.set_role(pb::DATA);
        member.place.set_number(group * result.m + q);
        const auto bucket = state.data.find(member.place.number());
        if (bucket == state.data.end()) {
            member.standing = GroupMember::Standing::Dummy;
        } else {
            member.process = bucket->second.process;
        }
        setStanding(member, state, known->second, recovery);
        result.members.push_back(std::move(member));
    }
    for (std::uint32_t p = 0; p < result.k; ++p) {
        GroupMember member;
        member.member = Participant::parity(ParityColumn(p));
        member.place.set_role(pb::PARITY);
        member.place.set_number(group);
        member.place.set_column(p);
        const auto bucket = state.parity.find({ group, p });
        if (bucket == state.parity.end()) {
            member.standing = GroupMember::Standing::Down;
            member.words = "not there yet";
        } else {
            member.process = bucket->second.process;
            if (bucket->second.state == pb::INIT) {
                member.standing = GroupMember::Standing::Down;
                member.words = "being filled";
            }
        }
        setStanding(member, state, known->second, recovery);
        result.members.push_back(std::move(member));
    }
    return result;
}

} // namespace lhrs::gui
