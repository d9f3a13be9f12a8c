// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/walk/walk_store.h"

namespace lhrs {

bool WalkStore::put(KeyPlace place, std::string_view value)
{
    const auto [entry, isNew] = m_entries.try_emplace(place);
    m_bytes += value.size();
    m_bytes -= entry->second.size();
    entry->second.assign(value);
    return isNew;
}

bool WalkStore::remove(KeyPlace place)
{
    const auto found = m_entries.find(place);
    if (found == m_entries.end())
        return false;
    m_bytes -= found->second.size();
    m_entries.erase(found);
    return true;
}

std::optional<KeyPlace> WalkStore::next(RingId from, RingId to, const std::optional<KeyPlace>& last) const
{
    if (m_entries.empty())
        return std::nullopt;
    auto entry = last ? m_entries.upper_bound(*last) : m_entries.lower_bound({ m_ring.wrap(from.value + 1), Key(0) });
    if (entry == m_entries.end())
        entry = m_entries.begin(); // wraps around at the top of the ring
    const KeyPlace place = entry->first;
    const bool isFurther = !last || !isPassed(m_ring, from, place, *last); // else this is the second time round
    return isFurther && m_ring.inRight(place.id, from, to) ? std::optional(place) : std::nullopt;
}

std::size_t WalkStore::removeRange(RingId from, RingId to)
{
    std::size_t removed = 0;
    for (auto place = next(from, to, std::nullopt); place; place = next(from, to, std::nullopt), ++removed)
        remove(*place);
    return removed;
}

void WalkStore::takeAll(WalkStore& other)
{
    m_entries.merge(other.m_entries);
    m_bytes += other.m_bytes;
    other.clear();
}

void WalkStore::clear()
{
    m_entries.clear();
    m_bytes = 0;
}

} // namespace lhrs
