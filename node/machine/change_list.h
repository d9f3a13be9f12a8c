// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/event.pb.h"

#include <cstddef>

namespace lhrs {

// Record changes of one process that are reported together at the level RECORDS, because an event for each would cost
// more than the change itself. They are collected in one unfinished event. It is emitted when it holds enough changes,
// when some time has passed (EventStamper), or when another event is about to be emitted (Effects::event).
class ChangeList {
public:
    // The event to which the caller adds one change. All changes go to the same body as long as the place is the same.
    pb::Event& grow()
    {
        ++m_size;
        return m_event;
    }
    std::size_t size() const { return m_size; }
    bool isEmpty() const { return m_size == 0; }
    // Writes the changes into the event and clears the list, which keeps its memory.
    void moveTo(pb::Event& event);

private:
    pb::Event m_event; // only its body is set
    std::size_t m_size = 0;
};

} // namespace lhrs
