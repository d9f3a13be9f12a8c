// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/file/directory.h"

#include <algorithm>

namespace lhrs {

Directory::Entry& Directory::learn(const pb::ProcessInfo& process, Time now)
{
    const auto [it, isNew] = m_entries.try_emplace(NodeId(process.node()));
    Entry& entry = it->second;
    if (isNew && process.kind() == pb::CLIENT)
        entry.ordinal = m_clients++;
    entry.info = process;
    entry.heard = now;
    return entry;
}

void Directory::learn(const pb::Alive& alive, Time now)
{
    Entry& entry = learn(alive.process(), now);
    if (alive.ordinal() > 0) { // it was registered before, perhaps by a former coordinator
        entry.ordinal = alive.ordinal() - 1;
        m_clients = std::max(m_clients, alive.ordinal());
    }
    setPlace(
        NodeId(alive.process().node()), alive.role(), alive.number(), alive.column(), Incarnation(alive.incarnation()));
}

Directory::Entry* Directory::find(NodeId node)
{
    const auto it = m_entries.find(node);
    return it == m_entries.end() ? nullptr : &it->second;
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
        Entry& former = m_entries.at(holder->second);
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

void Directory::excuse(Time slept)
{
    for (auto& [node, entry] : m_entries)
        entry.heard += slept;
}

std::vector<const Directory::Entry*> Directory::all() const
{
    std::vector<const Entry*> found;
    for (const auto& [node, entry] : m_entries)
        found.push_back(&entry);
    return found;
}

std::vector<const Directory::Entry*> Directory::spares(pb::Role pool, Time since) const
{
    std::vector<const Entry*> found;
    for (const auto& [node, entry] : m_entries) {
        if (entry.info.kind() == pb::NODE && entry.info.spare_role() == pool && entry.place.role() == pb::NO_ROLE
            && !entry.isReplaced && entry.heard >= since)
            found.push_back(&entry);
    }
    return found;
}

void Directory::list(pb::ProcessList& out, Time now) const
{
    for (const auto& [node, entry] : m_entries) {
        auto* row = out.add_processes();
        *row->mutable_process() = entry.info;
        *row->mutable_place() = entry.place;
        row->set_incarnation(entry.incarnation.value);
        row->set_silent_ms(
            std::uint32_t(std::chrono::duration_cast<std::chrono::milliseconds>(now - entry.heard).count()));
    }
}

void Directory::expire(Time before)
{
    std::erase_if(m_entries,
        [before](const auto& item) { return item.second.heard < before && item.second.place.role() == pb::NO_ROLE; });
}

} // namespace lhrs
