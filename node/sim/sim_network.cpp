// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/sim_network.h"

#include <algorithm>

namespace lhrs {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

namespace {

// A stream needs a connection first, and then about 10 ns a byte (1 Gb/s).
constexpr Time kStreamStart = microseconds(100);
constexpr std::int64_t kStreamNsPerByte = 10;

} // namespace

void SimNetwork::becomeQuiet()
{
    m_faults.set_loss(0);
    m_faults.set_duplicates(0);
    m_faults.set_spikes(0);
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

void SimNetwork::datagram(std::vector<Time>& delays)
{
    delays.clear();
    if (m_draw.chance(m_faults.loss()))
        return;
    delays.push_back(delay());
    if (!m_draw.chance(m_faults.duplicates()))
        return;
    Time copy = delay();
    if (m_draw.chance(m_faults.late()))
        copy += nanoseconds(m_draw.below(std::uint64_t(m_faults.late_ms()) * 1'000'000 + 1));
    delays.push_back(copy);
}

Time SimNetwork::stream(std::uint32_t from, std::uint32_t to, std::size_t bytes, Time now)
{
    Time& last = m_lastArrival[{ from, to }];
    const Time arrival = now + delay() + kStreamStart + nanoseconds(std::int64_t(bytes) * kStreamNsPerByte);
    last = std::max(last + nanoseconds(1), arrival);
    return last;
}

} // namespace lhrs
