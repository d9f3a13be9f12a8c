// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/effects.h"

#include <cstdint>

namespace lhrs {

// Gives the events of a step their numbers, times and detail, and gives the messages of the step their sender and
// cause. Both drivers call it under the lock that serializes their steps, so that the events of a process are numbered
// in the order in which they happened.
class EventStamper {
public:
    EventStamper(NodeId process, Address self) : m_process(process), m_self(self) { }

    // Gathered changes must be emitted first (endGathering).
    void setDetail(pb::Detail detail, std::uint32_t sample);
    pb::Detail detail() const { return m_detail; }
    // Call before a step: sets what its effects report. `tellsAll`: also report events that the level of detail leaves
    // out, because something waits for them.
    void prepare(Effects& effects, bool tellsAll);
    // Call after the step: at RECORDS, emits changes that have been gathered long enough. `isLast`: emits all of them,
    // because the next step may come too late.
    void endGathering(Effects& effects, Time now, bool isLast);
    // The last number assigned.
    std::uint64_t sequence() const { return m_sequence; }

    // Whether a step with these effects has events to report; only then does stamp() need the times.
    bool tells(Effects& effects) const
    {
        return !effects.events().empty() || m_detail == pb::FULL || m_detail == pb::SAMPLED;
    }
    // Whether gathered changes are waiting, and by when a step must come to emit them.
    bool isGathering() const { return !m_changes.isEmpty(); }
    Time gatheredAt() const { return m_gatheredSince + kGatherFor; }
    static constexpr Time kGatherFor = std::chrono::milliseconds(20);

    // Call before the step, with the message that causes it, its size and its transport. Adds MessageReceived if it is
    // wanted.
    void received(const pb::Message& message, std::uint32_t bytes, pb::Transport transport, Effects& effects) const;
    // Call after the step: drops what the level of detail leaves out, numbers the rest, adds MessageSent, and gives the
    // messages their ids and causes. `wall` is in ns since 1970; `step` is the duration of the step. Neither matters if
    // tells() is false.
    void stamp(Effects& effects, Time now, std::int64_t wall, Time step);
    // Writes sender and address into each message, for drivers that deliver messages one by one.
    void sign(Effects& effects) const;

private:
    bool isWanted(const pb::Event& event) const;
    bool wantsMessages(const pb::RequestId& operation) const;
    bool isSampled(const pb::RequestId& operation) const;

    const NodeId m_process;
    const Address m_self;
    pb::Detail m_detail = pb::FULL;
    std::uint32_t m_sample = 100;
    std::uint64_t m_sequence = 0;
    ChangeList m_changes; // at the level RECORDS
    Time m_gatheredSince {};
    // Messages that wait for an acknowledgement have an id from the ack list; ids of the others have this bit.
    static constexpr std::uint64_t kUnacknowledged = 1ULL << 63;
    std::uint64_t m_messages = 0;
};

} // namespace lhrs
