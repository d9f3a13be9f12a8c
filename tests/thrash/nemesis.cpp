// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/thrash/nemesis.h"

#include <algorithm>
#include <array>

namespace lhrs::thrash {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr auto kDescribePeriod = 100ms;
constexpr auto kCalm = 700ms; // after a pause or a cut, until a process counts as well again; times the time scale

} // namespace

Nemesis::Nemesis(Fleet& fleet, const Shape& shape, const Options& options, std::function<void(const std::string&)> tell)
    : m_fleet(fleet), m_shape(shape), m_options(options), m_tell(std::move(tell)),
      m_draws(options.seed, DrawnFor::Faults), m_next(Clock::now() + 500ms),
      m_wanted({ { Kind::Coordinator, 1 }, { Kind::DataNode, shape.dataNodes }, { Kind::ParityNode, shape.parityNodes },
          { Kind::Client, shape.clients } })
{
}

// ---- the coordinator's description

void Nemesis::describe()
{
    const auto now = Clock::now();
    Process* coordinator = m_fleet.coordinator();
    {
        const std::lock_guard lock(m_described->mutex);
        if (coordinator == nullptr || m_described->isAsked || now < m_described->asked + kDescribePeriod)
            return;
        m_described->isAsked = true;
        m_described->asked = now;
    }
    pb::Command command;
    command.mutable_describe_file();
    m_fleet.control().call(
        coordinator->info.node(), command, 2s, [described = m_described, now](const gui::Answer& answer) {
            const std::lock_guard lock(described->mutex);
            described->isAsked = false;
            if (!answer)
                return;
            described->from = now;
            described->file = answer.reply.file();
        });
}

std::optional<pb::FileDescription> Nemesis::file() const
{
    const bool isAlone = m_fleet.coordinator() == nullptr;
    const std::lock_guard lock(m_described->mutex);
    if (!m_described->file.exists())
        return std::nullopt;
    const bool isFixed = isAlone && m_described->file.at_rest() && m_described->ordered == 0
        && m_lastHurt < m_described->from;
    if (!isFixed && m_described->from + 1s < Clock::now())
        return std::nullopt;
    return m_described->file;
}

pb::FileDescription Nemesis::lastDescription() const
{
    const std::lock_guard lock(m_described->mutex);
    return m_described->file;
}

std::set<std::uint64_t> Nemesis::holdersIn(const pb::FileDescription& file)
{
    std::set<std::uint64_t> holders;
    for (const auto& group : file.groups())
        for (const pb::Member& member : group.view().members())
            holders.insert(member.holder().node());
    return holders;
}

std::uint32_t Nemesis::groups() const
{
    const std::lock_guard lock(m_described->mutex);
    return std::uint32_t(m_described->file.groups_size());
}

std::string Nemesis::whatIsMissing()
{
    replaceEnded(); // a process that was started without a coordinator may have ended since
    launchDue();
    describe();
    const std::lock_guard lock(m_described->mutex);
    const pb::FileDescription& file = m_described->file;
    if (m_described->from <= m_mended)
        return "the coordinator does not describe the file";
    std::string missing;
    const auto miss = [&missing](const std::string& what) { missing += (missing.empty() ? "" : "; ") + what; };
    if (!m_successors.empty() || m_fleet.living(Kind::Client).empty())
        miss("processes are still to be started");
    if (!file.at_rest())
        miss("not at rest: " + file.under_way());
    std::uint32_t members = 0;
    for (const auto& group : file.groups()) {
        const std::string name = "group " + std::to_string(group.number());
        const pb::View& view = group.view();
        members += std::uint32_t(view.members_size());
        if (view.state() != pb::GROUP_UP)
            miss(name + " is " + pb::GroupState_Name(view.state()));
        std::uint32_t parity = 0;
        for (const pb::Member& member : view.members()) {
            parity += member.role() == pb::PARITY ? 1 : 0;
            if (member.state() != pb::UP)
                miss(name + ": " + pb::Role_Name(member.role()) + " " + std::to_string(member.index()) + " is "
                    + pb::MemberState_Name(member.state()));
            else if (m_fleet.find(member.holder().node()) == nullptr)
                miss(name + ": " + pb::Role_Name(member.role()) + " " + std::to_string(member.index())
                    + " has no living holder");
        }
        if (parity != group.k() || group.k() + 1 < file.availability() || group.k() < m_shape.k)
            miss(name + " has " + std::to_string(parity) + " parity buckets, k = " + std::to_string(group.k())
                + ", and K is " + std::to_string(file.availability()));
    }
    const auto nodes = m_fleet.living(Kind::DataNode).size() + m_fleet.living(Kind::ParityNode).size();
    if (members + file.data_spares() + file.parity_spares() != nodes)
        miss("of " + std::to_string(nodes) + " nodes " + std::to_string(members) + " are members, "
            + std::to_string(file.data_spares()) + " and " + std::to_string(file.parity_spares()) + " are spares");
    return missing;
}

// ---- which processes may be hurt

bool Nemesis::isHurt(const Process& process) const
{
    return process.hasEnded || process.isPaused || Clock::now() < process.calmFrom;
}

// Whether every group survives it if these are hurt as well. A hurt process in no view may be on its way into one, so
// it counts in all groups.
bool Nemesis::mayHurt(const std::set<std::uint64_t>& nodes)
{
    const auto known = file();
    if (!known)
        return false;
    const std::set<std::uint64_t> members = holdersIn(*known);
    std::uint32_t loose = 0;
    for (const auto& process : m_fleet.all())
        if (process->isNode() && !members.contains(process->info.node()) && !nodes.contains(process->info.node()))
            loose += process->isPaused || Clock::now() < process->calmFrom ? 1 : 0;
    for (const std::uint64_t node : nodes)
        loose += members.contains(node) ? 0 : 1;
    for (const auto& group : known->groups()) {
        std::uint32_t hurt = loose, parity = 0;
        for (const pb::Member& member : group.view().members()) {
            parity += member.role() == pb::PARITY ? 1 : 0;
            const Process* holder = m_fleet.find(member.holder().node());
            hurt += member.state() != pb::UP || holder == nullptr || isHurt(*holder)
                    || nodes.contains(member.holder().node())
                ? 1
                : 0;
        }
        // A lost parity bucket leaves the table as soon as its successor is being recruited.
        hurt += group.k() > parity ? group.k() - parity : 0;
        if (hurt > group.k())
            return false;
    }
    return true;
}

void Nemesis::hurtFor(Process& process, milliseconds time)
{
    const auto calm = Clock::now() + time + milliseconds(std::int64_t(double(kCalm.count()) * m_shape.timeScale));
    process.calmFrom = std::max(process.calmFrom, calm);
    if (process.isNode())
        m_lastHurt = Clock::now();
}

bool Nemesis::isTooSoon(const char* what, milliseconds time)
{
    const auto now = Clock::now();
    const auto [last, isFirst] = m_lately.try_emplace(what, now);
    if (!isFirst && now < last->second + time)
        return true;
    last->second = now;
    return false;
}

Process* Nemesis::anyNode()
{
    std::vector<Process*> nodes = m_fleet.living(Kind::DataNode);
    const auto parity = m_fleet.living(Kind::ParityNode);
    nodes.insert(nodes.end(), parity.begin(), parity.end());
    std::erase_if(nodes, [this](const Process* process) { return isHurt(*process); });
    return nodes.empty() ? nullptr : nodes[m_draws.below(nodes.size())];
}

milliseconds Nemesis::drawTime(int least, int most)
{
    return milliseconds(m_draws.between(std::uint64_t(least), std::uint64_t(most)));
}

// ---- the turn

void Nemesis::replaceEnded()
{
    for (const auto& process : m_fleet.all()) {
        if (!process->hasEnded) {
            if (process->mayEnd && Clock::now() > process->calmFrom)
                process->mayEnd = false; // the event at which it was to crash did not occur
            continue;
        }
        if (!m_replaced.insert(process.get()).second)
            continue;
        if (process->isNode())
            hurtFor(*process, 0ms); // it ended
        m_haveClientsChanged |= process->kind == Kind::Client;
        std::size_t present = m_fleet.living(process->kind).size();
        for (const auto& [due, kind] : m_successors)
            present += kind == process->kind ? 1 : 0;
        if (present < m_wanted[process->kind])
            m_successors.emplace(Clock::now() + drawTime(200, 2'500), process->kind);
    }
}

Result<void> Nemesis::launch(Kind kind)
{
    const auto added = m_fleet.add(kind);
    if (!added)
        return added.error();
    m_tell("start " + (*added)->name);
    m_haveClientsChanged |= kind == Kind::Client;
    return {};
}

void Nemesis::launchDue()
{
    while (!m_successors.empty() && m_successors.begin()->first <= Clock::now()) {
        if (const auto launched = launch(m_successors.begin()->second); !launched) {
            m_tell("no successor: " + launched.error().text);
            return;
        }
        m_successors.erase(m_successors.begin());
    }
}

void Nemesis::turn()
{
    // The weights are doubled, because some actions here are variants of one action.
    static constexpr Action kActions[] = {
        { "kill a node", 7, &Nemesis::killNode },
        { "kill k of a group", 2, &Nemesis::killMany },
        { "kill a client", 1, &Nemesis::killClient },
        { "pause a node", 5, &Nemesis::pauseNode },
        { "pause the coordinator", 1, &Nemesis::pauseCoordinator },
        { "disturb all", 1, &Nemesis::disturbAll },
        { "disturb one", 3, &Nemesis::disturbOne },
        { "part one", 4, &Nemesis::partOne },
        { "swizzle-clog", 2, &Nemesis::swizzle },
        { "crash at an event", 5, &Nemesis::crashAtEvent },
        { "split", 4, &Nemesis::split },
        { "merge", 2, &Nemesis::merge },
        { "add parity", 2, &Nemesis::addParity },
        { "add a spare", 2, &Nemesis::addSpare },
        { "end a spare", 2, &Nemesis::endSpare },
        { "restart the coordinator", 2, &Nemesis::restartCoordinator },
        { "crash the coordinator at an event", 1, &Nemesis::crashCoordinator },
        { "1,000 short clients", 1, &Nemesis::callCrowd },
    };
    describe();
    replaceEnded();
    launchDue();
    const auto now = Clock::now();
    while (!m_agenda.empty() && m_agenda.begin()->first <= now) {
        const auto due = std::move(m_agenda.begin()->second);
        m_agenda.erase(m_agenda.begin());
        due();
    }
    if (now < m_next)
        return;
    std::uint32_t sum = 0;
    for (const Action& action : kActions)
        sum += action.weight;
    auto drawn = std::uint32_t(m_draws.below(sum));
    const Action* chosen = kActions;
    while (drawn >= chosen->weight)
        drawn -= chosen++->weight;
    if ((this->*chosen->act)()) {
        ++m_counts[chosen->name];
        m_next = now + drawTime(200, 1'500);
    } else {
        m_next = now + 20ms;
    }
}

Result<void> Nemesis::mend()
{
    m_agenda.clear();
    for (const auto& process : m_fleet.all()) {
        if (process->hasEnded)
            continue;
        if (process->isPaused)
            m_fleet.resume(*process);
        pb::Command command;
        command.mutable_heal_faults();
        const gui::Answer healed = m_fleet.control().callAndWait(process->info.node(), command, 10s);
        if (healed)
            process->mayEnd = false;
    }
    (void)m_fleet.reap();
    replaceEnded();
    while (!m_successors.empty()) {
        if (const auto launched = launch(m_successors.begin()->second); !launched)
            return launched;
        m_successors.erase(m_successors.begin());
    }
    for (const auto& process : m_fleet.all())
        process->calmFrom = {};
    m_mended = Clock::now();
    return {};
}

std::vector<std::uint64_t> Nemesis::clients()
{
    std::vector<std::uint64_t> nodes;
    for (const Process* client : m_fleet.living(Kind::Client))
        nodes.push_back(client->info.node());
    return nodes;
}

} // namespace lhrs::thrash
