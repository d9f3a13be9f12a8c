// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/group/lease.h"
#include "node/lhrs/growth/two_phase_commit.h"

#include <string>

namespace lhrs {

// One merge of the file, as the coordinator drives it: the last bucket gives its records back to the bucket from which
// it was split. It is staged and decided like a split with the roles reversed; then the last bucket is released.
//
//   tell the target -> stage -> commit source -> commit target -> settle -> release -> done
//                         \--(limit, failure)--> undo                                -> undone
//
// Settle waits for a recovery of the source's group: the source is taken out of the group only when the group is well.
class FileMerge : public TwoPhaseCommit {
public:
    FileMerge(CoordinatorParts& parts, std::uint64_t split, std::uint64_t ticket, Time now);

    void start(Time now, Effects& out);
    // Resumes the merge of a former coordinator, with the commit or with the undo.
    void resume(bool isDecided, Time now, Effects& out);
    void onPrepared(const pb::Prepared& prepared, Time now, Effects& out);
    void onAcknowledged(const AckList::Entry& entry, Time now, Effects& out);
    void onTime(Time now, Effects& out);
    Time deadline() const { return m_limit; }

    // Members of its groups have failed: if the merge is undecided, it is undone; otherwise it continues without them.
    void onFailed(Time now, Effects& out);
    // The members of this group have everything that is decided, so its recovery may begin.
    bool isSettled(GroupNumber g) const;

    bool isOver() const { return m_step == Step::Done || m_step == Step::Undone; }
    bool wasUndone() const { return m_step == Step::Undone; }
    std::string words() const;

private:
    enum class Step { Tell, Stage, CommitSource, CommitTarget, Settle, Release, Undo, Done, Undone };
    bool isDecided() const { return m_step >= Step::CommitSource && m_step <= Step::Release; }
    void advance(Time now, Effects& out);
    void order(BucketNumber to, Time now, Effects& out);
    void commitSource(Time now, Effects& out);
    void release(Time now, Effects& out);
    void undo(std::string reason, Time now, Effects& out);
    void done(Time now, Effects& out);

    Step m_step = Step::Tell;
};

} // namespace lhrs
