// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/sim/sim_cluster.h"

namespace lhrs {

// An entry of the queue of a simulated cluster: part of SimCluster.
struct SimCluster::Happening {
    enum class Kind : std::uint8_t { Arrival, Work, Timer, Call };
    Time at {};
    std::uint64_t drawn = 0;  // orders what happens at the same time
    std::uint64_t number = 0; // and, should that be equal too, the first scheduled is first
    Kind kind = Kind::Call;
    SimProcess* process = nullptr;
    std::uint32_t from = 0; // the process that sent what arrives
    bool isLetIn = false;   // what arrives has passed the receiver's door
    SimInput input;
    std::function<void()> call;

    static bool isLater(const Happening& a, const Happening& b)
    {
        if (a.at != b.at)
            return a.at > b.at;
        return a.drawn != b.drawn ? a.drawn > b.drawn : a.number > b.number;
    }
};

} // namespace lhrs
