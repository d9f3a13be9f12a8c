// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/core/group_decoder.h"

#include <algorithm>
#include <set>

namespace lhrs {

std::optional<RecoveryPlan> planRecovery(const pb::View& view, std::uint32_t m, ParityColumn own, std::vector<Position> lost, pb::DecodeWay way)
{
    RecoveryPlan plan;
    std::set<std::uint32_t> live;
    std::vector<ParityColumn> columns;
    for (const pb::Member& member : view.members()) {
        if (member.role() == pb::DATA && (member.state() == pb::UP || member.state() == pb::SPLITTING || member.state() == pb::MERGING || member.state() == pb::INIT))
            live.insert(member.index());
        if (member.role() == pb::PARITY && member.state() == pb::UP && member.index() != own.value)
            columns.push_back(ParityColumn(member.index()));
    }
    for (Position q; q.value < m; q = q.next()) {
        if (std::find(lost.begin(), lost.end(), q) != lost.end())
            continue;
        plan.participants.push_back(Participant::data(q)); // a dummy, or one without a record of this rank, is zero
        if (live.contains(q.value))
            plan.asked.push_back({ pb::DATA, q.value });
    }
    std::sort(columns.begin(), columns.end());
    columns.insert(columns.begin(), own);
    if (way == pb::DECODE_RS) // without the column of ones where there is another
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

bool areSameState(std::span<const ParityStore::Member> known, std::span<const ParityStore::Member> other)
{
    if (known.size() != other.size())
        return false;
    for (std::size_t q = 0; q < known.size(); ++q) {
        if (!isSameState(known[q], other[q].isPresent, other[q].key, other[q].version))
            return false;
    }
    return true;
}

} // namespace lhrs
