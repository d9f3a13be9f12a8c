// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/runtime/gate.h"

#include "node/machine/held_message.h"

#include <algorithm>

namespace lhrs {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

void Gate::Held::describe(pb::HeldMessage& out) const
{
    describeHeld(out, number, *message, bytes, transport, since.time_since_epoch().count());
}

bool Gate::close(Instant told, Instant now, milliseconds lease)
{
    m_leaseEnd = std::min(told, now) + lease;
    if (std::exchange(m_isClosed, true))
        return false;
    m_told = std::min(told, now);
    m_stopped = now;
    m_dropped = m_released = 0;
    m_clock.stop(told, now);
    return true;
}

Time Gate::open(Instant told, Instant now)
{
    m_clock.go(told, now);
    return now - m_stopped;
}

std::optional<Gate::Instant> Gate::leaseEnd() const
{
    if (!m_isClosed || isOpening())
        return std::nullopt;
    return m_leaseEnd;
}

bool Gate::hold(const pb::Message& message, std::uint32_t bytes, pb::Transport transport, Time preparation, Instant now)
{
    if (m_held.size() >= kHeldMax || (!m_held.empty() && m_bytes + bytes > kHeldBytesMax)) {
        ++m_dropped;
        return false;
    }
    m_bytes += bytes;
    m_held.push_back({ ++m_number, std::make_unique<pb::Message>(message), bytes, transport, preparation, now });
    return true;
}

std::optional<Gate::Held> Gate::take(std::uint64_t number)
{
    const auto at = number == 0
        ? m_held.begin()
        : std::find_if(m_held.begin(), m_held.end(), [number](const Held& held) { return held.number == number; });
    if (at == m_held.end())
        return std::nullopt;
    Held taken = std::move(*at);
    m_held.erase(at);
    m_bytes -= taken.bytes;
    return taken;
}

void Gate::describe(pb::GateState& out, Instant now) const
{
    out.set_held(std::uint32_t(m_held.size()));
    out.set_held_bytes(m_bytes);
    out.set_dropped(m_dropped);
    out.set_is_closed(m_isClosed);
    if (const auto end = leaseEnd()) {
        out.set_lease_left_ms(
            std::uint32_t(std::max<std::int64_t>(0, duration_cast<milliseconds>(*end - now).count())));
        out.set_stopped_ns(m_stopped.time_since_epoch().count());
    }
    for (const Held& held : m_held) {
        if (out.messages_size() >= kHeldShownMax)
            break;
        held.describe(*out.add_messages());
    }
}

} // namespace lhrs
