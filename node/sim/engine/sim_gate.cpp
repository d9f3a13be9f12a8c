// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/engine/sim_gate.h"

#include "node/machine/held_message.h"

#include <algorithm>
#include <utility>

namespace lhrs {

void SimGate::Held::describe(pb::HeldMessage& out) const
{
    describeHeld(out, number, *message, bytes, transport, since.count());
}

// ---- the clock

Time SimGate::clockAt(Time now) const { return m_isClosed ? m_floor : std::max(m_floor, now - m_left); }

std::optional<Time> SimGate::when(Time shown) const
{
    if (m_isClosed)
        return std::nullopt;
    return shown <= m_floor ? Time() : shown + m_left;
}

void SimGate::close(Time now)
{
    m_floor = clockAt(now);
    m_closed = now;
    m_advanced = {};
    m_released = m_dropped = 0;
    m_isClosed = true;
}

Time SimGate::open(Time now)
{
    m_left += now - m_closed - m_advanced;
    m_isClosed = false;
    return now - m_closed;
}

void SimGate::advance(Time by)
{
    m_floor += by;
    m_advanced += by;
}

// ---- what is held

bool SimGate::hold(Held held)
{
    ++m_changes;
    if (m_held.size() >= kHeldMax || (!m_held.empty() && m_bytes + held.bytes > kHeldBytesMax)) {
        ++m_dropped;
        return false;
    }
    held.number = ++m_number;
    m_bytes += held.bytes;
    m_held.push_back(std::move(held));
    return true;
}

std::optional<SimGate::Held> SimGate::take(std::uint64_t number)
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

void SimGate::describe(pb::GateState& out) const
{
    out.set_is_closed(m_isClosed);
    out.set_held(std::uint32_t(m_held.size()));
    out.set_held_bytes(m_bytes);
    out.set_dropped(m_dropped);
    if (m_isClosed)
        out.set_stopped_ns(m_closed.count());
    for (const Held& held : m_held) {
        if (out.messages_size() >= kHeldShownMax)
            break;
        held.describe(*out.add_messages());
    }
}

} // namespace lhrs
