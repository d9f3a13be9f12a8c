// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/control/audit.h"
#include "gui/lab/state/cluster_state.h"
#include "proto/control.pb.h"
#include "proto/recording.pb.h"

#include <cstdint>
#include <string>

// Converts the answers to commands into findings about the invariants, for their monitor: from audits, from the
// clients' ledgers and from the simulator.
namespace lhrs::gui {

// I1 to I4.
pb::Told::Judged findingsOf(const GroupAudit& audit);

// I7 and I19: a client has read back all that it wrote. Its ledger knows its own writes only; if other clients may
// have changed the same keys, a missing record proves nothing.
pb::Told::Judged findingsOfVerify(const pb::WorkloadResult& read, ProcessId client, const ClusterState& state);

// I13: the contents of a bucket before and after its recovery, with no change in between.
struct Comparison {
    std::string place; // "data 5"
    std::uint32_t records = 0, different = 0;
};
pb::Told::Judged findingsOf(const Comparison& compared);

// The findings of the simulator's own checks; empty if they found nothing or are not finished.
pb::Told::Judged findingsOf(const pb::SimulationState& simulation);

} // namespace lhrs::gui
