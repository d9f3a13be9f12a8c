// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/lhrs/request_ledger.h"
#include "node/sim/lhrs/oracle/places.h"

namespace lhrs {

// The state of the file as its coordinators decide it: the order of splits and merges, and which bucket may answer for
// a key meanwhile (I11, I14).
class FileGrowth : private OraclePart {
public:
    FileGrowth(const OraclePart& part, bool isParallel, const Places& places)
        : OraclePart(part), m_isParallel(isParallel), m_places(places)
    {
    }

    bool exists() const { return m_exists; }
    const check::FileState& state() const { return m_state; }
    // If so, images may be ahead of the file, and k of a group may be above K.
    bool hasMerged() const { return m_hasMerged; }
    std::uint32_t bucketOf(std::uint64_t key) const
    {
        return std::uint32_t(check::addressOf(m_settings, key, m_state));
    }
    // False for a bucket that a merge has emptied: it may remain for a while, or be rebuilt briefly, but no request is
    // sent there.
    bool isOfFile(std::uint32_t number) const;
    // Splits and merges decided since then.
    std::uint32_t decidedSince(Time time) const;
    // The event is a split or merge that does not lead to the present state of the file.
    bool isNewDecision(const pb::Event& event) const;
    // How many spares of this pool were missing since the last call.
    std::uint32_t takeMissingSpares(pb::Role pool) { return std::exchange(m_missing[pool], 0); }

    void onCoordinatorEvent(const pb::Event& event);
    // A later coordinator has rebuilt the file: as its predecessor had it, or as it was before a decision that only the
    // predecessor knew. `isBounded`: no whole groups can be gone.
    void onRebuilt(const pb::CoordinatorRebuilt& rebuilt, bool isBounded);
    // The bucket has received the records that a split or merge moves to it.
    void onRecordsArrived(std::uint32_t number);
    // A bucket has changed its state.
    void touch() { m_isTouched = true; }
    // I11, if anything that it depends on has changed since the last call.
    void checkTouched(const check::RequestLedger& ledger);
    void checkAuthority(const check::RequestLedger& ledger);

private:
    void onSplitOrdered(const pb::SplitOrdered& ordered);
    void decide(const check::FileState& after);

    const bool m_isParallel; // splits may be under way at the same time
    const Places& m_places;
    check::FileState m_state;
    bool m_exists = false;
    bool m_hasMerged = false;
    std::set<std::uint64_t> m_openSplits; // splits ordered and not finished
    std::optional<std::pair<std::uint32_t, std::uint32_t>> m_merging; // a decided merge: from, into
    std::vector<Time> m_decided; // when splits and merges were
    std::map<pb::Role, std::uint32_t> m_missing;
    bool m_isTouched = false;
};

} // namespace lhrs
