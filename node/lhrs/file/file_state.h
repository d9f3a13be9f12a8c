// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/linear_hash.h"
#include "node/lhrs/group/server_context.h"
#include "node/lhrs/group/replaced_members.h"
#include "proto/control.pb.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace lhrs {

// The coordinator's view of the file: (i,n), intended availability K, the holder of each place, and epochs. It only
// stores this: it decides nothing and sends nothing.
class FileState {
public:
    struct MemberInfo {
        HolderInfo holder;
        Level level = 0;
        pb::MemberState state = pb::MEMBER_UNKNOWN;
        bool isFenced = false; // failed, and all its leases have run out
        bool hasFailed() const { return state == pb::FAILED || state == pb::MEMBER_LOST; }
    };
    struct Group {
        Epoch epoch;
        std::map<Position, MemberInfo> data;
        std::map<ParityColumn, MemberInfo> parity;
        std::uint32_t k = 0; // parity buckets that count: all members know them
        pb::GroupState state = pb::GROUP_UP;
        ParityColumn manager; // carries out the recovery
        bool isRecovering = false; // members have failed, and not all are replaced yet
    };

    explicit FileState(const pb::FileConfig& config);

    const pb::FileConfig& config() const { return m_config; }
    FileImage image() const { return m_image; }
    std::uint32_t buckets() const { return bucketCount(m_image); }
    std::uint32_t availability() const { return m_availability; }
    bool exists() const { return m_exists; }
    void setExists() { m_exists = true; }

    // A restarted coordinator takes over a running file: first the parameters, then its own epoch.
    void adopt(const pb::FileConfig& config) { m_config = config; }
    void setRecovery(pb::RecoveryWay way) { m_config.set_recovery(way); }
    void setCoordinatorEpoch(std::uint64_t epoch) { m_coordinatorEpoch = epoch; }
    std::uint64_t coordinatorEpoch() const { return m_coordinatorEpoch; }
    // Where the epochs of groups begin under this coordinator: above all epochs that a former one can have assigned.
    Epoch firstEpoch() const { return Epoch((m_coordinatorEpoch - 1) << 32); }
    // Numbers of splits and merges increase, even from one coordinator to the next.
    std::uint64_t nextSplit() { return (m_coordinatorEpoch << 32) + ++m_splits; }
    std::uint64_t lastSplit() const { return (m_coordinatorEpoch << 32) + m_splits; }
    void setImage(FileImage image) { m_image = image; }
    void setAvailability(std::uint32_t availability, std::uint32_t asked);
    void commitMerge() { m_image = retreatMerge(m_image); }
    void commitSplit() { m_image = advanceSplit(m_image); }

    // What the threshold list requires for a file of this many buckets, or what an operator requested, whichever is
    // greater.
    std::uint32_t required(std::uint32_t buckets) const;
    void ask(std::uint32_t availability);
    // K grows by one when the split pointer is 0 and every group has K, at most once before the pointer moves on.
    // Returns true if K grew.
    bool raiseAvailability();
    bool everyGroupHas(std::uint32_t k) const;

    std::map<GroupNumber, Group>& groups() { return m_groups; }
    const std::map<GroupNumber, Group>& groups() const { return m_groups; }
    // Creates the group if it does not exist.
    Group& group(GroupNumber g);
    void erase(GroupNumber g);
    GroupNumber groupOf(BucketNumber a) const { return lhrs::groupOf(a, m_config.m()); }
    // Null if the bucket does not exist (yet).
    const MemberInfo* data(BucketNumber a) const;
    MemberInfo* data(BucketNumber a);

    // The group's view in its present epoch.
    pb::View view(GroupNumber g) const;
    // The locations of the buckets with which this newly recruited one will exchange requests (splitLineageOf). With
    // the whole table, a file of M buckets would need memory for M * M locations, and the messages of each split would
    // grow with the file.
    std::vector<pb::Location> lineageOf(BucketNumber a) const;
    pb::Location location(BucketNumber a) const;
    // (coordinator epoch << 32) + counter; never used twice.
    Incarnation allocate(NodeId node);
    // Whether this coordinator assigned this incarnation to this process.
    bool wasGiven(Incarnation incarnation, NodeId node) const;
    // Null if there is no such member.
    MemberInfo* member(GroupNumber g, pb::Role role, std::uint32_t index);
    // The group in which this process is a member, if any.
    std::optional<GroupNumber> groupOfNode(NodeId node) const;
    // Whether the group is complete and UP, so that a reconfiguration may begin.
    bool isWell(GroupNumber g) const;
    // Whether this incarnation holds its place in the table and has not been declared failed.
    bool isHolder(Incarnation incarnation) const;
    // A spare that is being filled for a place: it is a bucket already, but not in any view yet.
    void hide(Incarnation incarnation) { m_hidden.insert(incarnation); }
    void unhide(Incarnation incarnation) { m_hidden.erase(incarnation); }
    ReplacedMembers& replaced() { return m_replaced; }
    const ReplacedMembers& replaced() const { return m_replaced; }

private:
    pb::FileConfig m_config;
    FileImage m_image;
    std::uint32_t m_availability;
    std::uint32_t m_asked = 0;
    std::uint32_t m_raisedAt = 0; // number of buckets when K last grew
    bool m_exists = false;
    std::map<GroupNumber, Group> m_groups;
    std::map<GroupNumber, Epoch> m_former; // epochs of groups that no longer exist, in case they return
    std::set<Incarnation> m_hidden;
    mutable std::map<Incarnation, GroupNumber> m_seenIn; // where isHolder() last found the holder; only a hint
    ReplacedMembers m_replaced;
    std::uint64_t m_coordinatorEpoch = 1;
    std::uint64_t m_splits = 0; // number of splits and merges ordered by this coordinator
    std::uint64_t m_counter = 0;
    std::map<Incarnation, NodeId> m_given;
};

} // namespace lhrs
