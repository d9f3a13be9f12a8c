// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/hosts/server_spread.h"

#include <utility>

namespace lhrs::gui {

std::optional<std::size_t> ServerSpread::next(const std::string& pool)
{
    std::optional<std::size_t> best;
    const auto load = [&](std::size_t host) { return std::pair(m_counts[host].ofPool[pool], m_counts[host].all); };
    for (std::size_t host = 0; host < m_hosts.size(); ++host) {
        const auto most = m_hosts[host].most.find(pool);
        if (most != m_hosts[host].most.end() && m_counts[host].ofPool[pool] >= most->second)
            continue;
        if (!best || load(host) < load(*best))
            best = host;
    }
    if (best) {
        ++m_counts[*best].ofPool[pool];
        ++m_counts[*best].all;
    }
    return best;
}

} // namespace lhrs::gui
