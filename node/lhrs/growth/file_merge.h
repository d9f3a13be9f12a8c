// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/group/lease.h"
#include "node/lhrs/growth/orders.h"

#include <string>
#include <utility>

namespace lhrs {

// One merge of the file, as the coordinator drives it: the last bucket gives its records back to the bucket that it was
// split from. It is staged and decided like a split with the roles reversed; then the last bucket is released.
//
//   tell the target -> stage -> commit source -> commit target -> settle -> release -> done
//                         \--(limit, failure)--> undo                                -> undone
//
// Settle waits for a recovery of the source's group: the source is taken out of the group only when the group is well.
class FileMerge {
public:
    FileMerge(CoordinatorParts& parts, std::uint64_t split, std::uint64_t ticket, Time now);

    void start(Time now, Effects& out);
    // Resumes a former coordinator's merge, with the commit or with the undo.
    void resume(bool isDecided, Time now, Effects& out);
    void onPrepared(const pb::Prepared& prepared, Time now, Effects& out);
    void onAcknowledged(const AckList::Entry& entry, Time now, Effects& out);
    void onTime(Time now, Effects& out);
    Time deadline() const { return m_limit; }

    // Members of its groups failed: if the merge is undecided, it is undone; otherwise it continues without them.
    void onFailed(Time now, Effects& out);
    bool concerns(GroupNumber g) const
    {
        return g == m_parts.file.groupOf(m_source) || g == m_parts.file.groupOf(m_target);
    }
    // The members of this group have all that is decided, so its recovery may begin.
    bool isSettled(GroupNumber g) const;

    bool isOver() const { return m_step == Step::Done || m_step == Step::Undone; }
    bool wasUndone() const { return m_step == Step::Undone; }
    std::uint64_t name() const { return m_split; }
    std::uint64_t ticket() const { return m_ticket; } // of the command that waits; 0: none
    // Decided since the last call: (i,n) has moved back.
    bool takeDecided() { return std::exchange(m_isNewlyDecided, false); }
    std::string words() const;

private:
    enum class Step { Tell, Stage, CommitSource, CommitTarget, Settle, Release, Undo, Done, Undone };
    bool isDecided() const { return m_step >= Step::CommitSource && m_step <= Step::Release; }
    void advance(Time now, Effects& out);
    void order(BucketNumber to, Time now, Effects& out);
    void setStates(pb::MemberState state);
    void commit(BucketNumber bucket, Time now, Effects& out);
    void commitSource(Time now, Effects& out);
    void release(Time now, Effects& out);
    void undo(std::string reason, Time now, Effects& out);
    void done(Time now, Effects& out);

    CoordinatorParts& m_parts;
    const std::uint64_t m_split; // merges and splits share one sequence of names
    const std::uint64_t m_ticket;
    const Time m_started;
    const BucketNumber m_source, m_target;
    const Level m_level; // of both before the merge
    Step m_step = Step::Tell;
    Orders m_orders;
    bool m_isSourcePrepared = false, m_isTargetPrepared = false, m_isNewlyDecided = false;
    std::uint32_t m_moved = 0;
    Time m_limit = Time::max();
    std::string m_undoReason;
};

} // namespace lhrs
