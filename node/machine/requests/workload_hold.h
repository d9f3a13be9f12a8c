// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/effects.h"

#include <deque>
#include <utility>

namespace lhrs {

// A watcher holds a client: nothing new begins, operations under way are finished, and commands wait. A hold that is
// not renewed ends by itself.
class WorkloadHold {
public:
    bool isOn() const { return m_isOn; }
    // True: the hold begins; false: it was on already and is renewed.
    bool hold(std::uint32_t leaseMs, Time now)
    {
        m_ends = now + std::chrono::milliseconds(leaseMs == 0 ? kLeaseMs : leaseMs);
        if (!std::exchange(m_isOn, true)) {
            m_began = now;
            return true;
        }
        return false;
    }
    // Ends the hold; returns the commands that waited.
    std::deque<pb::Command> end(Time now)
    {
        m_isOn = false;
        m_sum += now - m_began;
        return std::exchange(m_waiting, {});
    }
    bool isOver(Time now) const { return m_isOn && m_ends <= now; }
    Time deadline() const { return m_isOn ? m_ends : Time::max(); }
    // The total time of all holds so far, including the current one.
    Time sum(Time now) const { return m_sum + (m_isOn ? now - m_began : Time()); }
    // Keeps the command until the hold ends. False: too many are waiting already.
    bool keep(const pb::Command& command)
    {
        if (m_waiting.size() >= kCommandsMax)
            return false;
        m_waiting.push_back(command);
        return true;
    }
    std::size_t waiting() const { return m_waiting.size(); }

private:
    static constexpr std::uint32_t kLeaseMs = 5'000;
    static constexpr std::size_t kCommandsMax = 256; // all waiting commands begin in one step

    bool m_isOn = false;
    Time m_began {}, m_ends {}, m_sum {};
    std::deque<pb::Command> m_waiting;
};

} // namespace lhrs
