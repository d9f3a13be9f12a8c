// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/effects.h"

namespace lhrs {

// How the time of a long task of a process is spent, for experiments: processing, waiting for transfers, or other. The
// caller reports when a step of the task begins and ends, and whether a transfer is outstanding in between. Work before
// the step (reading the message that causes it) counts only where it does not overlap an earlier step of the task. The
// times come from the driver and affect no decision. With a clock that stands still during steps, all work takes no
// time.
class TaskTimes {
public:
    explicit TaskTimes(Time begin) : m_begin(begin), m_at(begin) { }

    // A step of the task begins.
    void enter(Time now, const Effects& out);
    // The step ends; `isTransferring`: a transfer of the task is outstanding from now on.
    void leave(Time now, const Effects& out, bool isTransferring);

    // total = process + communication + other, exactly.
    struct Sums {
        Time total {};
        Time process {};
        Time communication {}; // no processing, and a transfer outstanding
        Time other {};
        Time transfer {}; // a transfer outstanding, with or without processing
        // Writes the sums into the fields of a message or an event.
        template <class Message> void tell(Message& message) const
        {
            message.set_total_ns(total.count());
            message.set_process_ns(process.count());
            message.set_communication_ns(communication.count());
            message.set_other_ns(other.count());
            message.set_transfer_ns(transfer.count());
        }
    };
    // The sums up to now, during a step or between two steps.
    Sums sums(Time now, const Effects& out) const;
    // From the start of the task to now.
    Time since(Time now, const Effects& out) const { return std::max(m_at, out.time(now)) - m_begin; }

private:
    void advance(Time to);

    const Time m_begin;
    Time m_at; // everything before this time is counted
    bool m_isWorking = false;
    bool m_isTransferring = false;
    Sums m_sums;
};

} // namespace lhrs
