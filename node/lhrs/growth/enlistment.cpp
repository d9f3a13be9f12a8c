// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/growth/enlistment.h"

#include <algorithm>

namespace lhrs {

void Enlistment::start(
    GroupNumber g, std::vector<Place> places, bool isNewGroup, std::string purpose, Time now, Effects& out)
{
    m_group = g;
    m_places = std::move(places);
    m_isNewGroup = isNewGroup;
    m_purpose = std::move(purpose);
    recruit(now, out);
}

void Enlistment::adopt(GroupNumber g, std::vector<Member> members)
{
    m_group = g;
    m_members = std::move(members);
    m_isEntered = true;
}

void Enlistment::recruit(Time now, Effects& out)
{
    m_members.clear();
    m_isEntered = false;
    Recruiter::Want want;
    for (const Place& place : m_places)
        ++(place.role == pb::DATA ? want.data : want.parity);
    m_recruiter.start(want, hostLoad(), m_purpose, now, out);
    confirm(now, out);
}

// Counts also those that hold a place that is not in the table yet, because its split is under way.
Recruiter::HostLoad Enlistment::hostLoad() const
{
    const FileState& file = m_parts.file;
    std::map<NodeId, Ip> hosts;
    for (const Directory::Entry* entry : m_parts.directory.all()) {
        const pb::Place& place = entry->place;
        const bool isInGroup = place.role() == pb::DATA ? file.groupOf(BucketNumber(place.number())) == m_group
                                                        : place.role() == pb::PARITY && place.number() == m_group.value;
        if (isInGroup && !entry->isReplaced)
            hosts[NodeId(entry->info.node())] = Ip::from(entry->info.address());
    }
    if (const auto group = file.groups().find(m_group); group != file.groups().end()) {
        const auto note = [&](const FileState::MemberInfo& member) {
            if (member.hasFailed())
                hosts.erase(member.holder.node);
            else
                hosts[member.holder.node] = member.holder.address.ip;
        };
        for (const auto& [position, member] : group->second.data)
            note(member);
        for (const auto& [column, member] : group->second.parity)
            note(member);
    }
    Recruiter::HostLoad load;
    for (const auto& [node, host] : hosts)
        ++load[host];
    return load;
}

bool Enlistment::onOffer(const pb::Message& message, Time now, Effects& out)
{
    if (!m_recruiter.onOffer(message, now))
        return false;
    confirm(now, out);
    return true;
}

void Enlistment::onTime(Time now, Effects& out)
{
    m_recruiter.onTime(now, out);
    confirm(now, out);
}

void Enlistment::confirm(Time now, Effects& out)
{
    Recruiter::Found found;
    if (!m_recruiter.take(found, now, out))
        return;
    m_isEntered = true;
    FileState& file = m_parts.file;
    FileState::Group& group = file.group(m_group);
    const bool isEntry = std::any_of(m_places.begin(), m_places.end(), [](const Place& p) { return !p.isHidden; });
    if (isEntry)
        group.epoch = group.epoch.next();
    std::size_t nextData = 0, nextParity = 0;
    for (const Place& place : m_places) {
        const bool isData = place.role == pb::DATA;
        const pb::ProcessInfo& process = isData ? found.data[nextData++] : found.parity[nextParity++];
        const HolderInfo holder { Address::from(process.address()), NodeId(process.node()),
            file.allocate(NodeId(process.node())) };
        if (place.isHidden)
            file.hide(holder.incarnation); // becomes visible when it is enabled
        else if (isData)
            group.data[positionOf(BucketNumber(place.number), file.config().m())] = { holder, place.level,
                place.state };
        else
            group.parity[ParityColumn(place.column)] = { holder, 0, place.state };
        m_members.push_back({ place, isData ? found.dataInvitation : found.parityInvitation, holder });
    }
    const pb::View view = file.view(m_group);
    for (const Member& member : m_members) {
        pb::Message message;
        auto* order = message.mutable_confirm();
        order->set_invitation(member.invitation);
        order->set_role(member.place.role);
        order->set_number(member.place.number);
        order->set_column(member.place.column);
        order->set_level(member.place.level);
        order->set_split(member.place.split);
        order->set_last_split(file.lastSplit());
        order->set_incarnation(member.holder.incarnation.value);
        order->set_state(member.place.state);
        *order->mutable_config() = file.config();
        *order->mutable_timers() = m_parts.acks.timers();
        *order->mutable_view() = view;
        if (member.place.role == pb::DATA) {
            for (const pb::Location& location : file.lineageOf(BucketNumber(member.place.number)))
                *order->add_table() = location;
        }
        m_waiting.insert(m_parts.acks.send(std::move(message), member.holder.address, member.holder.node, Way::Auto,
            AckList::Patience::GiveUp, OrderOfConfirm, now, out));
    }
    if (isEntry)
        m_parts.announceEpoch(m_group, m_isNewGroup ? "the group is created" : "a member is added", out);
}

bool Enlistment::onAcknowledged(const AckList::Entry& entry)
{
    if (m_waiting.erase(entry.message.id()) == 0)
        return false;
    if (isConfirmed()) {
        for (const Member& member : m_members)
            m_parts.directory.setPlace(member.holder.node, member.place.role, member.place.number, member.place.column,
                member.holder.incarnation);
    }
    return true;
}

void Enlistment::onGivenUp(const AckList::Entry& entry, Time now, Effects& out)
{
    if (m_waiting.contains(entry.message.id()))
        withdraw(now, out);
}

void Enlistment::release(Time now, Effects& out)
{
    for (const std::uint64_t id : m_waiting)
        m_parts.acks.forget(id);
    m_waiting.clear();
    for (const Member& member : m_members) {
        pb::Message message;
        message.mutable_cancel()->set_incarnation(member.holder.incarnation.value);
        m_parts.acks.send(std::move(message), member.holder.address, member.holder.node, Way::Auto,
            AckList::Patience::GiveUp, PlainOrder, now, out);
    }
}

void Enlistment::withdraw(Time now, Effects& out)
{
    // A server that had offered itself does not answer: release those that confirmed, and start over.
    release(now, out);
    takeOut();
    recruit(now, out);
}

void Enlistment::stop(Time now, Effects& out)
{
    m_recruiter.stop(out);
    release(now, out);
    takeOut();
    m_members.clear();
    m_isEntered = false;
}

bool Enlistment::has(const HolderInfo& holder) const
{
    return std::any_of(m_members.begin(), m_members.end(), [&](const Member& m) { return m.holder == holder; });
}

void Enlistment::tell(Orders& orders, Time now, Effects& out) const
{
    orders.sendEpoch(m_group, now, out, [this](const HolderInfo& holder) { return has(holder); });
}

void Enlistment::refuse(std::uint64_t ticket, Effects& out) const
{
    m_parts.refuse(ticket, pb::NO_SPARES,
        "no spare answers the invitation (" + m_purpose + "); it goes on when one is added", out);
}

void Enlistment::takeOut()
{
    if (m_members.empty() || !m_parts.file.groups().contains(m_group))
        return;
    FileState::Group& group = m_parts.file.group(m_group);
    for (const Member& member : m_members) {
        if (member.place.isHidden) {
            m_parts.file.unhide(member.holder.incarnation);
            continue;
        }
        if (member.place.role == pb::DATA)
            group.data.erase(positionOf(BucketNumber(member.place.number), m_parts.file.config().m()));
        else
            group.parity.erase(ParityColumn(member.place.column));
    }
}

} // namespace lhrs
