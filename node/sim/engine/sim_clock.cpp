// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/engine/sim_clock.h"

#include <algorithm>

namespace lhrs {

using std::chrono::nanoseconds;

namespace {

constexpr Time kBehindMax = std::chrono::milliseconds(200); // in real time
constexpr double kFar = 1e18; // ns: beyond any virtual time

Time scaled(Time time, double factor)
{
    return nanoseconds(std::int64_t(std::clamp(double(time.count()) * factor, -kFar, kFar)));
}

} // namespace

void SimClock::run(double factor, Time virtualNow, Time real)
{
    m_goal.reset();
    m_isPaused = false;
    m_factor = factor;
    m_virtual = virtualNow;
    m_real = real;
}

void SimClock::pause(Time virtualNow)
{
    m_goal.reset();
    m_isPaused = true;
    m_virtual = virtualNow;
}

void SimClock::step(const Goal& goal, Time virtualNow, Time real)
{
    m_isPaused = m_isPaused || !m_waits;
    m_goal = goal;
    m_virtual = virtualNow;
    m_real = real;
}

void SimClock::endStep(Time virtualNow)
{
    m_goal.reset();
    m_virtual = virtualNow;
}

void SimClock::setAwaited(bool isAwaited, Time virtualNow, Time real)
{
    if (!m_waits || isAwaited == m_isAwaited)
        return;
    m_isAwaited = isAwaited;
    m_virtual = virtualNow;
    m_real = real;
}

void SimClock::setGated(bool isGated, Time virtualNow, Time real)
{
    if (isGated == m_isGated)
        return;
    m_isGated = isGated;
    if (m_waits || m_isPaused || m_goal)
        return;
    m_virtual = virtualNow;
    m_real = real;
}

void SimClock::keepUp(Time virtualNow, Time real)
{
    if ((m_isPaused && !m_goal) || pace() == 0 || isIdle() || limit(real) - virtualNow <= scaled(kBehindMax, pace()))
        return;
    m_virtual = virtualNow;
    m_real = real;
}

Time SimClock::limit(Time real) const
{
    if (m_goal)
        return std::min(
            m_goal->at.value_or(Time::max()), isPaced() ? m_virtual + scaled(real - m_real, m_factor) : Time::max());
    if (m_isPaused || isIdle())
        return m_virtual;
    return pace() == 0 ? Time::max() : m_virtual + scaled(real - m_real, pace());
}

std::optional<Time> SimClock::realTimeOf(Time at) const
{
    if (m_goal ? !isPaced() : m_isPaused || isIdle())
        return std::nullopt;
    if (pace() == 0)
        return m_real;
    // Adds one nanosecond, so that rounding does not miss the happening by a fraction of a nanosecond.
    return m_real + scaled(at - m_virtual, 1 / pace()) + nanoseconds(1);
}

bool SimClock::isAtGoal(const Counts& counts, std::optional<Time> next) const
{
    if (!m_goal)
        return false;
    return (m_goal->events && counts.events >= *m_goal->events)
        || (m_goal->messages && counts.messages >= *m_goal->messages) || (m_goal->at && (!next || *next > *m_goal->at))
        || !next;
}

} // namespace lhrs
