// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/file/file_state.h"

#include "common/failpoints.h"
#include "common/lhrs/split_lineage.h"

#include <algorithm>

namespace lhrs {

FileState::FileState(const pb::FileConfig& config) : m_config(config), m_availability(config.availability()) { }

void FileState::setAvailability(std::uint32_t availability, std::uint32_t asked)
{
    m_availability = std::max({ m_availability, availability, m_config.availability() });
    ask(asked);
}

FileState::Group& FileState::group(GroupNumber g)
{
    const auto [group, isNew] = m_groups.try_emplace(g);
    if (isNew) {
        const auto former = m_former.find(g);
        group->second.epoch = former == m_former.end() ? firstEpoch() : former->second;
    }
    return group->second;
}

void FileState::erase(GroupNumber g)
{
    const auto group = m_groups.find(g);
    if (group == m_groups.end())
        return;
    m_former[g] = group->second.epoch;
    m_groups.erase(group);
}

std::uint32_t FileState::required(std::uint32_t buckets) const
{
    std::uint32_t wanted = std::max(m_config.availability(), m_asked);
    for (const pb::Threshold& threshold : m_config.thresholds()) {
        if (buckets >= threshold.buckets())
            wanted = std::max(wanted, threshold.availability());
    }
    return wanted;
}

void FileState::ask(std::uint32_t availability) { m_asked = std::max(m_asked, availability); }

bool FileState::everyGroupHas(std::uint32_t k) const
{
    return std::all_of(m_groups.begin(), m_groups.end(), [k](const auto& item) { return item.second.k >= k; });
}

bool FileState::raiseAvailability()
{
    // K grows at most once per split that starts here: a group that has just received its parity bucket does not raise
    // K again.
    if ((m_image.n != 0 && !LHRS_MUTANT(RaisedAtAnyN)) || m_raisedAt == buckets() || !everyGroupHas(m_availability)
        || m_availability >= required(buckets()))
        return false;
    m_raisedAt = buckets();
    ++m_availability;
    return true;
}

const FileState::MemberInfo* FileState::data(BucketNumber a) const
{
    const auto g = m_groups.find(groupOf(a));
    if (g == m_groups.end())
        return nullptr;
    const auto member = g->second.data.find(positionOf(a, m_config.m()));
    return member == g->second.data.end() ? nullptr : &member->second;
}

FileState::MemberInfo* FileState::data(BucketNumber a) { return const_cast<MemberInfo*>(std::as_const(*this).data(a)); }

pb::View FileState::view(GroupNumber g) const
{
    pb::View view;
    view.set_group(g.value);
    const auto found = m_groups.find(g);
    if (found == m_groups.end())
        return view;
    view.set_epoch(found->second.epoch.value);
    view.set_state(found->second.state);
    view.set_manager(found->second.manager.value);
    view.set_k(found->second.k);
    view.set_availability(m_availability);
    view.set_asked(m_asked);
    const auto add = [&view](pb::Role role, std::uint32_t index, const MemberInfo& info) {
        auto* member = view.add_members();
        member->set_role(role);
        member->set_index(index);
        member->set_state(info.state);
        member->set_level(info.level);
        info.holder.to(*member->mutable_holder());
    };
    for (const auto& [q, info] : found->second.data)
        add(pb::DATA, q.value, info);
    for (const auto& [p, info] : found->second.parity)
        add(pb::PARITY, p.value, info);
    return view;
}

pb::Location FileState::location(BucketNumber a) const
{
    pb::Location location;
    location.set_bucket(a.value);
    location.mutable_file()->set_i(m_image.i);
    location.mutable_file()->set_n(m_image.n);
    const MemberInfo* info = data(a);
    if (m_exists && info && (a.value < buckets() || info->state == pb::INIT)) {
        location.set_exists(true);
        location.set_state(info->state);
        info->holder.to(*location.mutable_holder());
    }
    return location;
}

std::vector<pb::Location> FileState::lineageOf(BucketNumber a) const
{
    std::vector<pb::Location> table;
    for (const BucketNumber other : splitLineageOf(a, buckets())) {
        if (data(other))
            table.push_back(location(other));
    }
    return table;
}

FileState::MemberInfo* FileState::member(GroupNumber g, pb::Role role, std::uint32_t index)
{
    const auto group = m_groups.find(g);
    if (group == m_groups.end())
        return nullptr;
    const auto in = [](auto& members, auto key) -> MemberInfo* {
        const auto found = members.find(key);
        return found == members.end() ? nullptr : &found->second;
    };
    return role == pb::DATA ? in(group->second.data, Position(index)) : in(group->second.parity, ParityColumn(index));
}

std::optional<GroupNumber> FileState::groupOfNode(NodeId node) const
{
    const auto has = [&](const auto& members) {
        return std::any_of(members.begin(), members.end(), [&](const auto& m) { return m.second.holder.node == node; });
    };
    for (const auto& [g, group] : m_groups) {
        if (has(group.data) || has(group.parity))
            return g;
    }
    return std::nullopt;
}

bool FileState::isWell(GroupNumber g) const
{
    const auto group = m_groups.find(g);
    return group == m_groups.end() || (group->second.state == pb::GROUP_UP && !group->second.isRecovering);
}

Incarnation FileState::allocate(NodeId node)
{
    const Incarnation incarnation((m_coordinatorEpoch << 32) + ++m_counter);
    m_given.emplace(incarnation, node);
    return incarnation;
}

bool FileState::wasGiven(Incarnation incarnation, NodeId node) const
{
    const auto given = m_given.find(incarnation);
    return given != m_given.end() && given->second == node;
}

bool FileState::isHolder(Incarnation incarnation) const
{
    if (m_hidden.contains(incarnation))
        return true;
    // Each server asks several times a second, and its place is usually where it was last time. Without this hint, a
    // file of M buckets would examine M * M members.
    const auto isIn = [incarnation](
                          const MemberInfo& m) { return m.holder.incarnation == incarnation && !m.hasFailed(); };
    const auto seen = m_seenIn.find(incarnation);
    const auto last = seen == m_seenIn.end() ? m_groups.end() : m_groups.find(seen->second);
    const auto has = [&isIn](const Group& group) {
        const auto hasOne = [&isIn](const auto& members) {
            return std::any_of(members.begin(), members.end(), [&isIn](const auto& m) { return isIn(m.second); });
        };
        return hasOne(group.data) || hasOne(group.parity);
    };
    if (last != m_groups.end() && has(last->second))
        return true;
    if (seen != m_seenIn.end())
        m_seenIn.erase(seen);
    const auto found = std::find_if(m_groups.begin(), m_groups.end(), [&has](const auto& g) { return has(g.second); });
    if (found == m_groups.end())
        return false;
    m_seenIn.emplace(incarnation, found->first);
    return true;
}

} // namespace lhrs
