// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/sim/lhrs/oracle/losses.h"

namespace lhrs {

// The intended availability K, the k of each group, and its parity buckets: what each has applied, and which of them
// count (I12).
class Availability : private OraclePart {
public:
    using Column = check::AckSituation::Column;

    Availability(const OraclePart& part, const Places& places, const FileGrowth& growth, const Losses& losses)
        : OraclePart(part), m_places(places), m_growth(growth), m_losses(losses)
    {
    }

    bool isCreated(std::uint32_t group) const { return m_k.contains(group); }
    // The group's parity buckets that have every acknowledged change; they determine how many members it can lose.
    std::set<std::uint32_t> countedColumns(std::uint32_t group) const;
    // The parity buckets that are UP in the bucket's view, with the sequence number up to which each has applied its
    // changes.
    std::vector<Column> columnsOf(const DataBucket& bucket) const;

    void onCoordinatorEvent(const pb::Event& event);
    void onFailed(const pb::BucketFailed& failed);
    // The split that was to create the group was undone.
    void onUndone(std::uint32_t group);
    // A later coordinator has rebuilt the file, of this many buckets.
    void onRebuilt(const FileState& file, std::uint32_t buckets);
    // The bucket has acknowledged its change to a client.
    void onAcknowledged(std::uint32_t number, std::uint64_t sequence) { m_told[number] = sequence; }
    // A new data bucket of this number begins.
    void onBegun(std::uint32_t number) { m_told.erase(number); }
    // Keeps what the process has applied as a parity bucket, for the time after its end.
    void remember(const SimProcess& process);
    // The file at rest; `leftOut`: groups that were not judged.
    void checkAtRest(const pb::FileDescription& file, const std::set<std::uint32_t>& leftOut);

private:
    std::uint64_t appliedBy(const pb::Member& member, Position q) const;
    void onGroupCreated(const pb::GroupCreated& created);
    void onParityAdded(const pb::ParityAdded& added);
    void judge();

    const Places& m_places;
    const FileGrowth& m_growth;
    const Losses& m_losses;
    std::uint32_t m_intended = 0; // K
    bool m_isRaisedEarly = false; // K was raised after the last decided split
    std::map<std::uint32_t, std::uint32_t> m_k; // by group, for groups that are created
    std::map<std::uint32_t, std::set<std::uint32_t>> m_columns; // by group: those that count, until the file is rebuilt
    std::set<std::pair<std::uint32_t, std::uint32_t>> m_inCreation; // (group, column)
    std::set<std::pair<std::uint32_t, std::uint32_t>> m_failedEarly; // (group, column): before the group was created
    std::map<std::uint64_t, std::vector<std::uint64_t>> m_applied; // by parity bucket's incarnation
    std::map<std::uint32_t, std::uint64_t> m_told; // by bucket: the last change that it acknowledged to a client
};

} // namespace lhrs
