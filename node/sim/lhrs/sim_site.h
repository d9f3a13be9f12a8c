// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "node/lhrs/file/recruiting.h"
#include "node/sim/engine/sim_cluster.h"
#include "proto/config.pb.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lhrs {

// Starts the processes of one simulated file, as a person or a program starts live ones: a coordinator, servers in both
// pools, clients; and others in the place of those that ended.
class SimSite {
public:
    struct Options {
        pb::FileConfig file;
        pb::Timers timers;
        Recruiting recruiting = Recruiting::Auto;
    };
    static constexpr std::size_t kProcessesMax = 32'768; // that are started in one run

    SimSite(SimCluster& cluster, Options options);

    // The coordinator, and servers in both pools.
    void begin(std::uint32_t dataServers, std::uint32_t parityServers);
    Result<std::vector<const SimProcess*>> startMore(pb::ProcessKind kind, pb::Role pool, const std::vector<std::string>& names);
    // The same programs once more, those that still run are ended first: a server is empty and waits in the pool that it
    // was started in, a coordinator has the address of the former one and listens for the running file.
    Result<std::vector<const SimProcess*>> startAgain(const std::vector<std::uint64_t>& nodes);

    // Figures of a process; of the machine it runs on nothing is told, for that is not simulated.
    static void fillGauges(const SimProcess& process, pb::Gauges& out);

    // The gauges of processes whose gates hold more or less than when they were told last, whatever the time.
    void tellHeld();

private:
    const SimProcess& startCoordinator(const pb::ProcessInfo& self, bool isFirst);
    const SimProcess& startNode(pb::Role pool, const std::string& name);
    const SimProcess& startClient(const std::string& name);
    void tellGauges();
    void tellGauges(const SimProcess& process);

    SimCluster& m_cluster;
    const Options m_options;
    std::uint32_t m_coordinator = 0; // index
    std::map<std::uint64_t, pb::ProcessInfo> m_started; // by process number, those that have ended included
    // By index: what had happened, at the process and at its gate, when its gauges were told.
    std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> m_told;
};

} // namespace lhrs
