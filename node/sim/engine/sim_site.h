// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "node/machine/machine_factory.h"
#include "node/sim/engine/sim_cluster.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lhrs {

// Starts the processes of one simulated cluster, as a user or a script starts live ones: a coordinator, servers and
// clients, and replacements for processes that have ended. The factory decides which machines they run.
class SimSite {
public:
    static constexpr std::size_t kProcessesMax = 32'768; // processes started in one run

    // Both must outlive this object.
    SimSite(SimCluster& cluster, const MachineFactory& factory);

    // Starts the coordinator, and the servers that a new cluster begins with.
    void begin();
    Result<std::vector<const SimProcess*>> startMore(
        pb::ProcessKind kind, pb::Role pool, const std::vector<std::string>& names);
    // Starts the same programs again, after ending those that are still running. A server is empty and waits in the
    // pool in which it was first started. A coordinator has the address of its predecessor and takes over the running
    // cluster.
    Result<std::vector<const SimProcess*>> startAgain(const std::vector<std::uint64_t>& nodes);

    // The figures of a process; those of its computer are left out, because it is not simulated.
    static void fillGauges(const SimProcess& process, pb::Gauges& out);

    // Emits the gauges of each process whose gate holds a different number of messages than last reported, whatever the
    // time is.
    void tellHeld();

private:
    pb::ProcessInfo identity(pb::ProcessKind kind, pb::Role pool, const std::string& name) const;
    const SimProcess& startCoordinator(const pb::ProcessInfo& self, bool isFirst);
    const SimProcess& start(pb::ProcessKind kind, pb::Role pool, const std::string& name);
    void tellGauges();
    void tellGauges(const SimProcess& process);

    SimCluster& m_cluster;
    const MachineFactory& m_factory;
    std::uint32_t m_coordinator = 0; // index of the coordinator
    std::map<std::uint64_t, pb::ProcessInfo> m_started; // by process number, including processes that have ended
    // By index: the counts at the process and at its gate when its gauges were last emitted.
    std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> m_told;
};

} // namespace lhrs
