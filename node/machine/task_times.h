// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/effects.h"

namespace lhrs {

// Where the time of a long task of a process goes, as experiments compare it: work, waiting for transfers, the rest. It
// is told when a step begins and ends that works for the task, and what is outstanding in between. The work before the
// step - reading the message that causes it - counts as far as it does not reach back into another step of the task.
// The times are the driver's and decide nothing; by a clock that stands still during steps all work takes no time.
class TaskTimes {
public:
    explicit TaskTimes(Time begin) : m_begin(begin), m_at(begin) {}

    // A step of the task begins.
    void enter(Time now, const Effects& out);
    // It ends; whether a transfer of the task is outstanding from now on.
    void leave(Time now, const Effects& out, bool isTransferring);

    // total = process + communication + other, exactly.
    struct Sums {
        Time total {};
        Time process {};
        Time communication {}; // no work, and a transfer outstanding
        Time other {};
        Time transfer {};      // a transfer outstanding, work or not
        // Into the fields of a message or an event.
        template <class Message>
        void tell(Message& message) const
        {
            message.set_total_ns(total.count());
            message.set_process_ns(process.count());
            message.set_communication_ns(communication.count());
            message.set_other_ns(other.count());
            message.set_transfer_ns(transfer.count());
        }
    };
    // Up to now, within a step or between two.
    Sums sums(Time now, const Effects& out) const;
    // From the begin of the task to now.
    Time since(Time now, const Effects& out) const { return std::max(m_at, out.time(now)) - m_begin; }

private:
    void advance(Time to);

    const Time m_begin;
    Time m_at;                  // up to which all is counted
    bool m_isWorking = false;
    bool m_isTransferring = false;
    Sums m_sums;
};

} // namespace lhrs
