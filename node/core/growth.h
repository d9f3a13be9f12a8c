// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/core/directory.h"
#include "node/core/file_state.h"
#include "node/core/recruiting.h"

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lhrs {

// How the file comes into being and grows (lhrs.md 2, 5.2, 9.2): the splits that are owed, the K rule, staged splits
// and parity creations step by step. One reconfiguration at a time; each step waits until all its messages are
// acknowledged, so a lost message delays a step and never skips it.
//
//   create file  recruit -> confirm                                                          -> done
//   split        recruit -> confirm -> tell -> stage -> commit source -> commit target -> finish -> done
//                                                \--(limit)--> undo -> undone, still owed
//   add parity   recruit -> confirm -> tell -> fill -> count                                 -> done
//                                                \--(limit)--> undone
class Growth {
public:
    // What the coordinator's ack list waits for.
    enum Purpose : AckList::Purpose { Plain = 0, OfStep = 1, OfConfirm = 2 };
    struct Outcome { // of a command that waits
        std::uint64_t ticket = 0;
        pb::CommandReply reply;
    };

    Growth(FileState& file, Directory& directory, Recruiter& recruiter, AckList& acks);

    // One split more is owed; `ticket` != 0: a command waits for it.
    void owe(std::uint64_t ticket, Time now, Effects& out);
    void addParity(GroupNumber g, std::uint64_t ticket, Time now, Effects& out);
    // Begins what is due, if nothing is under way.
    void pump(Time now, Effects& out);

    void onOffer(Time now, Effects& out);
    void onPrepared(const pb::Prepared& prepared, Time now, Effects& out);
    void onContentsDone(const pb::ContentsDone& done, Time now, Effects& out);
    void onAcknowledged(const AckList::Entry& entry, Time now, Effects& out);
    void onGivenUp(const AckList::Entry& entry, Time now, Effects& out);
    void onTime(Time now, Effects& out);
    Time deadline() const;

    bool isAtRest() const { return !m_task && m_owed == 0 && m_parityWanted.empty() && m_file.exists(); }
    // No reconfiguration is under way; some may be owed.
    bool isIdle() const { return !m_task; }
    std::string underWay() const;
    std::uint32_t owed() const { return m_owed; }
    void announce(Effects& out) const; // FileStateChanged

private:
    enum class Kind { CreateFile, Split, AddParity };
    enum class Step { Recruit, Confirm, Tell, Stage, CommitSource, CommitTarget, Finish, Fill, Count, Undo, UndoTell };
    struct NewMember {
        pb::Role role = pb::NO_ROLE;
        std::uint32_t number = 0; // bucket, or group
        std::uint32_t column = 0;
        std::uint64_t invitation = 0;
        HolderInfo holder;
    };
    struct Task {
        Kind kind = Kind::CreateFile;
        Step step = Step::Recruit;
        std::uint64_t split = 0;
        BucketNumber source, target;
        Level level = 0;         // after the split
        GroupNumber group;       // that gets the new members
        ParityColumn column;
        bool isNewGroup = false;
        std::vector<NewMember> members;
        std::set<std::uint64_t> waiting;
        bool isSourcePrepared = false, isTargetPrepared = false, isFilled = false;
        std::uint32_t moved = 0, records = 0;
        Time started {}, limit = Time::max();
        std::uint64_t ticket = 0;
        std::string undoReason;
    };
    struct ParityWish {
        GroupNumber group;
        std::uint64_t ticket = 0;
    };

    void startCreation(Time now, Effects& out);
    void startSplit(Time now, Effects& out);
    void startParity(GroupNumber g, std::uint64_t ticket, Time now, Effects& out);
    void recruit(Time now, Effects& out);
    void confirm(const Recruiter::Found& found, Time now, Effects& out);
    void withdraw(Time now, Effects& out);
    void tell(Time now, Effects& out);
    void stage(Time now, Effects& out);
    void commitSource(Time now, Effects& out);
    void commitTarget(Time now, Effects& out);
    void finish(Time now, Effects& out);
    void fill(Time now, Effects& out);
    void count(Time now, Effects& out);
    void undo(const std::string& reason, Time now, Effects& out);
    void undoTell(Time now, Effects& out);
    void done(Time now, Effects& out);
    void advanceWhenPossible(Time now, Effects& out);
    void order(pb::Message message, const HolderInfo& to, Time now, Effects& out);
    void commit(BucketNumber bucket, Time now, Effects& out);
    void sendEpoch(GroupNumber g, bool alsoNew, Time now, Effects& out);
    void announceEpoch(GroupNumber g, const char* reason, Effects& out) const;
    void answer(std::uint64_t ticket, const pb::CommandReply& reply, Effects& out) const;
    void refuse(std::uint64_t ticket, pb::Refusal refusal, const std::string& text, Effects& out) const;
    bool isNew(const HolderInfo& holder) const;

    FileState& m_file;
    Directory& m_directory;
    Recruiter& m_recruiter;
    AckList& m_acks;
    std::optional<Task> m_task;
    std::uint32_t m_owed = 0;
    std::deque<std::uint64_t> m_splitTickets;
    std::deque<ParityWish> m_parityWanted;
    Time m_pauseUntil {}; // after an undone split
    std::uint64_t m_lastSplit = 0;
};

} // namespace lhrs
