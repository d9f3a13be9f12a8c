// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/lab/state/process/event_ring.h"
#include "gui/lab/words/process/telling.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace lhrs::gui {

struct NarratorMemory;

// Tells from the events what happens to the cluster, and why. Routine events (inserts, searches without forwards,
// heartbeats) are not told; repeated events are told in one sentence with their number. Events of several processes
// may arrive in any order that keeps the order within each process; what is not known yet is left out.
class Narrator {
public:
    Narrator();
    ~Narrator();
    Narrator(const Narrator&) = delete;
    Narrator& operator=(const Narrator&) = delete;

    // The event has just been folded; `state` is the state after it.
    void take(const RunEvent& event, const ClusterState& state);
    // Finds what no event reports: ended or paused processes. Called once per frame, so that a slow show tells them
    // one by one.
    void look(const ClusterState& state, std::int64_t runNs);
    // The tellings since the last call, in order.
    std::vector<Telling> takeTellings();
    // To be called for another cluster, or on a jump to another instant.
    void reset();

private:
    std::unique_ptr<NarratorMemory> m_memory;
};

} // namespace lhrs::gui
