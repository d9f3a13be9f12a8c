// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/machine_factory.h"
#include "node/process/options.h"
#include "node/sim/engine/sim_cluster.h"

#include <functional>
#include <string>

namespace lhrs {

// A run that is played from beginning to end, in order to be watched.
class PlayedRun {
public:
    using Listener = std::function<void(const SimProcess& process, const pb::Event& event)>;

    virtual ~PlayedRun() = default;
    virtual std::string name() const = 0;
    virtual SimCluster& cluster() = 0;
    // Receives every event from now on, in order.
    virtual void setListener(Listener listener) = 0;
    // Plays the run. Returns what a check found; empty: no violation. Call it only once.
    virtual std::string play() = 0;
};

// The whole life of lhrs-sim: log, signals, sockets, the line "ready NAME control=... events=..." on stdout, and a
// whole simulated cluster in a single process, with the same events and commands as live processes. It is operated from
// outside. Returns the exit code.
int runSimulated(const ProcessOptions& process, const SimOptions& options, const MachineFactory& factory);
// The same for a run that is only watched.
int runPlayed(const ProcessOptions& process, const SimOptions& options, PlayedRun& run);

} // namespace lhrs
