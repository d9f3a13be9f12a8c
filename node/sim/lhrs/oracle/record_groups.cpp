// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/lhrs/oracle/record_groups.h"

#include "node/lhrs/coordinator/coordinator.h"
#include "node/lhrs/server/node_machine.h"

#include <algorithm>
#include <vector>

namespace lhrs {

check::ParityRecord copyOf(const ParityBucket& bucket, Rank rank)
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

void RecordGroups::touchAll(const SimProcess& process)
{
    const ParityBucket* parity = m_places.parityBucketAt(process.index);
    if (!parity)
        return;
    std::uint32_t last = parity->store().rankMax().value;
    for (Position q; q.value < m_settings.m; q = q.next())
        if (const BucketHistory* history = m_histories.of(bucketAt(parity->group(), q, m_settings.m).value))
            last = std::max(last, history->rankMax());
    for (std::uint32_t rank = 1; rank <= last; ++rank)
        touch(process, rank);
}

void RecordGroups::checkTouched()
{
    for (const auto& [process, rank] : std::exchange(m_touched, {}))
        judge(process, rank);
}

void RecordGroups::judge(std::uint32_t process, std::uint32_t rank)
{
    const ParityBucket* parity = m_places.parityBucketAt(process);
    if (!parity || parity->state() != pb::UP)
        return; // while it is being filled, its records are from different times
    const Coordinator* knows = m_places.coordinator();
    if (!knows) {
        m_deferred.emplace(process, rank); // it is unknown whether it holds its place
        return;
    }
    if (!knows->file().isHolder(parity->incarnation()))
        return; // it was withdrawn but does not know it yet
    std::vector<check::Member> members;
    for (Position q; q.value < m_settings.m; q = q.next()) {
        const std::uint64_t applied = parity->applied(q);
        if (applied == 0)
            continue;
        const BucketHistory* history = m_histories.knownUpTo(bucketAt(parity->group(), q, m_settings.m).value, applied);
        if (!history) {
            m_deferred.emplace(process, rank); // a batch that its data bucket has not reported yet
            return;
        }
        const BucketHistory::Slot* slot = history->at(rank, applied);
        if (slot && slot->isPresent)
            members.push_back({ q.value, slot->key, slot->sequence, *slot->value });
    }
    check::ParityRecord record;
    const bool has = parity->store().has(Rank(rank));
    if (has)
        record = copyOf(*parity, Rank(rank));
    ++counts().recordGroups;
    report(check::checkRecordGroup(
        m_settings, parity->group().value, parity->column().value, rank, members, has ? &record : nullptr));
}

} // namespace lhrs
