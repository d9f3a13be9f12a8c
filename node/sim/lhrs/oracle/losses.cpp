// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/lhrs/oracle/losses.h"

#include "node/lhrs/coordinator/coordinator.h"
#include "node/lhrs/data/data_bucket.h"

#include <algorithm>

namespace lhrs {

bool Losses::isStuck(std::uint64_t key) const
{
    const std::uint32_t number = m_growth.bucketOf(key);
    const DataBucket* bucket = m_places.dataBucket(number);
    // More members have ended than the group tolerates, among them the bucket or its lease granters, and this has not
    // been noticed yet.
    if (!m_isBounded && (!bucket || isInLostGroup(key)))
        return true;
    // A decided split whose source is lost waits for an operator, and so do the recoveries in its target's group.
    return !m_groups.empty() && bucket
        && (bucket->state() == pb::INIT
            || !m_places.coordinator()->growth().isSettled(GroupNumber(number / m_settings.m)));
}

bool Losses::isLeftOut(const pb::FileDescription::Group& group) const
{
    const auto& members = group.view().members();
    // The target of a decided split or merge waits for its source, which may be lost.
    const bool isStuck = !m_groups.empty()
        && (!m_places.coordinator()->growth().isSettled(GroupNumber(group.number()))
            || std::any_of(members.begin(), members.end(), [](const pb::Member& m) { return m.state() == pb::INIT; }));
    // More members have ended than the parity can replace, and their absence has not been noticed for long enough.
    const auto gone = std::count_if(members.begin(), members.end(),
        [this](const pb::Member& m) { return !m_places.node(m.holder().address().ip()); });
    return m_groups.contains(group.number()) || isStuck || (!m_isBounded && gone > std::ptrdiff_t(group.k()));
}

void Losses::onFailed(const pb::BucketFailed& failed, std::uint64_t incarnation)
{
    const SimProcess* process = m_cluster.numbered(NodeId(failed.process()));
    if (process == nullptr || process->isGone())
        return;
    if (incarnation != 0)
        m_declaredAlive.insert(incarnation);
    if (failed.role() == pb::PARITY)
        m_columnsDeclaredAlive.insert({ failed.group(), failed.index() });
}

void Losses::onLost(const pb::GroupLost& lost)
{
    const bool isNew = m_groups.insert(lost.group()).second;
    counts().lost += isNew ? 1 : 0;
    m_buckets.insert(lost.buckets().begin(), lost.buckets().end());
    if (!isNew)
        return;
    const FileState::Group& group = m_places.coordinator()->file().groups().at(GroupNumber(lost.group()));
    std::uint32_t failed = 0, falsely = 0;
    bool isUncounted = false;
    const auto count = [&](const FileState::MemberInfo& member, const SimProcess* process) {
        if (!member.hasFailed())
            return;
        ++failed;
        isUncounted = isUncounted || (process && m_hitOnTheirWay.contains(process->index));
        const bool isAlive = process && (!process->isGone() && !m_disturbed.contains(process->index));
        falsely += isAlive || m_declaredAlive.contains(member.holder.incarnation.value) ? 1 : 0;
    };
    for (const auto& [q, member] : group.data) {
        // A bucket from which a later coordinator heard nothing has no holder in its table.
        const Places::Holder* known = m_places.holderOf(bucketAt(GroupNumber(lost.group()), q, m_settings.m).value);
        const bool isUnheard = member.holder.node.value == 0 && known;
        count(member,
            isUnheard ? m_cluster.at(Address { known->process, 0, 0 }) : m_cluster.numbered(member.holder.node));
    }
    std::uint32_t columns = 0;
    for (const auto& [p, member] : group.parity) {
        count(member, m_cluster.numbered(member.holder.node));
        columns += p.value < group.k ? 1 : 0;
    }
    failed += group.k - columns;
    // Columns that were declared failed while alive and have not been rebuilt since.
    for (ParityColumn p; p.value < group.k; p = p.next())
        falsely += !group.parity.contains(p) && m_columnsDeclaredAlive.contains({ lost.group(), p.value }) ? 1 : 0;
    if (failed <= group.k && (m_isBounded || counts().rebuilt == 0))
        fail(18, "group ", lost.group(), " is declared lost, and ", failed, " members failed where k = ", group.k);
    if (m_isBounded && !isUncounted && (falsely == 0 || !m_isNetworkBad))
        fail(18, "group ", lost.group(), " is lost (", failed, " members, k = ", group.k,
            ") although no more were killed or disturbed than it bears at any time");
}

void Losses::onRebuilt(GroupNumber g, const FileState::Group& group)
{
    // The coordinator that called the group lost told no process. The group is recovered from the survivors, and
    // nothing may be missing.
    if (group.state != pb::GROUP_LOST && m_groups.erase(g.value) > 0)
        std::erase_if(m_buckets, [&](std::uint32_t number) { return number / m_settings.m == g.value; });
    for (const auto& [q, member] : group.data)
        if (!member.hasFailed())
            m_buckets.erase(bucketAt(g, q, m_settings.m).value);
}

} // namespace lhrs
