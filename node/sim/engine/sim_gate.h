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

// The gate of a simulated process, and what its protocol clock has left out: what Gate and ProtocolClock are to a real
// process (node/runtime), in virtual time. It does not deliver by itself.
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
    // Messages that it held since the process began, and the times that something came in or went out.
    std::uint64_t heldEver() const { return m_number; }
    std::uint64_t changes() const { return m_changes; }

    // What the protocol clock shows where virtual time has come to `now`, but for its offset and drift.
    Time clockAt(Time now) const;
    // When it shows this; nothing: it stands.
    std::optional<Time> when(Time shown) const;
    void close(Time now);
    // Returns how long it was closed. What it holds is to be taken out.
    Time open(Time now);
    // While it is closed: the clock goes on by so much.
    void advance(Time by);

    // False: there was no room, and the message is lost.
    bool hold(Held held);
    // The oldest one, or the one with this number; nothing: there is none.
    std::optional<Held> take(std::uint64_t number = 0);
    void countReleased() { ++m_released, ++m_changes; }
    void countDropped() { ++m_dropped, ++m_changes; }
    void describe(pb::GateState& out) const;

private:
    bool m_isClosed = false;
    Time m_floor {};  // it shows no less, and this while it is closed
    Time m_left {};   // virtual time that it left out
    Time m_closed {}; // when
    Time m_advanced {}; // since then
    std::deque<Held> m_held;
    std::size_t m_bytes = 0;
    std::uint64_t m_number = 0; // given last
    std::uint64_t m_changes = 0;
    std::uint64_t m_released = 0; // since it closed, as the next one
    std::uint64_t m_dropped = 0;
};

} // namespace lhrs
