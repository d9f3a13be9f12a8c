// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/growth/file_split.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lhrs {

// The splits that are under way: one, or a few consecutive ones if the file allows it. They are enlisted one after the
// other and then staged at once. Each is decided, in the order of n, when the one before it is over. They are undone
// together, from the last to the first. See "Splits in waves" in node/lhrs/PROTOCOL.md.
class SplitWave {
public:
    static constexpr std::size_t kWidthMax = 4;
    struct Begun {
        std::uint64_t split = 0; // number of the split
        std::uint64_t ticket = 0; // ticket of the command that waits; 0: none
    };
    struct Ended {
        bool wasUndone = false;
        std::uint64_t ticket = 0;
    };
    // A split that a former coordinator left unfinished.
    struct Unfinished {
        std::uint64_t split = 0;
        FileImage before; // the file as it is when this split is decided
        bool isDecided = false; // true for the first one at most
    };

    explicit SplitWave(CoordinatorParts& parts) : m_parts(parts) { }

    // Begins a wave of at most `width` splits with its first split.
    void begin(std::size_t width, const Begun& split, Time now, Effects& out);
    // Adds one more split to the wave.
    void join(const Begun& split, Time now, Effects& out);
    // All are enlisted: stages them.
    void close(Time now, Effects& out);
    void resume(const std::vector<Unfinished>& unfinished, Time now, Effects& out);

    bool isEmpty() const { return m_splits.empty(); }
    std::size_t size() const { return m_splits.size(); }
    bool isUnderWay(std::uint64_t split) const;
    // All splits of the wave are enlisted, so another may join now or the wave may be closed.
    bool areAllTold() const { return isGathering() && m_splits.back()->isTold(); }
    // Whether the next split may be staged at the same time as these.
    bool mayJoin() const;
    // Advances the splits until one is over, and removes that one.
    std::optional<Ended> takeEnded(Time now, Effects& out);
    // A split was decided since the last call: (i,n) has advanced.
    bool takeDecided();

    // Members of the group have failed.
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
    // The file as it will be when all of these are decided.
    FileImage ahead() const;
    // If the last split finds no spare, drops it; those before it continue.
    void dropMissing(Time now, Effects& out);
    void add(const FileSplit::Plan& plan, Time now, Effects& out);

    CoordinatorParts& m_parts;
    std::deque<std::unique_ptr<FileSplit>> m_splits; // in the order of n; only the first may be decided
    std::size_t m_width = 1;
    bool m_isClosed = true;
};

} // namespace lhrs
