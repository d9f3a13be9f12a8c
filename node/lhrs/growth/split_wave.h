// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/growth/file_split.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lhrs {

// The splits that are under way: one, or where the file says so a few that follow each other (lhrs.md 2.4). They are
// enlisted one after the other, then staged at once, decided in the order of n, each when the one before is over, and
// undone together, from the last to the first. See "Splits in waves" in node/lhrs/PROTOCOL.md.
class SplitWave {
public:
    static constexpr std::size_t kWidthMax = 4;
    struct Begun {
        std::uint64_t split = 0;  // its name
        std::uint64_t ticket = 0; // of the command that waits; 0: none
    };
    struct Ended {
        bool wasUndone = false;
        std::uint64_t ticket = 0;
    };
    // What a former coordinator has left.
    struct Unfinished {
        std::uint64_t split = 0;
        FileImage before;       // the file as it is when this one is decided
        bool isDecided = false; // the first at most
    };

    explicit SplitWave(CoordinatorParts& parts) : m_parts(parts) {}

    // The first of a wave of at most `width`.
    void begin(std::size_t width, const Begun& split, Time now, Effects& out);
    // One more joins it.
    void join(const Begun& split, Time now, Effects& out);
    // All are enlisted: they are staged.
    void close(Time now, Effects& out);
    void resume(const std::vector<Unfinished>& unfinished, Time now, Effects& out);

    bool isEmpty() const { return m_splits.empty(); }
    std::size_t size() const { return m_splits.size(); }
    bool isUnderWay(std::uint64_t split) const;
    // Who has joined is enlisted: another may join now, or the wave is closed.
    bool areAllTold() const { return isGathering() && m_splits.back()->isTold(); }
    // Whether the file lets the next split be staged beside these.
    bool mayJoin() const;
    // Moves on, until one is over; that one is taken out.
    std::optional<Ended> takeEnded(Time now, Effects& out);
    // One was decided since the last call: (i,n) has moved on.
    bool takeDecided();

    // Members of the group failed.
    void onFailed(GroupNumber g, Time now, Effects& out);
    bool brings(GroupNumber g, MemberId member) const;
    bool isSettled(GroupNumber g) const;

    bool onOffer(const pb::Message& message, Time now, Effects& out);
    void onPrepared(const pb::Prepared& prepared, Time now, Effects& out);
    void onAcknowledged(const AckList::Entry& entry, Time now, Effects& out);
    void onGivenUp(const AckList::Entry& entry, Time now, Effects& out);
    void onTime(Time now, Effects& out);
    Time deadline() const;
    std::string words() const;

private:
    bool isGathering() const { return !m_isClosed && !m_splits.empty() && !m_splits.back()->isDoomed(); }
    // The file as it is when all of these are decided.
    FileImage ahead() const;
    // The last one finds no spare: those before it go on without it.
    void dropMissing(Time now, Effects& out);
    void add(const FileSplit::Plan& plan, Time now, Effects& out);

    CoordinatorParts& m_parts;
    std::deque<std::unique_ptr<FileSplit>> m_splits; // in the order of n; only the first may be decided
    std::size_t m_width = 1;
    bool m_isClosed = true;
};

} // namespace lhrs
