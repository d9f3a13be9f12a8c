// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/control.pb.h"
#include "proto/event.pb.h"

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace lhrs::gui {

using ProcessId = std::uint64_t;

struct OfferState {
    std::uint64_t invitation = 0;
    std::int64_t sinceNs = 0; // on the run's clock
    std::uint32_t expiresMs = 0;
};

// A fault that was injected into a process.
struct FaultState {
    std::string words; // its effect
    std::shared_ptr<const pb::Fault> what;
};

// A sample of a process's activity.
struct NodeSampleState {
    std::int64_t runNs = 0;
    std::shared_ptr<const pb::NodeSample> sample;
};

// A time in which a process was disturbed on purpose: a pause, a fault, a closed gate. It is taken as the cause of a
// failure.
struct Trouble {
    static constexpr std::int64_t kGoesOn = std::numeric_limits<std::int64_t>::max();
    std::int64_t fromNs = 0, toNs = kGoesOn;
    bool reachesOthers = false; // messages of other processes may be lost or late because of it
};

// A process as its events and the directory describe it. Its constructors and destructor are defined in the .cpp,
// like those of a client and of the cluster; otherwise each file that uses one would instantiate them for all its
// containers.
struct ProcessState {
    ProcessState();
    ProcessState(const ProcessState& other);
    ProcessState(ProcessState&& other) noexcept;
    ProcessState& operator=(const ProcessState& other);
    ProcessState& operator=(ProcessState&& other) noexcept;
    ~ProcessState();

    ProcessId id = 0;
    pb::ProcessKind kind = pb::PROCESS_UNKNOWN;
    std::string name;
    std::uint32_t pid = 0;
    std::string address; // 127.0.0.1:4711
    std::string host; // name of its computer; empty: simulated, or of a version that does not say it
    // Its clock, if it was the last one of another computer that was read: by so much it is ahead of that of this
    // program, plus or minus the error, and by so much its events were moved. An error of 0: it was not read.
    std::int64_t clockOffsetNs = 0, clockAppliedNs = 0;
    std::uint64_t clockErrorNs = 0;
    std::string eventsEndpoint, controlEndpoint, version;
    bool hasEnded = false;
    std::string endReason;
    std::int64_t endedNs = 0; // on the run's clock, if it has ended
    bool isPaused = false; // by the program that started it
    bool isFull = false; // its memory is at its limit: it refuses what would make its contents grow
    bool isGated = false; // its gate is closed: arriving messages are held, its clock stands
    std::map<std::uint64_t, FaultState> faults; // armed at it, by fault number
    std::set<std::uint64_t> cuts; // those of them that isolate it from all others
    pb::Role pool = pb::NO_ROLE; // of one that waits for a place: its pool
    bool isInvited = false; // it received an invitation that is not settled
    OfferState offer; // invitation != 0: an open offer
    pb::Place place; // NO_ROLE: none
    std::uint64_t incarnation = 0;
    std::uint64_t sequence = 0; // of the last folded event
    std::uint64_t contained = 0; // a snapshot contains events up to this one; if they arrive later, they change nothing
    std::int64_t lastEventNs = 0;
    std::int64_t heardNs = 0; // last sign of life: an event or an answer, but not its end
    std::vector<Trouble> troubles; // the last ones, newest at the back
    static constexpr std::size_t kTroubles = 8;
    std::uint64_t lostEvents = 0;
    bool isIncomplete = true; // no snapshot yet, or events were lost since the last one
    pb::Gauges gauges;
    std::deque<NodeSampleState> samples; // while it is watched: newest at the back, at most kSamples
    static constexpr std::size_t kSamples = 16;
};

// Folds a fault that was armed or that ended at the process.
void arm(ProcessState& process, const pb::Fault& fault);
void disarm(ProcessState& process, const pb::Fault& fault);
// To be called after each change of what disturbs the process: notes when it began and when it ended.
void noteTrouble(ProcessState& process, std::int64_t runNs);

} // namespace lhrs::gui
