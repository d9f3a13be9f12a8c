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

// Starts the processes of one simulated file, as a user or a script starts live ones: a coordinator, servers in both
// pools, clients; and replacements for processes that ended.
class SimSite {
public:
    struct Options {
        pb::FileConfig file;
        pb::Timers timers;
        Recruiting recruiting = Recruiting::Auto;
    };
    static constexpr std::size_t kProcessesMax = 32'768; // processes started in one run

    SimSite(SimCluster& cluster, Options options);

    // Starts the coordinator, and servers in both pools.
    void begin(std::uint32_t dataServers, std::uint32_t parityServers);
    Result<std::vector<const SimProcess*>> startMore(pb::ProcessKind kind, pb::Role pool, const std::vector<std::string>& names);
    // Starts the same programs again; those still running are ended first. A server is empty and waits in the pool in
    // which it was first started. A coordinator has the address of its predecessor and listens for the running file.
    Result<std::vector<const SimProcess*>> startAgain(const std::vector<std::uint64_t>& nodes);

    // The figures of a process; machine figures are left out because the machine is not simulated.
    static void fillGauges(const SimProcess& process, pb::Gauges& out);

    // Emits the gauges of processes whose gates hold a different number of messages than last reported, whatever the
    // time.
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
    std::map<std::uint64_t, pb::ProcessInfo> m_started; // by process number, including processes that have ended
    // By index: the counts at the process and at its gate when its gauges were last emitted.
    std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> m_told;
};

} // namespace lhrs
