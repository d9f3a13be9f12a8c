// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/effects.h"

#include <cstdint>
#include <optional>

namespace lhrs {

// How far virtual time may advance: at a factor of real time, as fast as possible, not at all, or to the end of a step.
// Real time is an argument and may come from any monotonic clock.
class SimClock {
public:
    // What has happened so far, in the units that steps use.
    struct Counts {
        std::uint64_t events = 0;
        std::uint64_t messages = 0;
    };
    // Where a step ends; exactly one field is set.
    struct Goal {
        std::optional<std::uint64_t> events; // counts all published events
        std::optional<std::uint64_t> messages;
        std::optional<Time> at; // a virtual time
    };

    static constexpr double kFactorMin = 0.001;
    static constexpr double kFactorMax = 100;

    // From now on runs at this factor; 0: as fast as possible.
    void run(double factor, Time virtualNow, Time real);
    void pause(Time virtualNow);
    // Runs to the goal as fast as possible and then pauses. If the clock waits for commands, it runs at its factor and
    // then waits again.
    void step(const Goal& goal, Time virtualNow, Time real);
    // The step has reached its goal.
    void endStep(Time virtualNow);
    // From now on virtual time advances only during steps and while a command awaits its answer, so that commands alone
    // control it.
    void waitForCommands() { m_waits = true; }
    bool waitsForCommands() const { return m_waits; }
    void setAwaited(bool isAwaited, Time virtualNow, Time real);
    // While gates are closed, virtual time runs at the speed of real time; running as fast as possible would advance it
    // far to no purpose.
    void setGated(bool isGated, Time virtualNow, Time real);
    // If virtual time is far behind its limit because the computer is slow, it continues from its present value.
    void keepUp(Time virtualNow, Time real);

    bool isPaused() const { return m_isPaused && !m_goal; }
    // Not paused, but there is no command or step that waits for time to pass.
    bool isIdle() const { return m_waits && !m_isPaused && !m_isAwaited && !m_goal; }
    bool isStepping() const { return m_goal.has_value(); }
    double factor() const { return m_factor; }
    const std::optional<Goal>& goal() const { return m_goal; }

    // The latest virtual time allowed.
    Time limit(Time real) const;
    // Whether a happening at `at` may take place now.
    bool mayHappen(Time at, Time real) const { return !isPaused() && at <= limit(real); }
    // When virtual time may reach `at`; nothing: not before another command.
    std::optional<Time> realTimeOf(Time at) const;
    // Whether the step has reached its goal, given that the next happening is at `next`.
    bool isAtGoal(const Counts& counts, std::optional<Time> next) const;

private:
    bool isPaced() const { return m_waits && m_factor > 0; }
    double pace() const { return m_isGated && m_factor == 0 && !m_waits ? 1 : m_factor; }

    bool m_isPaused = true;
    bool m_waits = false, m_isAwaited = false, m_isGated = false;
    double m_factor = 1;
    Time m_virtual {}; // at m_real, or while the clock is paused
    Time m_real {};
    std::optional<Goal> m_goal;
};

} // namespace lhrs
