// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/group/group_decoder.h"

#include "common/lhrs/linear_hash.h"

#include <algorithm>
#include <set>

namespace lhrs {

std::optional<RecoveryPlan> planRecovery(
    const pb::View& view, std::uint32_t m, ParityColumn own, std::vector<Position> lost, pb::DecodeWay way)
{
    RecoveryPlan plan;
    std::set<std::uint32_t> live;
    std::vector<ParityColumn> columns;
    for (const pb::Member& member : view.members()) {
        if (member.role() == pb::DATA
            && (member.state() == pb::UP || member.state() == pb::SPLITTING || member.state() == pb::MERGING
                || member.state() == pb::INIT))
            live.insert(member.index());
        if (member.role() == pb::PARITY && member.state() == pb::UP && member.index() != own.value)
            columns.push_back(ParityColumn(member.index()));
    }
    for (Position q; q.value < m; q = q.next()) {
        if (std::find(lost.begin(), lost.end(), q) != lost.end())
            continue;
        plan.participants.push_back(Participant::data(q)); // zero: a dummy bucket, or no record at this rank
        if (live.contains(q.value))
            plan.asked.push_back({ pb::DATA, q.value });
    }
    std::sort(columns.begin(), columns.end());
    columns.insert(columns.begin(), own);
    if (way == pb::DECODE_RS) // prefer columns other than the column of ones
        std::stable_partition(columns.begin(), columns.end(), [](ParityColumn p) { return p.value != 0; });
    for (const ParityColumn p : columns) {
        if (plan.participants.size() == m)
            break;
        plan.participants.push_back(Participant::parity(p));
        if (p != own)
            plan.asked.push_back({ pb::PARITY, p.value });
    }
    if (plan.participants.size() < m)
        return std::nullopt;
    plan.lost = std::move(lost);
    return plan;
}

bool isSameState(const ParityStore::Member& known, bool isPresent, Key key, Sequence version)
{
    return known.isPresent == isPresent && (!isPresent || (known.key == key && known.version == version));
}

std::uint64_t stateOf(std::span<const ParityStore::Member> members)
{
    std::uint64_t state = 0;
    for (std::size_t q = 0; q < members.size(); ++q) {
        const ParityStore::Member& member = members[q];
        // The position is placed above the bits of a version. The mapping is one-to-one in key and version, and the
        // value is mixed before it is added.
        if (member.isPresent)
            state += mix64(
                Key(mix64(Key((std::uint64_t(q + 1) << kSequenceBits) + member.version)).value ^ member.key.value))
                         .value;
    }
    return state;
}

} // namespace lhrs
