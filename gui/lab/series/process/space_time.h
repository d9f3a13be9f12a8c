// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/process/event_ring.h"
#include "gui/lab/state/process/run_state.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lhrs::gui {

// Processes over time: the events of a run in causal order, and the messages between them.
inline constexpr std::size_t kNoEvent = std::numeric_limits<std::size_t>::max();

struct SpaceTimeEvent {
    RunEvent run;
    // Lamport number: greater than that of its predecessor in the process and that of its cause
    std::uint32_t logical = 1;
    std::size_t cause = kNoEvent; // the event that caused it, if it is in the model
    bool isBeforeCause = false; // by the clocks, which are therefore wrong
};

struct SpaceTimeMessage {
    enum class Fate {
        Arrived,
        UnderWay, // sent a moment ago
        Lost, // never received, as far as the receiver's events are known
        GivenUp, // neither received nor acknowledged, and no longer retransmitted
        Unknown, // its receiver's events were lost
    };
    std::size_t sent = kNoEvent; // kNoEvent: sent before the interval, or by a multicast
    std::size_t received = kNoEvent;
    ProcessId from = 0, to = 0; // to 0: unknown
    std::string kind;
    std::uint64_t id = 0;
    std::uint32_t tries = 0, bytes = 0; // tries: number of the retransmission, 0 for the first transmission
    pb::Transport transport = pb::UDP;
    std::pair<std::uint64_t, std::uint64_t> operation { 0, 0 };
    Fate fate = Fate::UnderWay;
    bool isBackwards = false; // by the clocks, received before it was sent
};

struct SpaceTime {
    std::vector<SpaceTimeEvent> events; // as given, without gaps
    std::vector<SpaceTimeMessage> messages; // in the order of their first event
    std::uint32_t logicalMax = 0;
    std::size_t backwards = 0; // effects that precede their causes by the clocks
    std::int64_t firstNs = 0, lastNs = 0;

    // Which events belong to the operation.
    std::vector<bool> eventsOf(std::pair<std::uint64_t, std::uint64_t> operation) const;
};

// The events may be in any order that keeps the order within each process. A message not received within this time is
// lost; time in which its receiver was gated does not count.
inline constexpr std::int64_t kUnderWayNs = 250'000'000;
SpaceTime spaceTimeOf(const std::vector<RunEvent>& events, const std::map<std::string, ProcessId>& addresses = {});

// Maps the address of a message that names no process to the process: "127.0.0.1:4711" -> process.
std::map<std::string, ProcessId> addressesOf(const RunState& state);

} // namespace lhrs::gui
