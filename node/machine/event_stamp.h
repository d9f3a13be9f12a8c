// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/effects.h"

#include <cstdint>

namespace lhrs {

// Gives the events of a step their numbers, times and detail, and the messages of the step their sender and cause.
// Both drivers use it under whatever keeps their steps apart, so that events of a process are numbered in the order
// in which they happened.
class EventStamper {
public:
    EventStamper(NodeId process, Address self) : m_process(process), m_self(self) {}

    // What waits to be told together is to be told before (endGathering).
    void setDetail(pb::Detail detail, std::uint32_t sample);
    pb::Detail detail() const { return m_detail; }
    // Before a step: what its effects are to tell. `tellsAll`: somebody waits for events that the detail leaves out.
    void prepare(Effects& effects, bool tellsAll);
    // After it: at RECORDS, what has been gathered long enough is told now; `isLast`: all of it, because no step may come in time.
    void endGathering(Effects& effects, Time now, bool isLast);
    // The last number given.
    std::uint64_t sequence() const { return m_sequence; }

    // Whether a step with these effects has events to tell; stamp() wants to know the times then.
    bool tells(Effects& effects) const { return !effects.events().empty() || m_detail == pb::FULL || m_detail == pb::SAMPLED; }
    // Whether changes wait to be told together, and when a step must come for that, at the latest.
    bool isGathering() const { return !m_changes.isEmpty(); }
    Time gatheredAt() const { return m_gatheredSince + kGatherFor; }
    static constexpr Time kGatherFor = std::chrono::milliseconds(20);

    // Before the step: the message that causes it, its size and how it came. Adds MessageReceived where wanted.
    void received(const pb::Message& message, std::uint32_t bytes, pb::Transport transport, Effects& effects) const;
    // After the step: drops what the detail leaves out, numbers the rest, adds MessageSent, gives the messages their ids and causes.
    // `wall` is ns since 1970, `step` how long the step took; neither matters where tells() is false.
    void stamp(Effects& effects, Time now, std::int64_t wall, Time step);
    // Writes into each message who sends it, and from where, for drivers that hand messages over one by one.
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
    ChangeList m_changes; // at RECORDS
    Time m_gatheredSince {};
    // Messages that wait for an acknowledgement have their id from the ack list; the others get one with this bit.
    static constexpr std::uint64_t kUnacknowledged = 1ULL << 63;
    std::uint64_t m_messages = 0;
};

// The name of the message in the body, e.g. "delta"; "" for an empty body.
const char* kindOf(const pb::Message& message);

} // namespace lhrs
