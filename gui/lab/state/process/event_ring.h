// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/process/process_state.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace lhrs::gui {

// One event of the run, or a gap: the report that events of a process were lost. `index` counts both over the whole
// run, from 1, in the order of arrival.
struct RunEvent {
    std::uint64_t index = 0;
    ProcessId process = 0;
    std::int64_t runNs = 0; // on the run's clock
    std::shared_ptr<const pb::Event> event; // null: a gap
    std::uint64_t gapFirst = 0, gapLast = 0;
    bool isGap() const { return event == nullptr; }
};

// The result of eventsSince: events in order, the next cursor, and the number of events after the old cursor that
// were dropped.
struct EventPage {
    std::vector<RunEvent> events;
    std::uint64_t next = 0; // cursor for the next call: the index of the last event seen
    std::uint64_t missed = 0;
    std::set<int> missedKinds = {}; // kinds (common/kinds.h) among the dropped events

    // Whether dropped events may include this kind; 0: any kind.
    bool hasMissed(int kind) const { return kind == 0 ? missed > 0 : missedKinds.contains(kind); }
};

// The newest events of the run, limited in number and in bytes. Not thread-safe; Ingest guards it.
class EventRing {
public:
    static constexpr std::size_t kEvents = 200'000;
    static constexpr std::size_t kBytes = 64u << 20;

    explicit EventRing(std::size_t eventsMax = kEvents, std::size_t bytesMax = kBytes)
        : m_eventsMax(eventsMax), m_bytesMax(bytesMax)
    {
    }

    // `bytes`: the memory cost of the event, as its part of the batch that it shares.
    void push(ProcessId process, std::int64_t runNs, std::shared_ptr<const pb::Event> event, std::size_t bytes);
    void pushGap(ProcessId process, std::int64_t runNs, std::uint64_t first, std::uint64_t last);

    // Events with an index above `cursor`, at most `max`.
    EventPage since(std::uint64_t cursor, std::size_t max) const;

    std::uint64_t lastIndex() const { return m_lastIndex; }
    std::uint64_t firstIndex() const { return m_lastIndex - m_entries.size() + 1; }
    std::size_t bytes() const { return m_bytes; }

private:
    struct Entry {
        RunEvent event;
        std::size_t bytes = 0;
    };
    void add(RunEvent event, std::size_t bytes);

    const std::size_t m_eventsMax;
    const std::size_t m_bytesMax;
    std::deque<Entry> m_entries;
    std::map<int, std::uint64_t> m_dropped; // by kind: index of the last dropped event
    std::uint64_t m_lastIndex = 0;
    std::size_t m_bytes = 0;
};

} // namespace lhrs::gui
