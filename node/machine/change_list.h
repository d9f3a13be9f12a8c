// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/event.pb.h"

#include <cstddef>

namespace lhrs {

// Changes of the records of one process that are reported together, at the level RECORDS: an event for each would cost
// more than the change. They are an event in the making, to which each change adds something. It waits until they are
// many, until some time has passed (EventStamper), or until another event is to be emitted (Effects::event).
class ChangeList {
public:
    // The event, to which the caller adds one change: always to the same body, as long as the place is the same.
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
    pb::Event m_event; // has a body only
    std::size_t m_size = 0;
};

} // namespace lhrs
