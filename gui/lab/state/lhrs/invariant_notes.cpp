// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/lhrs/invariant_notes.h"

#include <algorithm>
#include <limits>

namespace lhrs::gui {

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

} // namespace

std::size_t InvariantNotes::position(const Key& key) const
{
    // Most keys increase with time, so a comparison with the last entry saves the search.
    if (m_entries.empty() || m_entries.back().first < key)
        return m_entries.size();
    return std::size_t(std::lower_bound(m_entries.begin(), m_entries.end(), key,
                           [](const Entry& entry, const Key& wanted) { return entry.first < wanted; })
        - m_entries.begin());
}

const InvariantNotes::Value* InvariantNotes::find(const Key& key) const
{
    const std::size_t at = position(key);
    return at < m_entries.size() && m_entries[at].first == key ? &m_entries[at].second : nullptr;
}

InvariantNotes::Value* InvariantNotes::find(const Key& key)
{
    return const_cast<Value*>(std::as_const(*this).find(key));
}

void InvariantNotes::set(const Key& key, const Value& value)
{
    if (Value* known = find(key)) {
        *known = value;
        return;
    }
    if (const auto [from, to] = rangeOf(key[0]); to - from >= kPerFirst)
        eraseAt(from);
    else if (m_entries.size() >= kAll)
        eraseAt(0);
    m_entries.insert(m_entries.begin() + std::ptrdiff_t(position(key)), Entry { key, value });
}

std::optional<InvariantNotes::Value> InvariantNotes::take(const Key& key)
{
    const std::size_t at = position(key);
    if (at >= m_entries.size() || m_entries[at].first != key)
        return std::nullopt;
    const Value value = m_entries[at].second;
    eraseAt(at);
    return value;
}

void InvariantNotes::eraseOf(std::uint64_t first)
{
    const auto [from, to] = rangeOf(first);
    m_entries.erase(m_entries.begin() + std::ptrdiff_t(from), m_entries.begin() + std::ptrdiff_t(to));
}

std::pair<std::size_t, std::size_t> InvariantNotes::rangeOf(std::uint64_t first) const
{
    const std::size_t from = position({ first, 0, 0 });
    return { from, first == kMost ? m_entries.size() : position({ first + 1, 0, 0 }) };
}

std::pair<std::size_t, std::size_t> InvariantNotes::rangeOf(std::uint64_t first, std::uint64_t second) const
{
    const std::size_t from = position({ first, second, 0 });
    return { from, second == kMost ? rangeOf(first).second : position({ first, second + 1, 0 }) };
}

void InvariantNotes::eraseAt(std::size_t index) { m_entries.erase(m_entries.begin() + std::ptrdiff_t(index)); }

} // namespace lhrs::gui
