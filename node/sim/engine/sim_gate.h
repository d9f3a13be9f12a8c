// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/effects.h"
#include "node/machine/gate_limits.h"
#include "proto/control.pb.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

namespace lhrs {

// The gate of a simulated process, and the time that its protocol clock has left out. It is the counterpart in virtual
// time of Gate and ProtocolClock (node/runtime). It does not deliver messages by itself.
class SimGate {
public:
    struct Held {
        std::uint64_t number = 0;
        std::shared_ptr<const pb::Message> message;
        std::uint32_t bytes = 0;
        pb::Transport transport = pb::UDP;
        Time since {};
        void describe(pb::HeldMessage& out) const;
    };

    bool isClosed() const { return m_isClosed; }
    std::size_t held() const { return m_held.size(); }
    std::uint64_t released() const { return m_released; }
    std::uint64_t dropped() const { return m_dropped; }
    // Number of messages held since the process began, and number of changes of its contents.
    std::uint64_t heldEver() const { return m_number; }
    std::uint64_t changes() const { return m_changes; }

    // What the protocol clock shows at virtual time `now`, without its offset and drift.
    Time clockAt(Time now) const;
    // The virtual time at which the protocol clock will show this; nothing: it stands still.
    std::optional<Time> when(Time shown) const;
    void close(Time now);
    // Returns how long it was closed. The caller must then take out what it holds.
    Time open(Time now);
    // Advances the clock by this amount while the gate is closed.
    void advance(Time by);

    // False: there was no room, and the message is lost.
    bool hold(Held held);
    // Takes out the oldest message, or the one with this number; nothing: there is none.
    std::optional<Held> take(std::uint64_t number = 0);
    void countReleased() { ++m_released, ++m_changes; }
    void countDropped() { ++m_dropped, ++m_changes; }
    void describe(pb::GateState& out) const;

private:
    bool m_isClosed = false;
    Time m_floor {}; // the clock shows no less than this, and exactly this while the gate is closed
    Time m_left {}; // total virtual time left out
    Time m_closed {}; // when it closed
    Time m_advanced {}; // time advanced since it closed
    std::deque<Held> m_held;
    std::size_t m_bytes = 0;
    std::uint64_t m_number = 0; // last number assigned
    std::uint64_t m_changes = 0;
    std::uint64_t m_released = 0; // since it closed; the same holds for the next one
    std::uint64_t m_dropped = 0;
};

} // namespace lhrs
