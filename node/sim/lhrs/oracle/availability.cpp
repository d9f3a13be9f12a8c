// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/lhrs/oracle/availability.h"

#include "node/lhrs/coordinator/coordinator.h"
#include "node/lhrs/server/node_machine.h"

#include <algorithm>

namespace lhrs {

namespace {

bool isCountedOn(const pb::Member& member) { return member.role() == pb::PARITY && member.state() == pb::UP; }

} // namespace

// ---- what the parity buckets have applied

void Availability::remember(const SimProcess& process)
{
    const ParityBucket* parity = m_places.parityBucketAt(process.index);
    if (!parity)
        return;
    std::vector<std::uint64_t>& applied = m_applied[parity->incarnation().value];
    applied.resize(m_settings.m);
    for (std::uint32_t q = 0; q < m_settings.m; ++q)
        applied[q] = parity->applied(Position(q));
}

std::uint64_t Availability::appliedBy(const pb::Member& member, Position q) const
{
    const ParityBucket* parity = m_places.parityBucketAt(member.holder().address().ip());
    if (parity && parity->incarnation().value == member.holder().incarnation())
        return parity->applied(q);
    const auto last = m_applied.find(member.holder().incarnation());
    return last == m_applied.end() ? 0 : last->second[q.value]; // its last state: the process has ended
}

std::vector<Availability::Column> Availability::columnsOf(const DataBucket& bucket) const
{
    std::vector<Column> columns;
    for (const pb::Member& member : bucket.view().members())
        if (isCountedOn(member))
            columns.push_back({ member.index(), appliedBy(member, positionOf(bucket.number(), m_settings.m)) });
    return columns;
}

std::set<std::uint32_t> Availability::countedColumns(std::uint32_t group) const
{
    if (counts().rebuilt == 0) {
        const auto columns = m_columns.find(group);
        return columns == m_columns.end() ? std::set<std::uint32_t>() : columns->second;
    }
    // No event reports what a later coordinator found. The counted columns are those on which every bucket of the group
    // relies and which have everything that the bucket has acknowledged to clients.
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> counted; // (column, incarnation)
    std::uint32_t members = 0;
    for (std::uint32_t number = group * m_settings.m; number < (group + 1) * m_settings.m; ++number) {
        const DataBucket* bucket = m_places.dataBucket(number);
        if (!bucket || m_places.isGone(number))
            continue;
        ++members;
        const auto told = m_told.find(number);
        for (const pb::Member& member : bucket->view().members())
            if (isCountedOn(member)
                && appliedBy(member, Position(number % m_settings.m)) >= (told == m_told.end() ? 0 : told->second))
                ++counted[{ member.index(), member.holder().incarnation() }];
    }
    if (members == 0) // only parity buckets of the group are left: all of them are needed
        for (const auto& process : m_cluster.processes())
            if (const ParityBucket* parity = m_places.parityBucketAt(process->index);
                parity && parity->group().value == group && parity->state() == pb::UP)
                counted[{ parity->column().value, parity->incarnation().value }] = 0;
    std::set<std::uint32_t> columns;
    for (const auto& [column, count] : counted)
        // A column in creation counts only once the coordinator knows it.
        if (count == members && !m_inCreation.contains({ group, column.first }))
            columns.insert(column.first);
    return columns;
}

// ---- the coordinator

void Availability::onCoordinatorEvent(const pb::Event& event)
{
    using B = pb::Event;
    switch (static_cast<int>(event.body_case())) {
    case B::kSplitCommitted:
        m_isRaisedEarly = false;
        judge();
        break;
    case B::kMergeFinished: {
        const std::uint32_t groups = std::uint32_t((m_growth.state().buckets() + m_settings.m - 1) / m_settings.m);
        m_k.erase(m_k.lower_bound(groups), m_k.end());
        m_columns.erase(m_columns.lower_bound(groups), m_columns.end());
        break;
    }
    case B::kGroupCreated: onGroupCreated(event.group_created()); break;
    case B::kParityAdded: onParityAdded(event.parity_added()); break;
    case B::kParityCreationOrdered:
        m_inCreation.emplace(event.parity_creation_ordered().group(), event.parity_creation_ordered().column());
        break;
    case B::kParityCreationUndone:
        m_inCreation.erase({ event.parity_creation_undone().group(), event.parity_creation_undone().column() });
        break;
    case B::kAvailabilityRaised:
        if (m_intended != 0 && event.availability_raised().availability() > m_intended + 1)
            fail(12, "the intended availability jumped from ", m_intended, " to ",
                event.availability_raised().availability());
        m_isRaisedEarly = true;
        break;
    case B::kFileStateChanged:
        m_intended = event.file_state_changed().availability();
        judge();
        break;
    default: break;
    }
}

void Availability::onGroupCreated(const pb::GroupCreated& created)
{
    m_k[created.group()] = created.k();
    // A column that failed while the split was under way counts only after it has been rebuilt.
    for (std::uint32_t p = 0; p < created.k(); ++p)
        if (!m_failedEarly.contains({ created.group(), p }))
            m_columns[created.group()].insert(p);
    onUndone(created.group());
}

void Availability::onUndone(std::uint32_t group)
{
    std::erase_if(m_failedEarly, [group](const auto& column) { return column.first == group; });
}

void Availability::onFailed(const pb::BucketFailed& failed)
{
    if (failed.role() != pb::PARITY)
        return;
    m_columns[failed.group()].erase(failed.index());
    if (!isCreated(failed.group()))
        m_failedEarly.insert({ failed.group(), failed.index() });
}

// k is raised: all members must rely on the new parity bucket, and it must have everything that they have acknowledged.
void Availability::onParityAdded(const pb::ParityAdded& added)
{
    m_k[added.group()] = added.k();
    m_columns[added.group()].insert(added.column());
    m_inCreation.erase({ added.group(), added.column() });
    ++counts().parityAdded;
    for (const auto& [number, holder] : m_places.holders()) {
        const DataBucket* bucket = m_places.dataBucket(number);
        if (!bucket || m_places.isGone(number) || !m_growth.isOfFile(number) || number / m_settings.m != added.group())
            continue;
        const std::vector<Column> columns = columnsOf(*bucket);
        const auto column = std::find_if(
            columns.begin(), columns.end(), [&](const Column& c) { return c.column == added.column(); });
        if (column == columns.end())
            fail(12, "k of group ", added.group(), " was raised, but bucket ", number,
                " does not count on parity bucket ", added.column());
        else if (column->applied < bucket->link().heldByAll())
            fail(12, "k of group ", added.group(), " was raised while parity bucket ", added.column(), " has applied ",
                column->applied, " of ", bucket->link().heldByAll(), " acknowledged changes of bucket ", number);
    }
    judge();
}

void Availability::onRebuilt(const FileState& file, std::uint32_t buckets)
{
    m_inCreation.clear();
    m_k.clear();
    for (const auto& [g, group] : file.groups())
        if (g.value < (buckets + m_settings.m - 1) / m_settings.m)
            m_k[g.value] = group.k;
    // If whole groups are missing, the rebuilt file may be smaller than the one for which K was raised. Or the former
    // coordinator raised K after its successor had begun to listen.
    m_isRaisedEarly = m_isRaisedEarly || !m_losses.isBounded() || file.availability() > m_intended;
    m_intended = file.availability();
}

// ---- checks

void Availability::judge()
{
    if (m_growth.hasMerged())
        return; // a merge lowers neither K nor the k of any group
    std::vector<check::GroupAvailability> groups;
    for (const auto& [number, k] : m_k) {
        // A coordinator that starts may decide a split before it reports which groups are lost.
        const Coordinator* knows = m_places.coordinator();
        const bool isLost = knows && knows->file().groups().contains(GroupNumber(number))
            && knows->file().groups().at(GroupNumber(number)).state == pb::GROUP_LOST;
        if (!isLost && !m_losses.groups().contains(number))
            groups.push_back({ number, k });
    }
    // K rises while the split pointer is at bucket 0; until that split is decided, all groups are one behind.
    const check::FileState& now = m_growth.state();
    const check::FileState file = m_isRaisedEarly && now.n == 0 ? check::FileState { now.i, 1 } : now;
    report(check::checkAvailability(file, m_intended, groups));
}

void Availability::checkAtRest(const pb::FileDescription& file, const std::set<std::uint32_t>& leftOut)
{
    for (const pb::FileDescription::Group& group : file.groups()) {
        const auto& members = group.view().members();
        if (!leftOut.contains(group.number()))
            m_k[group.number()] = std::uint32_t(std::count_if(
                members.begin(), members.end(), [](const pb::Member& m) { return m.role() == pb::PARITY; }));
    }
    m_intended = file.availability();
    judge();
}

} // namespace lhrs
