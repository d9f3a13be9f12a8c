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

// Holds deliveries and the protocol clock of a process: what arrives while it is closed waits here, whole messages
// in the order in which they came, bounded; somebody lets one at a time through, or opens it. It does not deliver by itself.
// Not thread-safe: touched with the core's mutex only.
class Gate {
public:
    static constexpr std::chrono::milliseconds kLease { 5'000 };
    using Instant = ProtocolClock::Instant;

    struct Held {
        std::uint64_t number = 0;
        std::unique_ptr<pb::Message> message;
        std::uint32_t bytes = 0;
        pb::Transport transport = pb::UDP;
        Time preparation {}; // what reading it cost
        Instant since {};
        void describe(pb::HeldMessage& out) const;
    };

    explicit Gate(ProtocolClock& clock) : m_clock(clock) {}

    // Messages are held.
    bool isClosed() const { return m_isClosed; }
    // It was told to open, and what it held is being delivered.
    bool isOpening() const { return m_isClosed && !m_clock.stands(); }
    std::size_t held() const { return m_held.size(); }
    std::uint64_t dropped() const { return m_dropped; }
    std::uint64_t released() const { return m_released; }

    // From now on, or still: until the lease has passed since `told`. Whether it was open before.
    bool close(Instant told, Instant now, std::chrono::milliseconds lease);
    // The clock goes on. What is held is to be taken out one by one, oldest first, and then finish() to be called. Returns
    // how long it was closed.
    Time open(Instant told, Instant now);
    void finish() { m_isClosed = false; }
    // When it opens by itself; nothing: it is not closed.
    std::optional<Instant> leaseEnd() const;

    // Takes a message in. False: there was no room, and it is lost.
    bool hold(const pb::Message& message, std::uint32_t bytes, pb::Transport transport, Time preparation, Instant now);
    // Takes the oldest one out, or the one with this number; null: there is none.
    std::optional<Held> take(std::uint64_t number = 0);
    // What was taken out was let through one by one, or lost on command.
    void countReleased() { ++m_released; }
    void countDropped() { ++m_dropped; }
    void describe(pb::GateState& out, Instant now) const;

private:
    ProtocolClock& m_clock;
    bool m_isClosed = false;
    Instant m_told {};      // when it closed, as all processes were told alike
    Instant m_stopped {};   // when the clock of this one stopped
    Instant m_leaseEnd {};
    std::deque<Held> m_held;
    std::size_t m_bytes = 0;
    std::uint64_t m_number = 0;   // given last
    std::uint64_t m_dropped = 0;  // since it closed, as the next one
    std::uint64_t m_released = 0;
};

} // namespace lhrs
