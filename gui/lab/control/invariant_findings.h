// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "proto/control.pb.h"
#include "proto/recording.pb.h"

#include <cstdint>
#include <string>

// Converts the answers to commands into findings about the invariants, for their monitor: from the clients' ledgers and
// from the simulator.
namespace lhrs::gui {

// Adds the finding that `violated` of `checks` checks of the invariant failed; `text`: the first one in words.
void addFinding(
    pb::Told::Judged& judged, int invariant, std::uint64_t checks, std::uint64_t violated, const std::string& text);

// I7 and I19: a client has read back all that it wrote. Its ledger knows its own writes only; if other clients may
// have changed the same keys, a missing record proves nothing.
pb::Told::Judged findingsOfVerify(const pb::WorkloadResult& read, ProcessId client, const ClusterState& state);

// The findings of the simulator's own checks; empty if they found nothing or are not finished.
pb::Told::Judged findingsOf(const pb::SimulationState& simulation);

} // namespace lhrs::gui
