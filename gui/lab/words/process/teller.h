// SPDX-License-Identifier: GPL-3.0-or-later
// The story that free play tells, as far as it is the same for each system: what is told, how repetitions are told
// together, and what happens to processes.
#pragma once

#include "gui/lab/state/process/event_ring.h"
#include "gui/lab/words/process/process_story.h"
#include "gui/lab/words/process/telling.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace lhrs::gui {

// Close repetitions of one kind are told together, with their number.
struct Run {
    std::uint64_t told = 0; // event of the last telling; 0: none
    std::uint32_t count = 0;
    std::int64_t lastNs = 0;
    std::uint64_t lastFrame = 0;
};

// What is remembered between events.
struct StoryMemory {
    static constexpr std::int64_t kCloselyNs = 1'000'000'000;
    // Limit in frames: in a slow show, events follow less closely than their times suggest.
    static constexpr std::uint64_t kCloselyFrames = 60;

    std::vector<Telling> tellings;
    QString lastText;
    Run last;
    std::uint64_t frames = 0;

    struct FaultTelling {
        words::Names names, isolated; // of a partition: one side
        std::set<ProcessId> others; // the other side
        std::string what; // at the first of them
        pb::FaultWay way = pb::BOTH_WAYS; // likewise
        std::uint32_t begun = 0; // processes that have it
        std::uint64_t begunTold = 0, endedTold = 0;
        std::uint32_t ended = 0;
    };
    std::map<std::uint64_t, FaultTelling> faults; // by number
    struct Seen {
        ProcessId id = 0;
        bool hasEnded = false, isPaused = false, isEndTold = false;
    };
    std::vector<Seen> seen; // sorted by id
    // Actions on all processes at once, by kind of event and whether begun or ended.
    std::map<std::pair<int, bool>, Run> crowds;

    Seen& seenOf(ProcessId process);
    bool isClose(const Run& run, std::int64_t runNs) const
    {
        return run.count > 0 && runNs - run.lastNs < kCloselyNs && frames - run.lastFrame < kCloselyFrames;
    }
    // Counts one more of the run and returns the new count.
    std::uint32_t goOn(Run& run, std::int64_t runNs);
    // Tells of processes that have ended, or that were paused or resumed: no event reports it.
    void look(const ProcessNames& names, std::int64_t runNs);
};

// Tells of a single event. Here: what happens to a process, whichever system it is of. The story of a system begins
// with its own events and leaves the others to this one.
struct Teller {
    StoryMemory& m;
    const RunEvent& run;
    const ProcessNames& names;
    const pb::Event& event = *run.event;

    // Tells what there is to tell of the event. False: it is an event of one system.
    bool take();

    // Returns the number of the event, which identifies the telling; 0: the same sentence was told just before.
    std::uint64_t tell(QString text, std::uint64_t instead = 0);
    void tell(QString text, Run& of);

    std::string name(ProcessId process) const; // "alice"
    bool isCoordinator() const; // the process of this event
    std::string self() const; // by its place, else by its name: "node 17", "the coordinator"

    void on(const pb::FaultBegun& e);
    void on(const pb::FaultEnded& e);
    void on(const pb::ProcessEnded& e);
    void on(const pb::MemoryFull& e);
    void crowd(bool isBegun); // the workload is held, or the gate is closed
};

} // namespace lhrs::gui
