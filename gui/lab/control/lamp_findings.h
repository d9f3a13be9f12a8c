// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/control/audit.h"
#include "gui/lab/state/cluster_state.h"
#include "proto/control.pb.h"
#include "proto/recording.pb.h"

#include <cstdint>
#include <string>

// What answers to commands say of the invariants, for the lamps (window.md 2.14, sources A, L and S).
namespace lhrs::gui {

// I1 to I4.
pb::Told::Judged findingsOf(const GroupAudit& audit);

// I7 and I19: a client has read back all it ever wrote. Its ledger knows its own writes only, so where others may have
// changed the same keys, what is missing proves nothing.
pb::Told::Judged findingsOfVerify(const pb::WorkloadResult& read, ProcessId client, const ClusterState& state);

// I13: contents of a bucket before its recovery and after it, no change between.
struct Comparison {
    std::string place; // "data 5"
    std::uint32_t records = 0, different = 0;
};
pb::Told::Judged findingsOf(const Comparison& compared);

// Whatever the simulator's own checks found; empty: they found nothing, or are not over.
pb::Told::Judged findingsOf(const pb::SimulationState& simulation);

} // namespace lhrs::gui
