// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/effects.h"

#include <cstdint>
#include <optional>

namespace lhrs {

// How far virtual time may go: at a factor of real time, as fast as possible, not at all, or to the end of a step.
// Real time is an argument, of any monotonic clock.
class SimClock {
public:
    // What has happened so far, as steps count it.
    struct Counts {
        std::uint64_t events = 0;
        std::uint64_t messages = 0;
    };
    // Where a step ends: one of them.
    struct Goal {
        std::optional<std::uint64_t> events; // of all that were published
        std::optional<std::uint64_t> messages;
        std::optional<Time> at; // virtual time
    };

    static constexpr double kFactorMin = 0.001;
    static constexpr double kFactorMax = 100;

    // From now on; 0: as fast as possible.
    void run(double factor, Time virtualNow, Time real);
    void pause(Time virtualNow);
    // On to the goal as fast as possible, then paused; of a clock that waits for commands at its factor, then it waits again.
    void step(const Goal& goal, Time virtualNow, Time real);
    // The step has come to its goal.
    void endStep(Time virtualNow);
    // From now on virtual time goes on only in steps, and while somebody waits for an answer: that is decided by commands alone.
    void waitForCommands() { m_waits = true; }
    bool waitsForCommands() const { return m_waits; }
    void setAwaited(bool isAwaited, Time virtualNow, Time real);
    // While gates are closed: time that goes as fast as possible would go far for nothing; it goes as real time does.
    void setGated(bool isGated, Time virtualNow, Time real);
    // Virtual time is behind what it may be by more than a moment, because the machine is slow: it goes on from here.
    void keepUp(Time virtualNow, Time real);

    bool isPaused() const { return m_isPaused && !m_goal; }
    // Not paused, but nobody waits for anything.
    bool isIdle() const { return m_waits && !m_isPaused && !m_isAwaited && !m_goal; }
    bool isStepping() const { return m_goal.has_value(); }
    double factor() const { return m_factor; }
    const std::optional<Goal>& goal() const { return m_goal; }

    // Virtual time may go up to here.
    Time limit(Time real) const;
    // What is to happen at `at` may happen now.
    bool mayHappen(Time at, Time real) const { return !isPaused() && at <= limit(real); }
    // When virtual time may be `at`; nothing: not before it is told something else.
    std::optional<Time> realTimeOf(Time at) const;
    // Whether the step has come to its goal, when the next thing happens at `next`.
    bool isAtGoal(const Counts& counts, std::optional<Time> next) const;

private:
    bool isPaced() const { return m_waits && m_factor > 0; }
    double pace() const { return m_isGated && m_factor == 0 && !m_waits ? 1 : m_factor; }

    bool m_isPaused = true;
    bool m_waits = false, m_isAwaited = false, m_isGated = false;
    double m_factor = 1;
    Time m_virtual {}; // at m_real, or while it is paused
    Time m_real {};
    std::optional<Goal> m_goal;
};

} // namespace lhrs
