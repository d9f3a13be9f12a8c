// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/group/lease.h"
#include "node/lhrs/growth/enlistment.h"
#include "node/lhrs/growth/two_phase_commit.h"

#include <string>

namespace lhrs {

// One split of the file, as the coordinator drives it. It is staged at all members before it is decided, and it is
// committed at the source before the target. Nothing is freed before all of them have the commit.
//
//   recruit, confirm -> tell -> (told) -> stage -> commit source -> commit target -> finish -> done
//                                            \--(limit)--> undo -> cancel                   -> undone: still owed
//
// A split that is alone moves from step to step by itself. If several are staged at once, each one waits twice: until
// all are enlisted before it is ordered, and until those before it are over before it is decided.
class FileSplit : public TwoPhaseCommit {
public:
    struct Plan {
        std::uint64_t split = 0; // number of the split
        std::uint64_t ticket = 0; // ticket of the command that waits; 0: none
        FileImage before; // the file as it is when this split is decided
        bool isAlone = true;
    };
    FileSplit(CoordinatorParts& parts, const Plan& plan, Time now);

    void start(Time now, Effects& out);
    // Resumes the split of a former coordinator, with the commit or, once undo() is called, with the undo.
    void resume(bool isDecided, Time now, Effects& out);
    bool onOffer(const pb::Message& message, Time now, Effects& out);
    void onPrepared(const pb::Prepared& prepared, Time now, Effects& out);
    void onAcknowledged(const AckList::Entry& entry, Time now, Effects& out);
    void onGivenUp(const AckList::Entry& entry, Time now, Effects& out);
    void onTime(Time now, Effects& out);
    Time deadline() const;

    // All members of the target's group know the target.
    bool isTold() const { return m_step == Step::Told; }
    // It is recruiting, and no server answers the invitation.
    bool isMissing() const { return m_step == Step::Recruit && m_enlistment.isMissing(); }
    // Orders the split as soon as its members have been told.
    void order(Time now, Effects& out);
    // Its turn has come: decides it as soon as both ends have prepared.
    void takeTurn(Time now, Effects& out);
    bool hasTurn() const { return m_hasTurn; }
    // The staging has taken too long.
    bool isLate(Time now) const { return m_limit <= now; }

    // Members of its groups have failed: if the split is decided or being undone, it continues without them; otherwise
    // it must be undone.
    void onFailed(Time now, Effects& out);
    // Marks it to be undone unless it is decided: nothing new is begun, and undo() follows.
    void doom(const std::string& reason);
    bool isDoomed() const { return m_isDoomed; }
    bool isUndoing() const { return m_step == Step::Undo || m_step == Step::Cancel; }
    void undo(Time now, Effects& out);
    // Whether this split is undecided and is to bring this member into the group.
    bool brings(GroupNumber g, MemberId member) const
    {
        const bool isTarget = member.role == pb::DATA
            && member.index == positionOf(m_target, m_parts.file.config().m()).value;
        return !isDecided() && !isOver() && g == m_group && (isTarget || (m_isNewGroup && member.role == pb::PARITY));
    }
    bool isEnd(BucketNumber a) const { return a == m_source || a == m_target; }
    // The members of this group have everything that is decided, so its recovery may begin.
    bool isSettled(GroupNumber g) const;

    bool isOver() const { return m_step == Step::Done || m_step == Step::Undone; }
    bool wasUndone() const { return m_step == Step::Undone; }
    std::string words() const;
    // The same, including what the split is waiting for.
    std::string underWay() const { return words() + m_enlistment.missing(); }

private:
    enum class Step { Recruit, Tell, Told, Stage, CommitSource, CommitTarget, Finish, Undo, Cancel, Done, Undone };
    void advance(Time now, Effects& out);
    void tell(Time now, Effects& out);
    void stage(Time now, Effects& out);
    void commitSource(Time now, Effects& out);
    void commitTarget(Time now, Effects& out);
    void finish(Time now, Effects& out);
    void cancel(Time now, Effects& out);
    void done(Time now, Effects& out);
    void undone(Effects& out);

    const GroupNumber m_group; // group of the target
    const bool m_isNewGroup;
    Step m_step = Step::Recruit;
    bool m_isOrdered, m_hasTurn; // it need not wait for other splits
    bool m_isDoomed = false;
    Enlistment m_enlistment;
    bool isDecided() const
    {
        return m_step == Step::CommitSource || m_step == Step::CommitTarget || m_step == Step::Finish;
    }
};

} // namespace lhrs
