// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/event_ring.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lhrs::gui {

// Processes over time: a run's events in the order of causes, and the messages between them.
inline constexpr std::size_t kNoEvent = std::numeric_limits<std::size_t>::max();

struct SpaceTimeEvent {
    RunEvent run;
    std::uint32_t logical = 1; // Lamport number: above that of its predecessor in the process and of its cause
    std::size_t cause = kNoEvent; // the event that brought it about, if it is here
    bool isBeforeCause = false;   // by the clocks, which therefore are wrong
};

struct SpaceTimeMessage {
    enum class Fate {
        Arrived,
        UnderWay, // sent a moment ago
        Lost,     // never received, as far as the receiver's events are here
        GivenUp,  // never acknowledged either, and not sent again
        Unknown,  // its receiver's events were lost
    };
    std::size_t sent = kNoEvent;     // kNoEvent: received from before, or by a multicast
    std::size_t received = kNoEvent;
    ProcessId from = 0, to = 0;      // to 0: not known
    std::string kind;
    std::uint64_t id = 0;
    std::uint32_t tries = 0, bytes = 0; // tries: number of the resend, 0 for the first time
    pb::Transport transport = pb::UDP;
    std::pair<std::uint64_t, std::uint64_t> operation { 0, 0 };
    Fate fate = Fate::UnderWay;
    bool isBackwards = false; // received before it was sent, by the clocks
};

struct SpaceTime {
    std::vector<SpaceTimeEvent> events;     // as given; gaps are not among them
    std::vector<SpaceTimeMessage> messages; // in the order of their first event
    std::uint32_t logicalMax = 0;
    std::size_t backwards = 0;              // effects before their causes, by the clocks
    std::int64_t firstNs = 0, lastNs = 0;

    // Which events belong to the operation.
    std::vector<bool> eventsOf(std::pair<std::uint64_t, std::uint64_t> operation) const;
};

// Events of any order that keeps each process' own. A message that was not received within this time is lost; times in which
// its receiver was gated do not count.
inline constexpr std::int64_t kUnderWayNs = 250'000'000;
SpaceTime spaceTimeOf(const std::vector<RunEvent>& events, const std::map<std::string, ProcessId>& addresses = {});

// Where a message goes that names no process: "127.0.0.1:4711" -> process.
std::map<std::string, ProcessId> addressesOf(const ClusterState& state);

} // namespace lhrs::gui
