// SPDX-License-Identifier: GPL-3.0-or-later
// The oracle's checks when nothing is under way: all invariants over everything.
#include "node/sim/lhrs/oracle/oracle.h"

#include "common/check/say.h"
#include "node/lhrs/server/node_machine.h"

#include <algorithm>
#include <utility>

namespace lhrs {

using check::say;

check::ParityRecord Oracle::recordOf(const ParityBucket& bucket, Rank rank)
{
    check::ParityRecord record { rank.value, {}, {} };
    const auto members = bucket.store().members(rank);
    for (std::uint32_t q = 0; q < members.size(); ++q)
        if (members[q].isPresent)
            record.members.push_back({ q, members[q].key.value, members[q].length, members[q].version });
    const ByteSpan parity = bucket.store().parity(rank);
    record.parity.assign(reinterpret_cast<const char*>(parity.data()), parity.size());
    return record;
}

check::DataBucket Oracle::extract(const DataBucket& bucket) const
{
    const RecordStore& store = bucket.store();
    check::DataBucket copy;
    copy.number = bucket.number().value;
    copy.level = bucket.level();
    copy.sequence = bucket.link().sequence();
    copy.rankMax = store.rankMax().value;
    copy.freeRanks = store.freeRanks();
    for (Rank rank(1); rank <= store.rankMax(); rank = rank.next()) {
        if (store.has(rank)) {
            const RecordStore::Record record = store.at(rank);
            copy.records.push_back({ rank.value, record.key.value, record.version, std::string(record.value) });
        } else if (std::find(copy.freeRanks.begin(), copy.freeRanks.end(), rank.value) == copy.freeRanks.end()) {
            copy.waitingRanks.push_back(rank.value);
        }
    }
    return copy;
}

check::ParityBucket Oracle::extract(const ParityBucket& bucket) const
{
    check::ParityBucket copy;
    copy.group = bucket.group().value;
    copy.column = bucket.column().value;
    for (std::uint32_t q = 0; q < m_config.m(); ++q)
        copy.applied.push_back(bucket.applied(Position(q)));
    for (Rank rank(1); rank <= bucket.store().rankMax(); rank = rank.next())
        if (bucket.store().has(rank))
            copy.records.push_back(recordOf(bucket, rank));
    return copy;
}

std::optional<Oracle::GroupMembers> Oracle::findMembers(const pb::FileDescription::Group& group)
{
    const auto failed = [this](int invariant, const std::string& text) {
        fail(invariant, text);
        return std::nullopt;
    };
    GroupMembers members { std::vector<const DataBucket*>(m_config.m(), nullptr), {} };
    for (const pb::Member& member : group.view().members()) {
        const NodeMachine* machine = m_places.node(member.holder().address().ip());
        const bool isData = member.role() == pb::DATA;
        const std::string name = isData ? say("data bucket ", group.number() * m_config.m() + member.index())
                                        : say("parity bucket ", member.index(), " of group ", group.number());
        if (member.state() != pb::UP)
            return failed(17, say(name, " is not UP at rest"));
        if (isData ? !machine || !machine->dataBucket() : !machine || !machine->parityBucket())
            return failed(16, say(name, " is not where the coordinator believes it to be"));
        const Incarnation incarnation = isData ? machine->dataBucket()->incarnation()
                                               : machine->parityBucket()->incarnation();
        if (incarnation.value != member.holder().incarnation())
            return failed(16, say(name, " has another incarnation than the coordinator believes"));
        if (isData)
            members.data[member.index()] = machine->dataBucket();
        else
            members.parity.push_back(machine->parityBucket());
    }
    return members;
}

std::vector<check::DataBucket> Oracle::checkGroup(const pb::FileDescription::Group& group, const GroupMembers& members)
{
    std::vector<check::DataBucket> buckets;
    buckets.reserve(members.data.size());
    std::vector<const check::DataBucket*> pointers(members.data.size(), nullptr);
    for (std::size_t q = 0; q < members.data.size(); ++q) {
        const DataBucket* const bucket = members.data[q];
        if (!bucket)
            continue;
        const std::string name = say("data bucket ", bucket->number().value);
        if (bucket->state() != pb::UP || bucket->held() != 0 || !bucket->link().isIdle())
            fail(17,
                say(name, " is not at rest: ", bucket->held(), " messages held, ", bucket->link().pending(),
                    " changes under way"));
        buckets.push_back(extract(*bucket));
        if (!buckets.back().waitingRanks.empty())
            fail(3, say(name, ": rank ", buckets.back().waitingRanks.front(), " is neither used nor free"));
        report(check::checkRanks(buckets.back()));
        pointers[q] = &buckets.back();
    }
    std::vector<check::ParityBucket> columns;
    for (const ParityBucket* bucket : members.parity) {
        if (bucket->state() != pb::UP || bucket->held() != 0)
            fail(17, say("parity bucket ", bucket->column().value, " of group ", group.number(), " is not at rest"));
        columns.push_back(extract(*bucket));
        report(check::checkGroup(m_settings, pointers, columns.back()));
        for (std::size_t other = 0; other + 1 < columns.size(); ++other)
            report(check::checkKeyLists(columns[other], columns.back()));
    }
    if (group.k() != members.parity.size())
        fail(12, say("group ", group.number(), " has ", members.parity.size(), " parity buckets and k = ", group.k()));
    return buckets;
}

void Oracle::checkAtRest(const pb::FileDescription& file)
{
    if (file.file().i() != m_growth.state().i || file.file().n() != m_growth.state().n)
        fail(4,
            say("the coordinator says (", file.file().i(), ",", file.file().n(), ") and has committed (",
                m_growth.state().i, ",", m_growth.state().n, ")"));
    // A member may be missed for a moment at any time; probing it does not count as unfinished work.
    const bool isProbingOnly = file.under_way().starts_with("probing");
    if (m_losses.groups().empty() && (file.splits_owed() != 0 || (!file.at_rest() && !isProbingOnly)))
        fail(17, say("the coordinator says that it is at rest and that work is left: ", file.under_way()));

    std::vector<check::DataBucket> buckets;
    std::set<std::uint32_t> leftOut; // groups
    m_places.checkRoles(file);
    for (const pb::FileDescription::Group& group : file.groups()) {
        if (m_losses.isLeftOut(group)) {
            leftOut.insert(group.number());
            continue;
        }
        const std::optional<GroupMembers> members = findMembers(group);
        if (!members)
            return;
        for (check::DataBucket& bucket : checkGroup(group, *members))
            buckets.push_back(std::move(bucket));
    }
    if (m_losses.groups().empty() && leftOut.empty())
        report(check::checkPlacement(m_settings, m_growth.state(), buckets));
    auto contents = m_answers.ledger().contents();
    std::erase_if(contents, [&](const auto& item) {
        const auto group = m_growth.bucketOf(item.first) / m_config.m();
        return m_losses.isInLostGroup(item.first) || m_losses.isStuck(item.first) || leftOut.contains(group);
    });
    report(check::checkContents(contents, buckets));
    m_availability.checkAtRest(file, leftOut);
    m_growth.checkAuthority(m_answers.ledger());
    for (const auto& [process, rank] : std::exchange(m_deferred, {}))
        checkRank(process, rank);
    if (!m_deferred.empty() && m_losses.groups().empty())
        fail(1, "a parity bucket has applied a change that no data bucket told of");
}

} // namespace lhrs
