// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/machine.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>

namespace lhrs {

// The clock given to the machine of a process: monotonic time since the start of the process, without the time for
// which the gate stopped it. It never runs backwards. All processes receive the same instants at which to stop and
// start, so their clocks leave out the same time: a clock that is stopped late stands still until the others have
// caught up. It is changed by one thread at a time and read by any; a reader may be slightly ahead during a change.
class ProtocolClock {
public:
    using Real = std::chrono::steady_clock;
    using Instant = Real::time_point;

    explicit ProtocolClock(Instant start) : m_start(start) { }

    Instant start() const { return m_start; }
    Time now() const { return at(Real::now()); }
    // What the clock shows, or showed, at an instant after its last change.
    Time at(Instant real) const
    {
        const bool stands = m_stands.load(std::memory_order_acquire);
        const Time floor(m_floor.load(std::memory_order_acquire));
        return stands ? floor : std::max(floor, real - m_start - Time(m_left.load(std::memory_order_acquire)));
    }
    bool stands() const { return m_stands.load(std::memory_order_acquire); }
    // When the clock will show this time if it keeps running (time zero: it already does); nothing: it stands still.
    std::optional<Instant> when(Time time) const
    {
        if (stands())
            return std::nullopt;
        if (time.count() <= m_floor.load(std::memory_order_acquire))
            return Instant();
        return m_start + time + Time(m_left.load(std::memory_order_acquire));
    }

    // Stops at `real`, which is now; the time left out counts from `told`, an instant at or before `real`.
    void stop(Instant told, Instant real)
    {
        m_floor.store(at(real).count(), std::memory_order_release);
        m_told = std::min(told, real);
        m_advanced = Time();
        m_stands.store(true, std::memory_order_release);
    }
    // Advances the clock by this amount while it stands still.
    void advance(Time by)
    {
        m_floor.store(m_floor.load() + by.count(), std::memory_order_release);
        m_advanced += by;
    }
    // Runs again; the time left out ends at `told`.
    void go(Instant told, Instant real)
    {
        m_left.store(
            m_left.load() + (std::clamp(told, m_told, real) - m_told - m_advanced).count(), std::memory_order_release);
        m_stands.store(false, std::memory_order_release);
    }

private:
    const Instant m_start;
    std::atomic<bool> m_stands = false;
    std::atomic<std::int64_t> m_floor = 0; // ns: the clock shows no less than this
    std::atomic<std::int64_t> m_left = 0; // ns: total time left out
    Instant m_told {}; // from the last stop()
    Time m_advanced {}; // since that stop
};

} // namespace lhrs
