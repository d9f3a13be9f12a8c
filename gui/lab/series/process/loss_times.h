// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>

namespace lhrs::gui {

// The intervals of a run in which events of some process were lost: from the last event before a gap to the moment
// when the gap was noticed. Any table may be incomplete in these intervals.
class LossTimes {
public:
    void add(std::int64_t fromNs, std::int64_t toNs)
    {
        auto next = m_ends.upper_bound(fromNs);
        if (next != m_ends.begin() && std::prev(next)->second >= fromNs)
            --next, fromNs = next->first;
        while (next != m_ends.end() && next->first <= toNs) {
            toNs = std::max(toNs, next->second);
            next = m_ends.erase(next);
        }
        m_ends[fromNs] = toNs;
    }
    // No event was lost in this interval.
    bool isWhole(std::int64_t fromNs, std::int64_t toNs) const
    {
        const auto after = m_ends.upper_bound(toNs);
        return after == m_ends.begin() || std::prev(after)->second < fromNs;
    }
    static constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

private:
    std::map<std::int64_t, std::int64_t> m_ends; // begin -> end; disjoint
};

} // namespace lhrs::gui
