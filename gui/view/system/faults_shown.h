// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"

#include <memory>
#include <set>
#include <vector>

namespace lhrs::gui {

// Two sides of a partition, combined from what each process was told.
struct PartitionShown {
    std::uint64_t number = 0;
    std::set<ProcessId> a, b;
    bool restIsB = false; // b is all other processes, including later ones
    pb::FaultWay way = pb::BOTH_WAYS; // of a: OUTGOING: only what a sends is lost
};
std::vector<PartitionShown> partitionsOf(const ClusterState& state);

// A fault of the network at one process.
struct LinkFaultShown {
    std::uint64_t number = 0;
    ProcessId at = 0;
    std::vector<ProcessId> peers; // empty: all processes
    std::shared_ptr<const pb::Fault> what;
};
std::vector<LinkFaultShown> linkFaultsOf(const ClusterState& state);

// The numbers of all faults, each once, including pauses and kills that wait for their step.
std::vector<std::uint64_t> faultsOf(const ClusterState& state);

} // namespace lhrs::gui
