// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/hosts/server_spread.h"

#include <utility>

namespace lhrs::gui {

std::optional<std::size_t> ServerSpread::next(pb::Role pool)
{
    std::optional<std::size_t> best;
    const auto load = [&](std::size_t host) { return std::pair(m_counts[host].ofPool[pool], m_counts[host].all); };
    for (std::size_t host = 0; host < m_hosts.size(); ++host) {
        const auto most = pool == pb::PARITY ? m_hosts[host].parity : m_hosts[host].data;
        if (most && m_counts[host].ofPool[pool] >= *most)
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
