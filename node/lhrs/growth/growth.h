// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/file/coordinator_parts.h"
#include "node/lhrs/growth/enlistment.h"
#include "node/lhrs/growth/file_merge.h"
#include "node/lhrs/group/lease.h"
#include "node/lhrs/growth/parity_creation.h"
#include "node/lhrs/growth/split_wave.h"

#include <deque>
#include <memory>
#include <string>

namespace lhrs {

// How the file is created and grows: the splits that are owed, the K rule, and which reconfiguration begins when. There
// is one reconfiguration at a time; its steps are in FileSplit and ParityCreation. Only splits may run several at a
// time (SplitWave).
class Growth {
public:
    explicit Growth(CoordinatorParts& parts) : m_parts(parts) { }

    // One more split is owed; `ticket` != 0: a command waits for it.
    void owe(std::uint64_t ticket, Time now, Effects& out);
    // The same for a merge, if the file may shrink. `records`: approximate number of records in the file.
    void oweMerge(std::uint64_t records, Time now, Effects& out);
    // Orders a merge, whatever the load is.
    void merge(std::uint64_t ticket, Time now, Effects& out);
    void addParity(GroupNumber g, std::uint64_t ticket, Time now, Effects& out);

    // Returns false if no reconfiguration here wants the offer.
    bool onOffer(const pb::Message& message, Time now, Effects& out);
    void onPrepared(const pb::Prepared& prepared, Time now, Effects& out);
    void onContentsDone(const pb::ContentsDone& done, Time now, Effects& out);
    void onAcknowledged(const AckList::Entry& entry, Time now, Effects& out);
    void onGivenUp(const AckList::Entry& entry, Time now, Effects& out);
    void onTime(Time now, Effects& out);
    Time deadline() const;

    // Resumes splits, or a merge, that were under way when the former coordinator ended: they are completed or undone.
    // Their members are in the table.
    void resumeSplits(const std::vector<SplitWave::Unfinished>& splits, Time now, Effects& out);
    void resumeMerge(std::uint64_t merge, bool isDecided, Time now, Effects& out);

    // Whether this split or merge is under way.
    bool isUnderWay(std::uint64_t split) const
    {
        return m_wave.isUnderWay(split) || (m_merge && m_merge->name() == split);
    }

    // Members of the group have been declared failed.
    void onFailed(GroupNumber g, Time now, Effects& out);
    // Whether this member is being brought in by an undecided operation, so that its failure loses nothing.
    bool isOnItsWay(GroupNumber g, MemberId member) const;
    // Nothing undecided is under way in the group, and all its members have everything that is decided.
    bool isSettled(GroupNumber g) const;

    bool isAtRest() const
    {
        return isIdle() && m_owed == 0 && !wantsMerge() && m_parityWanted.empty() && m_parts.file.exists();
    }
    // No reconfiguration is under way; some may be owed.
    bool isIdle() const { return !m_creation && m_wave.isEmpty() && !m_merge && !m_parity; }
    std::string underWay() const;
    std::uint32_t owed() const { return m_owed; }
    // Splits under way besides the first one.
    std::uint32_t besideFirst() const { return m_wave.isEmpty() ? 0 : std::uint32_t(m_wave.size() - 1); }
    void announce(Effects& out) const; // FileStateChanged

private:
    struct ParityWish {
        GroupNumber group;
        std::uint64_t ticket = 0;
    };

    // Ends what is over and begins what is due.
    void pump(Time now, Effects& out);
    void startCreation(Time now, Effects& out);
    void endCreation(Effects& out);
    void startSplit(Time now, Effects& out);
    SplitWave::Begun takeDebt();
    void moveSplits(Time now, Effects& out);
    void fillWave(Time now, Effects& out);
    void endSplit(const SplitWave::Ended& split, Time now, Effects& out);
    bool wantsMerge() const { return m_mergesOwed > 0 || !m_mergeTickets.empty(); }
    void startMerge(Time now, Effects& out);
    void endMerge(Time now, Effects& out);
    void startParity(GroupNumber g, std::uint64_t ticket, Time now, Effects& out);

    CoordinatorParts& m_parts;
    std::unique_ptr<Enlistment> m_creation; // creation of the file
    SplitWave m_wave { m_parts };
    bool m_isNextNarrow = false; // part of the last wave was undone, so the next one has one split
    std::unique_ptr<FileMerge> m_merge;
    std::unique_ptr<ParityCreation> m_parity;
    std::uint32_t m_owed = 0;
    std::deque<std::uint64_t> m_splitTickets;
    std::uint32_t m_mergesOwed = 0;
    std::uint64_t m_records = 0; // approximate number, from the last Underflow report
    std::deque<std::uint64_t> m_mergeTickets;
    std::deque<ParityWish> m_parityWanted;
    Time m_pauseUntil {}; // end of the pause after an undo
    Time m_now {};
};

} // namespace lhrs
