// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/effects.h"
#include "proto/config.pb.h"

#include <algorithm>

namespace lhrs {

// How long the coordinator waits for answers to its probes: probes_max times probe_ms, so that a failed bucket is
// detected soon. If more members are silent than the parity can replace and their answers arrive after that, the
// network is slow. In that case probing continues for twice as long as an answer took; otherwise every group of a file
// on such a network would be declared lost.
class ProbePace {
public:
    explicit ProbePace(const pb::Timers& timers) : m_timers(timers) { }

    // The time between two probes of one probing.
    Time interval(Time now) const
    {
        const Time base = std::chrono::milliseconds(m_timers.probe_ms());
        return now < m_until ? std::max(base, m_patience / std::max(1u, m_timers.probes_max())) : base;
    }
    // Processes an answer to a probing that began at `asked`. `isDoubtful`: too many members of the group seem to be
    // silent.
    void onAnswer(Time asked, bool isDoubtful, Time now)
    {
        const Time lost = std::chrono::milliseconds(m_timers.lost_ms());
        const bool isLate = asked <= now
            && now - asked > std::chrono::milliseconds(m_timers.probe_ms()) * m_timers.probes_max();
        if (!isLate || now - asked > lost || (!isDoubtful && now >= m_until))
            return;
        m_patience = std::min(std::max(now < m_until ? m_patience : Time(), 2 * (now - asked)), lost / 2);
        m_until = now + lost;
    }

private:
    const pb::Timers& m_timers;
    Time m_patience {}, m_until {};
};

} // namespace lhrs
