// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/lab/state/event_ring.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <vector>

namespace lhrs::gui {

struct NarratorMemory;

// A sentence of the story, and when it is true.
struct Telling {
    std::uint64_t event = 0;   // the index of the event that told it; 0: none did, it was seen by looking
    std::int64_t runNs = 0;
    QString text;              // one sentence; two where the first is the cause of the second
    std::uint64_t instead = 0; // the event of an earlier telling that this one replaces, because it goes on; 0: none
};

// Tells what happens to the cluster, and why, from its events alone. What happens all the time (inserts, searches that
// go straight, heartbeats) is not worth a word, and what happens many times in a row is one sentence with its number. The
// events of several processes may come in any order that keeps each process' own: what cannot be known yet is left out.
class Narrator {
public:
    Narrator();
    ~Narrator();
    Narrator(const Narrator&) = delete;
    Narrator& operator=(const Narrator&) = delete;

    // The event has just been folded into `state`, which is that after it.
    void take(const RunEvent& event, const ClusterState& state);
    // What no event tells: processes that have ended or stand still. Once a frame: what is shown slowly is told one by one.
    void look(const ClusterState& state, std::int64_t runNs);
    // What was told since the last call, in order.
    std::vector<Telling> takeTold();
    // Another cluster, or a jump to another instant.
    void reset();

private:
    std::unique_ptr<NarratorMemory> m_memory;
};

} // namespace lhrs::gui
