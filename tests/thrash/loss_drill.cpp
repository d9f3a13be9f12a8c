// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/thrash/loss_drill.h"

#include "common/lhrs/linear_hash.h"

#include <algorithm>
#include <array>

namespace lhrs::thrash {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr auto kPatience = 60s;
constexpr std::uint64_t kWordsEnough = 60; // answers per phase

std::string nameOf(const pb::Member& member)
{
    return pb::Role_Name(member.role()) + " " + std::to_string(member.index());
}

} // namespace

LossDrill::LossDrill(Fleet& fleet, Nemesis& nemesis, Writers& writers, const Shape& shape, std::uint64_t seed,
    std::function<void(const std::string&)> tell)
    : m_fleet(fleet), m_nemesis(nemesis), m_writers(writers), m_shape(shape), m_draws(seed, DrawnFor::Failures),
      m_tell(std::move(tell))
{
}

bool LossDrill::wrong(const std::string& what)
{
    m_wrong.push_back(what);
    return false;
}

bool LossDrill::awaitThat(const char* what, const std::function<bool()>& holds, milliseconds patience)
{
    const auto end = Clock::now() + std::chrono::duration_cast<milliseconds>(patience * m_shape.timeScale);
    while (!holds()) {
        for (std::string& surprise : m_fleet.reap())
            m_wrong.push_back(std::move(surprise));
        if (!m_wrong.empty())
            return false;
        if (Clock::now() > end)
            return wrong(std::string(what) + " did not come in time");
        std::this_thread::sleep_for(5ms); // polling
    }
    return true;
}

gui::Answer LossDrill::say(pb::Command command, milliseconds patience)
{
    return m_fleet.control().callAndWait(m_fleet.coordinator()->info.node(), std::move(command),
        std::chrono::duration_cast<milliseconds>(patience * m_shape.timeScale));
}

bool LossDrill::describe()
{
    pb::Command command;
    command.mutable_describe_file();
    const gui::Answer answer = say(std::move(command), 10s);
    if (!answer)
        return wrong("the coordinator does not describe the file: " + answer.text);
    m_file = answer.reply.file();
    return true;
}

const pb::FileDescription::Group* LossDrill::group() const
{
    for (const auto& group : m_file.groups())
        if (group.number() == m_group)
            return &group;
    return nullptr;
}

void LossDrill::remove(std::uint64_t node, const char* how)
{
    Process* process = m_fleet.find(node);
    if (process == nullptr)
        return;
    m_tell(std::string(how) + " " + process->name);
    m_fleet.kill(*process);
}

// Waits for at least two groups, and for clients at work.
bool LossDrill::prepare()
{
    while (describe() && m_file.groups_size() < 2 && m_file.buckets() < m_shape.bucketsMax) {
        pb::Command split;
        split.mutable_force_split();
        if (const gui::Answer answer = say(std::move(split), kPatience); !answer)
            return wrong("a split before the drill: " + answer.text);
    }
    if (!m_wrong.empty())
        return false;
    m_writers.beginRound();
    m_writers.setClients(m_nemesis.clients());
    m_writers.go();
    const std::uint64_t before = m_writers.figures().operations;
    return awaitThat(
               "the first operations of the drill", [&] { return m_writers.figures().operations > before + 300; },
               kPatience)
        && describe();
}

// k + 1 members of one group, with at least one data bucket; if there is no other, the last one is a data bucket.
void LossDrill::chooseVictims()
{
    const auto& chosen = m_file.groups(int(m_draws.below(std::uint64_t(m_file.groups_size()))));
    m_group = chosen.number();
    std::vector<pb::Member> members(chosen.view().members().begin(), chosen.view().members().end());
    m_victims.clear();
    const auto take = [&](std::size_t at) {
        m_victims.push_back(members[at]);
        members.erase(members.begin() + std::ptrdiff_t(at));
    };
    while (m_victims.size() < chosen.k() && !members.empty())
        take(m_draws.below(members.size()));
    const auto isData = [](const pb::Member& member) { return member.role() == pb::DATA; };
    std::size_t last = m_draws.below(members.size());
    if (std::none_of(m_victims.begin(), m_victims.end(), isData))
        last = std::size_t(std::find_if(members.begin(), members.end(), isData) - members.begin());
    take(last);
}

void LossDrill::endSpares()
{
    std::set<std::uint64_t> members;
    for (const auto& group : m_file.groups())
        for (const pb::Member& member : group.view().members())
            members.insert(member.holder().node());
    for (const Kind kind : { Kind::DataNode, Kind::ParityNode })
        for (const Process* spare : m_fleet.living(kind))
            if (!members.contains(spare->info.node()))
                remove(spare->info.node(), "end the spare");
}

// k of the victims end, and no spare can replace them: the group answers with the m members that are left.
bool LossDrill::sinkToMinimum()
{
    endSpares();
    for (std::size_t i = 0; i + 1 < m_victims.size(); ++i)
        remove(m_victims[i].holder().node(), "kill");
    const auto isDegraded = [this] {
        if (!describe() || group() == nullptr || group()->view().state() != pb::GROUP_DEGRADED)
            return false;
        // A failed parity bucket leaves the table as soon as another one is being recruited.
        return std::all_of(m_victims.begin(), m_victims.end() - 1, [this](const pb::Member& victim) {
            const auto& members = group()->view().members();
            return std::none_of(members.begin(), members.end(), [&](const pb::Member& member) {
                return member.state() != pb::FAILED && member.holder().node() == victim.holder().node();
            });
        });
    };
    if (!awaitThat("the state DEGRADED", isDegraded, kPatience))
        return false;
    const auto from = m_writers.answeredSince();
    // Parity answers searches for keys of a dead bucket, as long as there is some.
    std::set<Fate> wanted { Fate::Lost };
    if (m_file.groups_size() > 1)
        wanted.insert(Fate::Untouched);
    const auto isVictim = [this](const pb::Member& member) {
        return std::any_of(m_victims.begin(), m_victims.end(),
            [&](const pb::Member& v) { return v.role() == member.role() && v.index() == member.index(); });
    };
    for (const pb::Member& member : group()->view().members())
        if (member.role() == pb::DATA && !isVictim(member))
            wanted.insert(Fate::InLiveBucket);
    return awaitThat(
        "answers of a group at its minimum size",
        [&] {
            auto now = m_writers.answeredSince();
            return std::all_of(wanted.begin(), wanted.end(), [&](Fate fate) {
                const auto before = from.done.find(fate);
                return now.done[fate] > (before == from.done.end() ? 0 : before->second) + 2;
            });
        },
        kPatience);
}

bool LossDrill::lose(Way way)
{
    const FileImage image { m_file.file().i(), m_file.file().n() };
    const std::uint32_t m = m_file.config().m();
    std::set<std::uint32_t> lost;
    for (const pb::Member& victim : m_victims)
        if (victim.role() == pb::DATA)
            lost.insert(m_group * m + victim.index());
    m_writers.expectLoss([image, m, lost, g = m_group](std::uint64_t key) {
        const std::uint32_t bucket = addressOf(Key(key), image).value;
        return lost.contains(bucket) ? Fate::Lost : bucket / m == g ? Fate::InLiveBucket : Fate::Untouched;
    });
    std::string names;
    for (const pb::Member& victim : m_victims)
        names += " " + nameOf(victim);
    static constexpr std::array kNames { "at once", "at minimum size", "one of them sleeps" };
    m_tell("group " + std::to_string(m_group) + " loses" + names + ", " + kNames[std::size_t(way)]);
    if (way == Way::MinimumSize && !sinkToMinimum())
        return false;
    m_writers.lossIsImminent();
    m_sleeper = way == Way::OneSleeps ? m_victims.back().holder().node() : 0;
    if (Process* sleeper = m_sleeper == 0 ? nullptr : m_fleet.find(m_sleeper))
        m_fleet.pause(*sleeper);
    for (const pb::Member& victim : m_victims)
        if (victim.holder().node() != m_sleeper)
            remove(victim.holder().node(), "kill");
    return awaitThat(
        "the state LOST",
        [this] { return describe() && group() != nullptr && group()->view().state() == pb::GROUP_LOST; }, kPatience);
}

bool LossDrill::checkDeclared()
{
    m_tell("LOST");
    m_writers.lossIsDeclared();
    const auto areOthersUp = [this] {
        return describe() && std::all_of(m_file.groups().begin(), m_file.groups().end(), [this](const auto& other) {
            return other.number() == m_group || other.view().state() == pb::GROUP_UP;
        });
    };
    if (!awaitThat("I18: the state UP of the other groups", areOthersUp, kPatience))
        return false;
    for (const pb::Member& member : group()->view().members()) {
        const bool isVictim = std::any_of(m_victims.begin(), m_victims.end(),
            [&](const pb::Member& v) { return v.role() == member.role() && v.index() == member.index(); });
        if (member.role() == pb::DATA && isVictim != (member.state() == pb::MEMBER_LOST))
            return wrong("I18 " + nameOf(member) + " of the lost group is " + pb::MemberState_Name(member.state()));
    }
    return awaitThat(
        "LOST, told to clients, while other groups go on",
        [this] {
            auto now = m_writers.answeredSince();
            return now.toldLost > 2 && (m_file.groups_size() == 1 || now.done[Fate::Untouched] > kWordsEnough);
        },
        kPatience);
}

bool LossDrill::acknowledge(Way way)
{
    pb::Command command;
    command.mutable_acknowledge_loss()->set_group(m_group);
    if (way == Way::OneSleeps && m_draws.chance(500)) {
        // It is awake again: then the operator cannot confirm its end.
        Process* sleeper = m_fleet.find(m_sleeper);
        m_fleet.resume(*sleeper);
        gui::Answer refused;
        if (!awaitThat(
                "a refusal to bury who still runs",
                [&] {
                    refused = say(command, kPatience);
                    return refused.outcome == gui::Answer::Outcome::Refused;
                },
                kPatience))
            return false;
        m_tell("refused: " + refused.text);
        remove(m_sleeper, "kill");
        m_sleeper = 0;
    }
    // Servers for the places of the lost members; the parity is filled again on the remaining and the new ones.
    for (const pb::Member& victim : m_victims)
        if (const auto added = m_fleet.add(victim.role() == pb::DATA ? Kind::DataNode : Kind::ParityNode); !added)
            return wrong(added.error().text);
    m_writers.lossIsAcknowledged();
    m_tell("the loss is acknowledged");
    if (const gui::Answer answer = say(command, kPatience); !answer)
        return wrong("I18 the loss cannot be acknowledged: " + answer.text);
    if (Process* sleeper = m_sleeper == 0 ? nullptr : m_fleet.find(m_sleeper)) {
        m_tell("wake " + sleeper->name);
        m_fleet.resume(*sleeper); // its contents are no longer valid
    }
    const auto from = m_writers.answeredSince();
    return awaitThat(
        "answers of the buckets that came back empty",
        [&] {
            auto now = m_writers.answeredSince();
            const auto before = from.done.find(Fate::Lost);
            return now.done[Fate::Lost] > (before == from.done.end() ? 0 : before->second) + 5;
        },
        kPatience);
}

std::vector<std::string> LossDrill::play()
{
    const Way way = m_draws.oneOf(std::array { Way::AtOnce, Way::MinimumSize, Way::OneSleeps });
    if (prepare()) {
        chooseVictims();
        if (lose(way) && checkDeclared())
            (void)acknowledge(way); // errors are in the list
    }
    return m_wrong;
}

} // namespace lhrs::thrash
