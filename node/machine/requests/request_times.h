// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/node_context.h"

#include <algorithm>

namespace lhrs {

// The times of a client's requests: when they must be looked at next, and how long one waits for its answer.
class RequestTimes {
public:
    explicit RequestTimes(const NodeContext& context) : m_context(context) { }

    // Schedules a check for what is due, but no earlier than the acknowledgement manager's period allows.
    void lookAt(Time due, Time now)
    {
        m_next = std::min(m_next, std::max(due, now + m_context.ms(m_context.acks.timers().ack_period_ms())));
    }
    Time next() const { return m_next; }
    void clear() { m_next = Time::max(); }

    // A request that was sent only once has its answer, which measures the round-trip time.
    void measured(Time roundTrip) { m_roundTrip = (7 * m_roundTrip + roundTrip) / 8; }
    // How long a request waits for its answer after so many resends.
    Time interval(std::uint32_t resends) const
    {
        return backoff(std::max(m_context.ms(m_context.acks.timers().resend_ms()), 4 * m_roundTrip), resends);
    }
    // Each wait is twice the one before.
    static Time backoff(Time first, std::uint32_t resends) { return first * (1 << std::min(resends, 6u)); }

private:
    const NodeContext& m_context;
    Time m_next = Time::max();
    Time m_roundTrip {}; // smoothed
};

} // namespace lhrs
