// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/lhrs/oracle/rest_check.h"

#include "common/check/lhrs/invariants.h"
#include "node/lhrs/server/node_machine.h"
#include "node/sim/lhrs/oracle/bucket_histories.h"
#include "node/sim/lhrs/oracle/record_groups.h"

#include <string>
#include <utility>
#include <vector>

namespace lhrs {

using check::say;

namespace {

// The machines that hold the places of a group, according to the coordinator.
struct GroupMembers {
    std::vector<const DataBucket*> data; // by position; null: no bucket
    std::vector<const ParityBucket*> parity;
};

std::optional<GroupMembers> findMembers(
    const pb::FileDescription::Group& group, const OraclePart& part, const Places& places)
{
    const std::uint32_t m = part.settings().m;
    const auto failed = [&part](int invariant, const std::string& name, const char* what) {
        part.fail(invariant, name, what);
        return std::nullopt;
    };
    GroupMembers members { std::vector<const DataBucket*>(m, nullptr), {} };
    for (const pb::Member& member : group.view().members()) {
        const bool isData = member.role() == pb::DATA;
        const DataBucket* data = isData ? places.dataBucketAt(member.holder().address().ip()) : nullptr;
        const ParityBucket* parity = isData ? nullptr : places.parityBucketAt(member.holder().address().ip());
        const std::string name = isData ? say("data bucket ", group.number() * m + member.index())
                                        : say("parity bucket ", member.index(), " of group ", group.number());
        if (member.state() != pb::UP)
            return failed(17, name, " is not UP at rest");
        if (!data && !parity)
            return failed(16, name, " is not where the coordinator believes it to be");
        if ((data ? data->incarnation() : parity->incarnation()).value != member.holder().incarnation())
            return failed(16, name, " has another incarnation than the coordinator believes");
        if (isData)
            members.data[member.index()] = data;
        else
            members.parity.push_back(parity);
    }
    return members;
}

check::ParityBucket copyOf(const ParityBucket& bucket, std::uint32_t m)
{
    check::ParityBucket copy;
    copy.group = bucket.group().value;
    copy.column = bucket.column().value;
    for (std::uint32_t q = 0; q < m; ++q)
        copy.applied.push_back(bucket.applied(Position(q)));
    for (Rank rank(1); rank <= bucket.store().rankMax(); rank = rank.next())
        if (bucket.store().has(rank))
            copy.records.push_back(lhrs::copyOf(bucket, rank));
    return copy;
}

// Checks a group at rest; returns its data buckets.
std::vector<check::DataBucket> checkGroup(
    const pb::FileDescription::Group& group, const GroupMembers& members, const OraclePart& part)
{
    const check::FileSettings& settings = part.settings();
    std::vector<check::DataBucket> buckets;
    buckets.reserve(members.data.size());
    std::vector<const check::DataBucket*> pointers(members.data.size(), nullptr);
    for (std::size_t q = 0; q < members.data.size(); ++q) {
        const DataBucket* const bucket = members.data[q];
        if (!bucket)
            continue;
        const std::string name = say("data bucket ", bucket->number().value);
        if (bucket->state() != pb::UP || bucket->held() != 0 || !bucket->link().isIdle())
            part.fail(17, name, " is not at rest: ", bucket->held(), " messages held, ", bucket->link().pending(),
                " changes under way");
        buckets.push_back(copyOf(*bucket));
        if (!buckets.back().waitingRanks.empty())
            part.fail(3, name, ": rank ", buckets.back().waitingRanks.front(), " is neither used nor free");
        part.report(check::checkRanks(buckets.back()));
        pointers[q] = &buckets.back();
    }
    std::vector<check::ParityBucket> columns;
    for (const ParityBucket* bucket : members.parity) {
        if (bucket->state() != pb::UP || bucket->held() != 0)
            part.fail(17, "parity bucket ", bucket->column().value, " of group ", group.number(), " is not at rest");
        columns.push_back(copyOf(*bucket, settings.m));
        part.report(check::checkGroup(settings, pointers, columns.back()));
        for (std::size_t other = 0; other + 1 < columns.size(); ++other)
            part.report(check::checkKeyLists(columns[other], columns.back()));
    }
    if (group.k() != members.parity.size())
        part.fail(12, "group ", group.number(), " has ", members.parity.size(), " parity buckets and k = ", group.k());
    return buckets;
}

} // namespace

std::optional<std::set<std::uint32_t>> checkAtRest(const pb::FileDescription& file, const OraclePart& part,
    const Places& places, const FileGrowth& growth, const Losses& losses, const check::RequestLedger& ledger)
{
    const check::FileSettings& settings = part.settings();
    const check::FileState& state = growth.state();
    if (file.file().i() != state.i || file.file().n() != state.n)
        part.fail(4, "the coordinator says (", file.file().i(), ",", file.file().n(), ") and has committed (", state.i,
            ",", state.n, ")");
    // A member may be missed for a moment at any time; probing it does not count as unfinished work.
    const bool isProbingOnly = file.under_way().starts_with("probing");
    if (losses.groups().empty() && (file.splits_owed() != 0 || (!file.at_rest() && !isProbingOnly)))
        part.fail(17, "the coordinator says that it is at rest and that work is left: ", file.under_way());

    std::vector<check::DataBucket> buckets;
    std::set<std::uint32_t> leftOut;
    places.checkRoles(file);
    for (const pb::FileDescription::Group& group : file.groups()) {
        if (losses.isLeftOut(group)) {
            leftOut.insert(group.number());
            continue;
        }
        const std::optional<GroupMembers> members = findMembers(group, part, places);
        if (!members)
            return std::nullopt;
        for (check::DataBucket& bucket : checkGroup(group, *members, part))
            buckets.push_back(std::move(bucket));
    }
    if (losses.groups().empty() && leftOut.empty())
        part.report(check::checkPlacement(settings, state, buckets));
    auto contents = ledger.contents();
    std::erase_if(contents, [&](const auto& item) {
        return losses.isInLostGroup(item.first) || losses.isStuck(item.first)
            || leftOut.contains(growth.bucketOf(item.first) / settings.m);
    });
    part.report(check::checkContents(contents, buckets));
    return leftOut;
}

} // namespace lhrs
