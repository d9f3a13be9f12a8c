// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/engine/sim_network.h"

#include <algorithm>

namespace lhrs {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

namespace {

// A stream first needs a connection, then takes about 10 ns per byte (1 Gbit/s).
constexpr Time kStreamStart = microseconds(100);
constexpr std::int64_t kStreamNsPerByte = 10;

} // namespace

void SimNetwork::becomeQuiet()
{
    m_faults.set_loss(0);
    m_faults.set_duplicates(0);
    m_faults.set_spikes(0);
    m_faults.set_breaks(0);
    m_faults.set_clogs(0);
    if (!m_partings.empty() || !m_clogs.empty())
        m_lastArrival.clear(); // messages that wait for the end of a partition do not delay new connections
    m_clogs.clear();
    m_partings.clear();
}

Time SimNetwork::partedUntil(std::uint32_t from, std::uint32_t to, Time now) const
{
    Time until = now;
    for (const Parting& parting : m_partings)
        if (parting.from.contains(from) && parting.to.contains(to))
            until = std::max(until, parting.until);
    return until;
}

// How long a message that is sent now waits on its path. With some probability the path becomes clogged from now on.
Time SimNetwork::clog(std::uint32_t from, std::uint32_t to, Time now)
{
    if (m_faults.clogs() == 0)
        return {};
    Time& until = m_clogs[{ from, to }];
    const Time wait = std::max(Time(), until - now);
    if (m_draw.chance(m_faults.clogs()))
        until = std::max(until, now + nanoseconds(m_draw.below(std::uint64_t(m_faults.clog_ms()) * 1'000'000 + 1)));
    return wait;
}

Time SimNetwork::delay()
{
    Time time = microseconds(std::max(1U, m_faults.delay_us()));
    if (m_faults.jitter_us() > 0)
        time += nanoseconds(m_draw.below(std::uint64_t(m_faults.jitter_us()) * 1000));
    if (m_draw.chance(m_faults.spikes()))
        time += nanoseconds(m_draw.below(std::uint64_t(m_faults.spike_ms()) * 1'000'000 + 1));
    return time;
}

void SimNetwork::datagram(std::uint32_t from, std::uint32_t to, Time now, std::vector<Time>& delays)
{
    delays.clear();
    if (m_draw.chance(m_faults.loss()) || partedUntil(from, to, now) > now)
        return;
    const Time wait = clog(from, to, now);
    delays.push_back(wait + delay());
    if (!m_draw.chance(m_faults.duplicates()))
        return;
    Time copy = wait + delay();
    if (m_draw.chance(m_faults.late()))
        copy += nanoseconds(m_draw.below(std::uint64_t(m_faults.late_ms()) * 1'000'000 + 1));
    delays.push_back(copy);
}

std::optional<Time> SimNetwork::stream(std::uint32_t from, std::uint32_t to, std::size_t bytes, Time now)
{
    const Time opens = partedUntil(from, to, now);
    if (m_draw.chance(m_faults.breaks()) || (opens > now && m_draw.chance(500)))
        return std::nullopt;
    now = opens + clog(from, to, now);
    Time& last = m_lastArrival[{ from, to }];
    const Time arrival = now + delay() + kStreamStart + nanoseconds(std::int64_t(bytes) * kStreamNsPerByte);
    last = std::max(last + nanoseconds(1), arrival);
    return last;
}

} // namespace lhrs
