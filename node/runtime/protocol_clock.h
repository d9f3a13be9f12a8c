// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/machine.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>

namespace lhrs {

// The clock that the machine of a process is told: monotonic time since the start of the process, without the time in which
// the gate let it stand. It never runs backwards. Stopped and started at an instant that all processes of a machine were told
// alike, their clocks leave out the same time: one that heard of it late stands until the others are where it is.
// Changed by one thread at a time, read by any; who reads while it is changed may be a moment ahead.
class ProtocolClock {
public:
    using Real = std::chrono::steady_clock;
    using Instant = Real::time_point;

    explicit ProtocolClock(Instant start) : m_start(start) {}

    Instant start() const { return m_start; }
    Time now() const { return at(Real::now()); }
    // What it shows, or showed, at an instant since it was last changed.
    Time at(Instant real) const
    {
        const bool stands = m_stands.load(std::memory_order_acquire);
        const Time floor(m_floor.load(std::memory_order_acquire));
        return stands ? floor : std::max(floor, real - m_start - Time(m_left.load(std::memory_order_acquire)));
    }
    bool stands() const { return m_stands.load(std::memory_order_acquire); }
    // When it shows this time, if it goes on as now (the clock's zero: it does already); nothing: it stands.
    std::optional<Instant> when(Time time) const
    {
        if (stands())
            return std::nullopt;
        if (time.count() <= m_floor.load(std::memory_order_acquire))
            return Instant();
        return m_start + time + Time(m_left.load(std::memory_order_acquire));
    }

    // Stands from now on; what it leaves out counts from `told`, an instant at or before `real`, which is now.
    void stop(Instant told, Instant real)
    {
        m_floor.store(at(real).count(), std::memory_order_release);
        m_told = std::min(told, real);
        m_advanced = Time();
        m_stands.store(true, std::memory_order_release);
    }
    // Goes on by so much while it stands.
    void advance(Time by)
    {
        m_floor.store(m_floor.load() + by.count(), std::memory_order_release);
        m_advanced += by;
    }
    // Goes again; what it left out ends at `told`.
    void go(Instant told, Instant real)
    {
        m_left.store(m_left.load() + (std::clamp(told, m_told, real) - m_told - m_advanced).count(), std::memory_order_release);
        m_stands.store(false, std::memory_order_release);
    }

private:
    const Instant m_start;
    std::atomic<bool> m_stands = false;
    std::atomic<std::int64_t> m_floor = 0; // ns: it shows no less
    std::atomic<std::int64_t> m_left = 0;  // ns: the time that it left out
    Instant m_told {};                     // of the last stop()
    Time m_advanced {};                    // since then
};

} // namespace lhrs
