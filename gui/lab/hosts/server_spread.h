// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/hosts/host_list.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lhrs::gui {

// On which host the next process of a cluster is started. Of each pool the hosts get as equally many servers as their
// limits allow, so that the members of what replicates its data can be on different hosts.
class ServerSpread {
public:
    explicit ServerSpread(std::vector<HostEntry> hosts) : m_hosts(std::move(hosts)), m_counts(m_hosts.size()) { }

    // Counts it; empty: no host takes another server of the pool of this name.
    std::optional<std::size_t> next(const std::string& pool);
    std::size_t nextClient() { return m_hosts.size() - 1 - m_clients++ % m_hosts.size(); } // not beside the coordinator

private:
    struct Count {
        std::map<std::string, std::uint32_t> ofPool;
        std::uint32_t all = 0;
    };
    const std::vector<HostEntry> m_hosts;
    std::vector<Count> m_counts;
    std::size_t m_clients = 0;
};

} // namespace lhrs::gui
