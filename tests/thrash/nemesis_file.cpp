// SPDX-License-Identifier: GPL-3.0-or-later
// Disturbances of the file, the pools of spares, the coordinator, and by clients.
#include "tests/thrash/nemesis.h"

#include <algorithm>

namespace lhrs::thrash {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr auto kBetweenRestarts = 4s; // a coordinator needs a while to find the file again; times the time scale
constexpr std::uint32_t kSparesMax = 2; // per pool, above the number in the shape

const char* const kCoordinatorEvents[] = { "split_ordered", "split_committed", "split_finished", "merge_ordered",
    "merge_committed", "parity_creation_ordered", "parity_added", "epoch_changed", "bucket_failed", "recovery_started",
    "recovery_finished", "file_state_changed", "invitation_sent", "member_suspected" };

} // namespace

// An order to the coordinator counts as open until it is answered, or until that coordinator is gone.
void Nemesis::order(pb::Command command)
{
    {
        const std::lock_guard lock(m_described->mutex);
        ++m_described->ordered;
    }
    m_lastHurt = Clock::now();
    m_fleet.control().call(
        m_fleet.coordinator()->info.node(), std::move(command), 10min, [described = m_described](const gui::Answer&) {
            const std::lock_guard lock(described->mutex);
            --described->ordered;
        });
}

bool Nemesis::split()
{
    const auto known = file();
    if (!known || m_fleet.coordinator() == nullptr || !known->at_rest() || known->buckets() >= m_shape.bucketsMax)
        return false;
    {
        const std::lock_guard lock(m_described->mutex);
        if (m_described->ordered > 0 || m_lastHurt > m_described->from)
            return false; // an order is carried out or waits for a spare, but is never forgotten
    }
    m_tell("split, M = " + std::to_string(known->buckets()));
    pb::Command command;
    command.mutable_force_split();
    order(std::move(command));
    return true;
}

bool Nemesis::merge()
{
    const auto known = file();
    if (!known || m_fleet.coordinator() == nullptr || !known->at_rest() || known->buckets() == 1)
        return false;
    {
        const std::lock_guard lock(m_described->mutex);
        if (m_described->ordered > 0)
            return false;
    }
    m_tell("merge, M = " + std::to_string(known->buckets()));
    pb::Command command;
    command.mutable_force_merge();
    order(std::move(command));
    return true;
}

// Once per cluster, K of the file grows by one; then the groups get their parity buckets.
bool Nemesis::addParity()
{
    const auto known = file();
    if (!known || m_fleet.coordinator() == nullptr)
        return false;
    pb::Command command;
    for (const auto& group : known->groups()) {
        if (group.k() < known->availability() && known->at_rest()) {
            m_tell("a parity bucket more for group " + std::to_string(group.number()));
            command.mutable_create_parity()->set_group(group.number());
            order(std::move(command));
            return true;
        }
    }
    if (known->availability() > m_shape.k)
        return false;
    const std::uint32_t groups = (m_shape.bucketsMax + m_shape.m - 1) / m_shape.m;
    const std::uint32_t servers = groups * (m_shape.k + 1) + 1;
    while (m_wanted[Kind::ParityNode] < servers) {
        ++m_wanted[Kind::ParityNode];
        m_successors.emplace(Clock::now(), Kind::ParityNode);
    }
    m_tell("K = " + std::to_string(m_shape.k + 1));
    command.mutable_raise_availability()->set_availability(m_shape.k + 1);
    order(std::move(command));
    return true;
}

bool Nemesis::addSpare()
{
    const Kind kind = m_draws.chance(500) ? Kind::DataNode : Kind::ParityNode;
    const std::uint32_t usual = kind == Kind::DataNode ? m_shape.dataNodes : m_shape.parityNodes;
    if (m_wanted[kind] >= usual + kSparesMax)
        return false;
    ++m_wanted[kind];
    m_tell("one spare more");
    m_successors.emplace(Clock::now(), kind);
    return true;
}

// A server that is idle, or on its way into a group at this moment.
bool Nemesis::endSpare()
{
    const auto known = file();
    const Kind kind = m_draws.chance(500) ? Kind::DataNode : Kind::ParityNode;
    std::uint32_t needed = kind == Kind::DataNode ? m_shape.dataNodes : m_shape.parityNodes;
    if (!known)
        return false;
    if (kind == Kind::ParityNode && known->availability() > m_shape.k)
        needed = std::max(needed, (m_shape.bucketsMax + m_shape.m - 1) / m_shape.m * known->availability() + 1);
    if (m_wanted[kind] <= needed)
        return false;
    const std::set<std::uint64_t> holders = holdersIn(*known);
    for (Process* spare : m_fleet.living(kind)) {
        if (holders.contains(spare->info.node()) || isHurt(*spare) || !mayHurt({ spare->info.node() }))
            continue;
        m_tell("end the spare " + spare->name);
        --m_wanted[kind];
        hurtFor(*spare, 2s);
        Fleet::letEnd(*spare);
        pb::Command command;
        command.mutable_shutdown();
        m_fleet.control().call(spare->info.node(), command, 10s, [](const gui::Answer&) {}); // its end shows
        return true;
    }
    return false;
}

bool Nemesis::wasRestartedLately() const
{
    return Clock::now() < m_fleet.coordinatorGone()
        + std::chrono::duration_cast<milliseconds>(kBetweenRestarts * std::max(m_shape.timeScale, 1.0));
}

bool Nemesis::restartCoordinator()
{
    Process* coordinator = m_fleet.coordinator();
    if (!m_options.restartsCoordinator || coordinator == nullptr || wasRestartedLately())
        return false;
    m_tell("kill the coordinator");
    m_fleet.kill(*coordinator);
    return true; // its successor is started like any other
}

// Crashes in the middle of an activity, if there is one soon; a split or a merge causes some.
bool Nemesis::crashCoordinator()
{
    Process* coordinator = m_fleet.coordinator();
    if (!m_options.restartsCoordinator || coordinator == nullptr || coordinator->isPaused || wasRestartedLately())
        return false;
    pb::Fault fault;
    fault.mutable_crash()->set_at(kCoordinatorEvents[m_draws.below(std::size(kCoordinatorEvents))]);
    fault.mutable_crash()->set_count(1 + std::uint32_t(m_draws.below(2)));
    const milliseconds lease = drawTime(2'000, 5'000);
    m_tell("crash the coordinator at " + fault.crash().at() + " " + std::to_string(fault.crash().count()));
    Fleet::letEnd(*coordinator);
    arm({ coordinator }, fault, lease);
    hurtFor(*coordinator, lease);
    if (m_draws.chance(500))
        split();
    else
        merge();
    return true;
}

bool Nemesis::callCrowd()
{
    Process* coordinator = m_fleet.coordinator();
    if (coordinator == nullptr || coordinator->isPaused || m_crowd || isTooSoon("crowd", 20s))
        return false;
    m_tell("1,000 short clients");
    m_crowd = std::make_unique<Crowd>(Address::from(coordinator->info.address()), m_options.seed, ++m_crowds);
    return true;
}

std::optional<Crowd::Outcome> Nemesis::takeCrowd()
{
    if (!m_crowd || !m_crowd->isOver())
        return std::nullopt;
    const Crowd::Outcome outcome = m_crowd->outcome();
    m_crowd.reset();
    return outcome;
}

bool Nemesis::awaitCrowd(milliseconds patience) const
{
    const auto end = Clock::now() + patience;
    while (m_crowd && !m_crowd->isOver()) {
        if (Clock::now() > end)
            return false;
        std::this_thread::sleep_for(5ms); // polling
    }
    return true;
}

} // namespace lhrs::thrash
