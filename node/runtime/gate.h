// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/gate_limits.h"
#include "node/runtime/protocol_clock.h"
#include "proto/control.pb.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

namespace lhrs {

// Holds deliveries and the protocol clock of a process. Whole messages that arrive while the gate is closed wait here
// in order of arrival, up to a limit. An operator releases them one at a time or opens the gate. The gate does not
// deliver messages by itself. Not thread-safe: use it only with the core's mutex.
class Gate {
public:
    static constexpr std::chrono::milliseconds kLease { 5'000 };
    using Instant = ProtocolClock::Instant;

    struct Held {
        std::uint64_t number = 0;
        std::unique_ptr<pb::Message> message;
        std::uint32_t bytes = 0;
        pb::Transport transport = pb::UDP;
        Time preparation {}; // the time that it took to read it
        Instant since {};
        void describe(pb::HeldMessage& out) const;
    };

    explicit Gate(ProtocolClock& clock) : m_clock(clock) { }

    // Messages are held.
    bool isClosed() const { return m_isClosed; }
    // The gate was told to open, and the held messages are being delivered.
    bool isOpening() const { return m_isClosed && !m_clock.stands(); }
    std::size_t held() const { return m_held.size(); }
    std::uint64_t dropped() const { return m_dropped; }
    std::uint64_t released() const { return m_released; }

    // Closes the gate, or keeps it closed, until the lease has passed, counted from `told`. Returns whether it was open
    // before.
    bool close(Instant told, Instant now, std::chrono::milliseconds lease);
    // The clock is running again. The caller then takes out the held messages one by one, oldest first, and calls
    // finish(). Returns how long the gate was closed.
    Time open(Instant told, Instant now);
    void finish() { m_isClosed = false; }
    // When the gate opens by itself; nothing: it is not closed.
    std::optional<Instant> leaseEnd() const;

    // Holds a message. False: there was no room, and the message is lost.
    bool hold(const pb::Message& message, std::uint32_t bytes, pb::Transport transport, Time preparation, Instant now);
    // Takes out the oldest message, or the one with this number; null: there is none.
    std::optional<Held> take(std::uint64_t number = 0);
    // A message that was taken out was released, or was dropped by a command.
    void countReleased() { ++m_released; }
    void countDropped() { ++m_dropped; }
    void describe(pb::GateState& out, Instant now) const;

private:
    ProtocolClock& m_clock;
    bool m_isClosed = false;
    Instant m_told {}; // when it closed: the same instant for all processes
    Instant m_stopped {}; // when this process's clock stopped
    Instant m_leaseEnd {};
    std::deque<Held> m_held;
    std::size_t m_bytes = 0;
    std::uint64_t m_number = 0; // last number assigned
    std::uint64_t m_dropped = 0; // since it closed; the same holds for the next one
    std::uint64_t m_released = 0;
};

} // namespace lhrs
