// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/effects.h"

#include <algorithm>
#include <vector>

namespace lhrs {

// Commands that wait until a system is at rest, or until their time limit has passed.
class RestWaiters {
public:
    void add(const pb::Command& command, Time now)
    {
        m_waiting.push_back({ command.ticket(), now + std::chrono::milliseconds(command.await_rest().timeout_ms()) });
    }
    // `underWay`: returns in words what is under way. `describe`: adds what the waiting commands are told about the
    // system.
    template <class UnderWay, class Describe>
    void answer(bool isAtRest, Time now, Effects& out, UnderWay underWay, Describe describe)
    {
        std::erase_if(m_waiting, [&](const Waiter& waiter) {
            if (!isAtRest && now < waiter.until)
                return false;
            pb::CommandReply& reply = out.reply(waiter.ticket);
            if (!isAtRest) {
                reply.set_refusal(pb::TIMED_OUT);
                reply.set_text(underWay());
            }
            describe(reply);
            return true;
        });
    }
    bool isEmpty() const { return m_waiting.empty(); }
    Time deadline() const
    {
        Time earliest = Time::max();
        for (const Waiter& waiter : m_waiting)
            earliest = std::min(earliest, waiter.until);
        return earliest;
    }

private:
    struct Waiter {
        std::uint64_t ticket = 0;
        Time until {};
    };
    std::vector<Waiter> m_waiting;
};

} // namespace lhrs
