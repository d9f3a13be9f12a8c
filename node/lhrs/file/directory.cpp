// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/file/directory.h"

namespace lhrs {

void Directory::learn(const pb::Alive& alive, Time now)
{
    Entry& entry = learn(alive.process(), now);
    if (alive.ordinal() > 0) // it was registered before, perhaps by a former coordinator
        m_processes.setOrdinal(entry, alive.ordinal() - 1);
    setPlace(
        NodeId(alive.process().node()), alive.role(), alive.number(), alive.column(), Incarnation(alive.incarnation()));
}

void Directory::setPlace(
    NodeId node, pb::Role role, std::uint32_t number, std::uint32_t column, Incarnation incarnation)
{
    Entry* entry = find(node);
    if (!entry)
        return;
    const PlaceName name { role, number, column };
    if (entry->incarnation != incarnation || entry->place.role() != role || entry->place.number() != number
        || entry->place.column() != column)
        leave(*entry);
    if (role == pb::NO_ROLE) {
        entry->isReplaced = false;
        return;
    }
    // A question about a place concerns its present holder, not a process that has ended or does not yet know that it
    // was replaced.
    if (const auto holder = m_holders.find(name); holder != m_holders.end() && holder->second != node) {
        Entry& former = *find(holder->second);
        if (incarnation < former.incarnation) {
            entry->isReplaced = true;
            return;
        }
        leave(former);
        former.isReplaced = true;
    }
    m_holders[name] = node;
    entry->isReplaced = false;
    entry->place.set_role(role);
    entry->place.set_number(number);
    entry->place.set_column(column);
    entry->incarnation = incarnation;
}

void Directory::leave(Entry& entry)
{
    if (entry.place.role() != pb::NO_ROLE)
        m_holders.erase({ entry.place.role(), entry.place.number(), entry.place.column() });
    entry.place.Clear();
    entry.incarnation = {};
}

std::vector<const Directory::Entry*> Directory::all() const
{
    std::vector<const Entry*> found;
    for (const auto& [node, entry] : m_processes)
        found.push_back(&entry);
    return found;
}

std::vector<const Directory::Entry*> Directory::spares(pb::Role pool, Time since) const
{
    std::vector<const Entry*> found;
    for (const auto& [node, entry] : m_processes) {
        if (entry.info.kind() == pb::NODE && entry.info.pool() == pool && entry.place.role() == pb::NO_ROLE
            && !entry.isReplaced && entry.heard >= since)
            found.push_back(&entry);
    }
    return found;
}

void Directory::list(pb::ProcessList& out, Time now) const
{
    m_processes.list(out, now, [](const Entry& entry, pb::ProcessList::Entry& row) {
        *row.mutable_place() = entry.place;
        row.set_incarnation(entry.incarnation.value);
    });
}

void Directory::expireClients(Time before)
{
    m_processes.eraseIf(
        [before](NodeId, const Entry& entry) { return entry.heard < before && entry.info.kind() == pb::CLIENT; });
}

void Directory::expire(Time before)
{
    m_processes.eraseIf(
        [before](NodeId, const Entry& entry) { return entry.heard < before && entry.place.role() == pb::NO_ROLE; });
}

} // namespace lhrs
