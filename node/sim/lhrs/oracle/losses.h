// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/file/file_state.h"
#include "node/sim/lhrs/oracle/file_growth.h"

namespace lhrs {

// Which groups are declared lost, and whether enough of their members had failed (I18).
class Losses : private OraclePart {
public:
    Losses(const OraclePart& part, const Places& places, const FileGrowth& growth)
        : OraclePart(part), m_places(places), m_growth(growth)
    {
    }

    // `isBounded`: a lost group is a failure of the test, because no more members fail than the group tolerates (the
    // fault injector ensures this). `isNetworkBad`: the network alone may make live members seem dead.
    void setBounded(bool isBounded, bool isNetworkBad) { m_isBounded = isBounded, m_isNetworkBad = isNetworkBad; }
    bool isBounded() const { return m_isBounded; }
    // Whether a live member was declared failed: then more members may be missing than the bound allows.
    bool isAnyDeclaredAlive() const { return !m_declaredAlive.empty(); }
    const std::set<std::uint32_t>& groups() const { return m_groups; }
    // Whether LOST is the correct answer, because the record was lost with its bucket.
    bool isLost(std::uint64_t key) const { return m_buckets.contains(m_growth.bucketOf(key)); }
    bool isInLostGroup(std::uint64_t key) const { return m_groups.contains(m_growth.bucketOf(key) / m_settings.m); }
    // The key's bucket waits for another bucket that is lost.
    bool isStuck(std::uint64_t key) const;
    // Whether the group cannot be judged at rest, because it is lost, waits for a lost one, or misses too many members.
    bool isLeftOut(const pb::FileDescription::Group& group) const;

    // The process is about to be killed or disturbed in another way.
    void onDisturbed(const SimProcess& process) { m_disturbed.insert(process.index); }
    // The process was hit when it was about to join a group; the group relies on it a moment later without having asked
    // it.
    void onHitOnItsWay(std::uint32_t process) { m_hitOnTheirWay.insert(process); }
    // `incarnation`: what is declared failed; 0: the process does not hold the place.
    void onFailed(const pb::BucketFailed& failed, std::uint64_t incarnation);
    void onParityAdded(const pb::ParityAdded& added)
    {
        m_columnsDeclaredAlive.erase({ added.group(), added.column() });
    }
    void onLost(const pb::GroupLost& lost);
    // A later coordinator has found the group as it is in its table.
    void onRebuilt(GroupNumber g, const FileState::Group& group);

private:
    const Places& m_places;
    const FileGrowth& m_growth;
    bool m_isBounded = true;
    bool m_isNetworkBad = true;
    std::set<std::uint32_t> m_groups;
    std::set<std::uint32_t> m_buckets;
    std::set<std::uint32_t> m_disturbed; // processes
    std::set<std::uint32_t> m_hitOnTheirWay; // processes
    std::set<std::uint64_t> m_declaredAlive; // incarnations that were declared failed while they were alive
    // (group, column): declared failed while alive, since it last counted.
    std::set<std::pair<std::uint32_t, std::uint32_t>> m_columnsDeclaredAlive;
};

} // namespace lhrs
