// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/machine/change_list.h"

namespace lhrs {

void ChangeList::add(const RecordChange& change)
{
    m_records.add_kinds(change.kind);
    m_records.add_keys(change.key.value);
    m_records.add_ranks(change.rank.value);
    m_records.set_sequence(change.sequence);
    m_records.set_count(change.count);
}

void ChangeList::add(const AppliedDelta& delta)
{
    m_deltas.add_positions(delta.position.value);
    m_deltas.add_kinds(delta.kind);
    m_deltas.add_ranks(delta.rank.value);
    m_deltas.add_members(delta.members);
    while (m_deltas.applied_size() <= int(delta.position.value))
        m_deltas.add_applied(0);
    m_deltas.set_applied(int(delta.position.value), delta.sequence);
    m_deltas.set_record_groups(delta.recordGroups);
}

void ChangeList::moveTo(pb::Event& event)
{
    if (!m_records.keys().empty()) {
        *event.mutable_records_changed() = m_records;
        m_records.Clear();
    } else {
        *event.mutable_deltas_applied() = m_deltas;
        m_deltas.Clear();
    }
}

} // namespace lhrs
