// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/process/run_state.h"

#include <string>

namespace lhrs::gui {

// Writes one event as a plain sentence. Here: the events that processes of any system publish. The writer of a system
// has its own sentences beside them, and names processes by their places.
class EventWriter {
public:
    EventWriter(ProcessId writing, const pb::Event& told, const RunState& known)
        : process(writing), event(told), state(known)
    {
    }
    virtual ~EventWriter() = default;
    EventWriter(const EventWriter&) = delete;
    EventWriter& operator=(const EventWriter&) = delete;

    // Empty: it is an event of one system.
    std::string text() const;

protected:
    // The subject of the sentence.
    virtual std::string who() const;
    // Another process.
    virtual std::string other(ProcessId id) const;

    const ProcessId process;
    const pb::Event& event;
    const RunState& state;
};

} // namespace lhrs::gui
