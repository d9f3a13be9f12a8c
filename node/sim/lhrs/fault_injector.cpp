// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/lhrs/fault_injector.h"

#include "node/lhrs/coordinator/coordinator.h"
#include "node/lhrs/server/node_machine.h"

#include <algorithm>
#include <chrono>

namespace lhrs {

namespace {

// For this long after a process has returned, it may still be declared failed.
constexpr Time kGrace = 2s;

} // namespace

FaultInjector::FaultInjector(const pb::Case& told, SimCluster& cluster, Oracle& oracle)
    : m_case(told), m_cluster(cluster), m_oracle(oracle)
{
    const pb::NetworkFaults& network = told.network();
    const bool isSlow = network.jitter_us() > 5'000 || network.spikes() > 0 || network.clogs() > 0;
    oracle.losses().setBounded(
        !told.is_unbounded(), network.loss() > 0 || isSlow || told.step_ns() > 20'000 || told.failpoints_size() > 0);
}

void FaultInjector::begin(const SimProcess& coordinator) { m_coordinator = &coordinator; }

void FaultInjector::coordinatorEnds()
{
    m_formerFile = std::make_unique<FileState>(file());
    // The next coordinator may consider a member dead that is silent for only a moment.
    m_oracle.losses().setBounded(!m_case.is_unbounded(), true);
}

const FileState& FaultInjector::file() const
{
    const auto* coordinator = dynamic_cast<const Coordinator*>(m_coordinator->machine.get());
    return coordinator && coordinator->file().exists() ? coordinator->file() : *m_formerFile;
}

bool FaultInjector::isAnyHeard(std::uint32_t but) const
{
    for (const auto& [g, group] : file().groups()) {
        std::vector<Victim> members;
        addMembers(g, pb::NO_ROLE, members);
        for (const Victim& member : members)
            if (member.process != but && !isAway(member.process))
                return true;
    }
    return false;
}

Incarnation FaultInjector::placeOf(const SimProcess& process)
{
    const auto* node = dynamic_cast<const NodeMachine*>(process.machine.get());
    if (node && node->dataBucket())
        return node->dataBucket()->incarnation();
    return node && node->parityBucket() ? node->parityBucket()->incarnation() : Incarnation();
}

bool FaultInjector::isAway(std::uint32_t process) const
{
    const SimProcess* found = m_cluster.at(Address { process, 0, 0 });
    if (!found || found->isGone())
        return true;
    const auto away = m_away.find(process);
    if (away == m_away.end() || away->second.until <= m_cluster.now())
        return false;
    // A process that has received another place since then has answered.
    return away->second.end > m_cluster.now() || away->second.place == placeOf(*found);
}

bool FaultInjector::isAway(const FileState::MemberInfo& member) const
{
    if (member.hasFailed() || isAway(member.holder.address.ip.number()))
        return true;
    // A rebuilt bucket that does not yet know that it is enabled: only the coordinator knows that it counts, and the
    // coordinator may end too.
    const auto* node = dynamic_cast<const NodeMachine*>(m_cluster.at(member.holder.address)->machine.get());
    return node && node->dataBucket() && node->dataBucket()->incarnation() == member.holder.incarnation
        && node->dataBucket()->state() == pb::RECOVERING;
}

// How many more members of the group may fail now without a loss.
std::uint32_t FaultInjector::bearable(GroupNumber g) const
{
    const FileState::Group& group = file().groups().at(g);
    const std::set<std::uint32_t> counted = m_oracle.availability().countedColumns(g.value);
    const bool isNew = !m_oracle.availability().isCreated(g.value); // the split that creates the group is under way
    const auto k = isNew ? std::uint32_t(group.parity.size()) : group.k;
    std::uint32_t away = 0;
    for (const auto& [q, member] : group.data)
        away += isAway(member) ? 1 : 0;
    for (ParityColumn p; p.value < k; p = p.next()) {
        const auto member = group.parity.find(p);
        const bool isThere = member != group.parity.end() && member->second.state == pb::UP
            && (isNew || counted.contains(p.value)) && !isAway(member->second);
        away += isThere ? 0 : 1;
    }
    return k > away ? k - away : 0;
}

void FaultInjector::addMembers(GroupNumber g, pb::Role role, std::vector<Victim>& found) const
{
    const FileState::Group& group = file().groups().at(g);
    for (const auto& [q, member] : group.data)
        if (role != pb::PARITY)
            found.push_back({ member.holder.address.ip.number(), g, !isAway(member), true });
    const std::set<std::uint32_t> counted = m_oracle.availability().countedColumns(g.value);
    for (const auto& [p, member] : group.parity)
        if (role != pb::DATA)
            found.push_back({ member.holder.address.ip.number(), g,
                member.state == pb::UP && !isAway(member)
                    && (!m_oracle.availability().isCreated(g.value) || counted.contains(p.value)),
                true });
}

std::vector<FaultInjector::Victim> FaultInjector::applyTo(const pb::CaseAction& action) const
{
    std::vector<Victim> found;
    const auto& groups = file().groups();
    const auto each = [&](pb::Role role) {
        for (const auto& [g, group] : groups)
            addMembers(g, role, found);
    };
    switch (static_cast<int>(action.target())) {
    case pb::CaseAction::MEMBER: each(pb::NO_ROLE); break;
    case pb::CaseAction::DATA_MEMBER: each(pb::DATA); break;
    case pb::CaseAction::PARITY_MEMBER: each(pb::PARITY); break;
    case pb::CaseAction::SPLIT_END:
        for (const auto& [g, group] : groups)
            for (const auto& [q, member] : group.data)
                if (member.state == pb::SPLITTING || member.state == pb::MERGING || member.state == pb::INIT)
                    found.push_back({ member.holder.address.ip.number(), g, !isAway(member), true });
        break;
    case pb::CaseAction::MANAGER:
        for (const auto& [g, group] : groups)
            if (const auto manager = group.parity.find(group.manager);
                group.state != pb::GROUP_UP && manager != group.parity.end())
                found.push_back({ manager->second.holder.address.ip.number(), g, !isAway(manager->second), true });
        break;
    case pb::CaseAction::NEWCOMER:
    case pb::CaseAction::IDLE_SPARE:
        for (const auto& process : m_cluster.processes()) {
            const auto* node = dynamic_cast<const NodeMachine*>(process->machine.get());
            if (!node)
                continue;
            const bool isSpare = !node->dataBucket() && !node->parityBucket();
            const bool isNew = (node->dataBucket() && node->dataBucket()->state() == pb::RECOVERING)
                || (node->parityBucket() && node->parityBucket()->state() == pb::INIT);
            if (action.target() == pb::CaseAction::IDLE_SPARE ? isSpare : isNew)
                found.push_back({ process->index, m_lastGroup, false });
        }
        break;
    case pb::CaseAction::COORDINATOR_ITSELF: found.push_back({ m_coordinator->index, m_lastGroup, false }); break;
    case pb::CaseAction::SAME_GROUP:
        if (groups.contains(m_lastGroup))
            addMembers(m_lastGroup, pb::NO_ROLE, found);
        break;
    case pb::CaseAction::A_CLIENT: {
        for (const auto& process : m_cluster.processes())
            if (process->info.kind() == pb::CLIENT && !process->isGone())
                found.push_back({ process->index, m_lastGroup, false });
        if (found.size() == 1 && action.kind() == pb::CaseAction::KILL)
            found.clear();
        break;
    }
    default: break;
    }
    std::erase_if(found, [this](const Victim& victim) {
        const SimProcess* process = m_cluster.at(Address { victim.process, 0, 0 });
        return !process || process->isGone();
    });
    return found;
}

void FaultInjector::mark(const Victim& victim, Time time)
{
    const SimProcess& process = *m_cluster.at(Address { victim.process, 0, 0 });
    Away& away = m_away[victim.process];
    away.end = std::max(away.end, m_cluster.now() + time);
    away.until = away.end + kGrace;
    away.place = placeOf(process);
    m_oracle.losses().onDisturbed(process);
}

void FaultInjector::hit(const pb::CaseAction& action)
{
    if (!m_coordinator || action.kind() == pb::CaseAction::NOTHING)
        return;
    const std::vector<Victim> all = applyTo(action);
    if (all.empty())
        return;
    const Victim& victim = all[action.pick() % all.size()];
    const bool isCoordinator = victim.process == m_coordinator->index;
    const bool isSeenByCoordinator = (action.kind() != pb::CaseAction::PART
                                         && action.kind() != pb::CaseAction::SET_WALL_CLOCK)
        || action.side() == pb::CaseAction::ALL || action.side() == pb::CaseAction::THE_COORDINATOR;
    // (A victim that is already away is no additional loss. If k is 0, any member is a loss: it may have been hit as a
    // spare and have returned.)
    const bool isLoss = victim.isCounted || (victim.isMember && file().groups().at(victim.group).k == 0);
    if (!m_case.is_unbounded() && isSeenByCoordinator && isLoss && bearable(victim.group) == 0) {
        ++m_counts.spared;
        return;
    }
    const auto* coordinator = dynamic_cast<const Coordinator*>(m_coordinator->machine.get());
    const bool isKnown = coordinator && !coordinator->isListening();
    if (!isKnown && (!isAnyHeard(victim.process) || (isCoordinator && action.kind() == pb::CaseAction::PART)))
        return;
    m_lastGroup = victim.group;
    if (action.target() == pb::CaseAction::NEWCOMER)
        m_oracle.losses().onHitOnItsWay(victim.process);
    if (isCoordinator) // it may consider processes dead that it cannot hear
        m_oracle.losses().setBounded(!m_case.is_unbounded(), true);
    const Time time = std::chrono::milliseconds(action.duration_ms());
    switch (static_cast<int>(action.kind())) {
    case pb::CaseAction::KILL:
        if (isCoordinator)
            return;
        if (action.target() == pb::CaseAction::A_CLIENT) {
            ++m_counts.clients;
            onClientKilled(victim.process);
            m_cluster.kill(victim.process);
            return;
        }
        ++m_counts.kills;
        m_oracle.onKilled(*m_cluster.at(Address { victim.process, 0, 0 }));
        m_cluster.kill(victim.process);
        return;
    case pb::CaseAction::PAUSE:
        ++m_counts.pauses;
        mark(victim, time);
        m_cluster.pause(victim.process, time);
        return;
    case pb::CaseAction::SET_WALL_CLOCK:
        m_cluster.setWallClock(victim.process, std::chrono::hours(action.argument()));
        return;
    case pb::CaseAction::SLOW:
        ++m_counts.slow;
        mark(victim, time);
        m_cluster.slowDown(victim.process, action.argument(), time);
        return;
    case pb::CaseAction::PART:
        ++m_counts.parts;
        if (isSeenByCoordinator)
            mark(victim, time);
        part(action, victim, time);
        return;
    default: return;
    }
}

void FaultInjector::part(const pb::CaseAction& action, const Victim& victim, Time time)
{
    std::set<std::uint32_t> others;
    switch (static_cast<int>(action.side())) {
    case pb::CaseAction::ALL:
        for (const auto& process : m_cluster.processes())
            others.insert(process->index);
        break;
    case pb::CaseAction::ITS_GROUP:
    case pb::CaseAction::ONE_OF_ITS_GROUP: {
        std::vector<Victim> members;
        if (file().groups().contains(victim.group))
            addMembers(victim.group, pb::NO_ROLE, members);
        std::erase_if(members, [&](const Victim& member) { return member.process == victim.process; });
        if (!members.empty() && action.side() == pb::CaseAction::ONE_OF_ITS_GROUP)
            members = { members[action.argument() % members.size()] };
        for (const Victim& member : members)
            others.insert(member.process);
        break;
    }
    case pb::CaseAction::THE_COORDINATOR: others.insert(m_coordinator->index); break;
    case pb::CaseAction::THE_CLIENTS:
        for (const auto& process : m_cluster.processes())
            if (process->info.kind() == pb::CLIENT)
                others.insert(process->index);
        break;
    default: break;
    }
    others.erase(victim.process);
    const Time until = m_cluster.now() + time;
    if (action.direction() != 2)
        m_cluster.part({ { victim.process }, others, until });
    if (action.direction() != 1)
        m_cluster.part({ others, { victim.process }, until });
}

void FaultInjector::end()
{
    std::vector<std::uint32_t> paused;
    for (const auto& process : m_cluster.processes())
        if (process->pausedUntil() > m_cluster.now() && process->info.kind() == pb::NODE)
            paused.push_back(process->index);
    for (const std::uint32_t process : paused) {
        if (!m_case.paused_die())
            continue;
        ++m_counts.kills;
        m_oracle.onKilled(*m_cluster.at(Address { process, 0, 0 }));
        m_cluster.kill(process);
    }
    m_cluster.heal();
}

} // namespace lhrs
