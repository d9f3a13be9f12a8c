// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/growth/enlistment.h"
#include "node/lhrs/growth/orders.h"

#include <string>

namespace lhrs {

// Adds a parity bucket to a live group while writes continue.
//
//   recruit, confirm -> tell -> fill -> count -> settle        -> added
//                          \--(limit)--> cancel                -> undone: k is unchanged
class ParityCreation {
public:
    ParityCreation(CoordinatorParts& parts, GroupNumber g, ParityColumn column, std::uint64_t ticket, Time now);

    void start(Time now, Effects& out);
    bool onOffer(const pb::Message& message, Time now, Effects& out);
    void onContentsDone(const pb::ContentsDone& done, Time now, Effects& out);
    void onAcknowledged(const AckList::Entry& entry, Time now, Effects& out);
    void onGivenUp(const AckList::Entry& entry, Time now, Effects& out);
    void onTime(Time now, Effects& out);
    Time deadline() const;

    // Whether all data buckets wait for it, and only other parity buckets may not know of it yet.
    bool isCountedOn() const;
    // A member of the group has failed, or the parity bucket is no longer wanted: undoes the creation if the parity
    // bucket does not count yet.
    void abort(const std::string& reason, Time now, Effects& out);

    GroupNumber group() const { return m_group; }
    ParityColumn column() const { return m_column; }
    bool isOver() const { return m_step == Step::Added || m_step == Step::Undone; }
    bool wasUndone() const { return m_step == Step::Undone; }
    std::string words() const;
    std::string missing() const { return m_enlistment.missing(); }

private:
    enum class Step { Recruit, Tell, Fill, Count, Settle, Cancel, Added, Undone };
    void advance(Time now, Effects& out);
    void tell(Time now, Effects& out);
    void fill(Time now, Effects& out);
    pb::Message orderMessage(bool isCountedOn) const;
    void order(Time now, Effects& out);
    void count(Time now, Effects& out);
    void undo(std::string reason, Time now, Effects& out);
    void added(Time now, Effects& out);
    void undone(Effects& out);

    CoordinatorParts& m_parts;
    const GroupNumber m_group;
    const ParityColumn m_column;
    std::uint64_t m_ticket; // ticket of the command that waits; 0: none
    const Time m_started;
    Step m_step = Step::Recruit;
    Enlistment m_enlistment;
    Orders m_orders;
    bool m_isFilled = false;
    std::uint32_t m_records = 0;
    Time m_limit = Time::max();
    Time m_nextOrder = Time::max();
    std::string m_undoReason;
};

} // namespace lhrs
