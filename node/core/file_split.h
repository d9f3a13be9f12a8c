// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/core/enlistment.h"
#include "node/core/lease.h"
#include "node/core/orders.h"

#include <string>

namespace lhrs {

// One split of the file as the coordinator steers it (lhrs.md 5.2): staged everywhere before it is decided, the source
// before the target, nothing freed before all have it.
//
//   recruit, confirm -> tell -> stage -> commit source -> commit target -> finish -> done
//                                  \--(limit)--> undo -> cancel                   -> undone: still owed
class FileSplit {
public:
    FileSplit(CoordinatorParts& parts, std::uint64_t split, std::uint64_t ticket, Time now);

    void start(Time now, Effects& out);
    // Goes on where a former coordinator ended: with the commit, or with undoing.
    void resume(bool isDecided, Time now, Effects& out);
    bool onOffer(const pb::Message& message, Time now, Effects& out);
    void onPrepared(const pb::Prepared& prepared, Time now, Effects& out);
    void onAcknowledged(const AckList::Entry& entry, Time now, Effects& out);
    void onGivenUp(const AckList::Entry& entry, Time now, Effects& out);
    void onTime(Time now, Effects& out);
    Time deadline() const;

    // Members of its groups failed: undone, if it is not decided; else it goes on without them.
    void onFailed(Time now, Effects& out);
    // Whether the split is to bring this member in, and is not decided.
    bool brings(GroupNumber g, MemberId member) const
    {
        const bool isTarget = member.role == pb::DATA && member.index == positionOf(m_target, m_parts.file.config().m()).value;
        return !isDecided() && !isOver() && g == m_group && (isTarget || (m_isNewGroup && member.role == pb::PARITY));
    }
    bool concerns(GroupNumber g) const { return g == m_group || g == m_parts.file.groupOf(m_source); }
    // The members of this group have all that is decided: a recovery of it may begin.
    bool isSettled(GroupNumber g) const;

    bool isOver() const { return m_step == Step::Done || m_step == Step::Undone; }
    bool wasUndone() const { return m_step == Step::Undone; }
    std::uint64_t name() const { return m_split; }
    std::uint64_t ticket() const { return m_ticket; } // of the command that waits; 0: none
    // Decided since the last call: (i,n) has moved on.
    bool takeDecided() { return std::exchange(m_isNewlyDecided, false); }
    std::string words() const;

private:
    enum class Step { Recruit, Tell, Stage, CommitSource, CommitTarget, Finish, Undo, Cancel, Done, Undone };
    void advance(Time now, Effects& out);
    void tell(Time now, Effects& out);
    void stage(Time now, Effects& out);
    void commit(BucketNumber bucket, Time now, Effects& out);
    void commitSource(Time now, Effects& out);
    void commitTarget(Time now, Effects& out);
    void finish(Time now, Effects& out);
    void undo(std::string reason, Time now, Effects& out);
    void cancel(Time now, Effects& out);
    void done(Time now, Effects& out);
    void undone(Effects& out);

    CoordinatorParts& m_parts;
    const std::uint64_t m_split;
    std::uint64_t m_ticket;
    const Time m_started;
    const BucketNumber m_source, m_target;
    const Level m_level;       // of both afterwards
    const GroupNumber m_group; // of the target
    const bool m_isNewGroup;
    Step m_step = Step::Recruit;
    Enlistment m_enlistment;
    Orders m_orders;
    bool isDecided() const { return m_step == Step::CommitSource || m_step == Step::CommitTarget || m_step == Step::Finish; }

    bool m_isSourcePrepared = false, m_isTargetPrepared = false, m_isNewlyDecided = false;
    std::uint32_t m_moved = 0;
    Time m_limit = Time::max();
    std::string m_undoReason;
};

} // namespace lhrs
