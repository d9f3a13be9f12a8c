// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/file/file_state.h"
#include "node/lhrs/group/lease.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lhrs {

// What a coordinator that starts learns of a running file: the reports of its processes, and the file state that follows
// from them alone (lhrs.md 10.9). Pure: it sends nothing.
class FileRebuild {
public:
    // So long a process that reports follows no other coordinator; one that listens asks twice a second, and takes no report
    // of which the promise may be over.
    static constexpr Time kPromise = std::chrono::seconds(5);

    struct Split {
        std::uint64_t split = 0;
        BucketNumber source, target;
        Level level = 0;         // of both afterwards
        bool isDecided = false;  // finished; else undone
        bool isMerge = false;    // the source gives everything to the target; `level` as it was before
        bool isInTurn = true;    // all splits before it are decided: (i,n) is as it was before this one
    };
    struct Silent {
        GroupNumber group;
        MemberId member;
    };
    struct Found {
        std::vector<Split> splits;    // that were under way, in their order: one, or a wave. Only the first may be decided
        std::vector<Silent> silent;   // members of the last view that did not report
        std::vector<Silent> declared; // of these, those that are failed at once: an open split must not meet them again
    };

    // Of each process the report counts that answers the last question.
    void add(const pb::StateReport& report);
    // Whose promise is over may have changed since, by the order of a former coordinator: it counts as silent, though what it said
    // of its group does not.
    void forgetBefore(Time asked) { m_boundSince = asked; }
    // The process says that it holds a bucket; its report is on its way.
    void expect(NodeId node, Incarnation incarnation) { m_expected[node] = incarnation; }
    // A process says that there is a file.
    void hearsOfFile() { m_isFileKnown = true; }
    // There is one, and none of its buckets is heard.
    bool isFileSilent() const { return m_isFileKnown && !hasFile(); }
    bool isBound(const pb::StateReport& report) const { return Time(report.asked_ns()) >= m_boundSince; }
    std::vector<const pb::StateReport*> reports() const;
    bool knows(NodeId node, Incarnation incarnation) const;
    // Whether a process holds a bucket.
    bool hasFile() const;
    // One more than any coordinator had that a process has heard of; 1 for a file that does not exist yet.
    std::uint64_t nextCoordinatorEpoch() const;
    // What is missing for a safe state, in words: a bucket of which nothing is known, more silent members in a group than
    // its parity replaces, or half of them. They may still come. "": enough is known.
    std::string missing() const;
    // The parameters of the file, as its buckets were told. Only if there is a file.
    const pb::FileConfig& config() const;
    const pb::Timers& timers() const;
    // The report of who was told last how the file is recovered; null: it was never changed.
    const pb::StateReport* recoveryTold() const;

    // Enters everything into `file`, which is empty and has its coordinator epoch. Members of which nothing is known are
    // entered as lost.
    Found build(FileState& file) const;

private:
    struct Group {
        pb::View view; // of the highest epoch
        std::map<Incarnation, const pb::StateReport*> reports;
    };
    std::map<GroupNumber, Group> groups() const;
    // It was to be made by a split of which nobody knows any more: it failed before its source was told of it, or when that had
    // undone it, and the view calls it failed and not INIT. Its source lives, and has the level of before.
    bool isUnmade(GroupNumber g, const pb::Member& member, const std::map<GroupNumber, Group>& groups) const;
    // Declared failed, or the group has gone on without it and the view that names it is an old one.
    bool hasFailed(const pb::Member& member) const;
    // Whether it is a bucket, and not what something undecided was to bring in.
    bool isBucket(const Group& group, const pb::Member& member) const;
    // The same, or the target of a split that was under way.
    bool isMember(const Group& group, const pb::Member& member, const std::vector<Split>& splits) const;
    // It reports another place, or none: it never got the one that a split that was under way had for it. Nobody need be
    // waited for, or declared failed, to know that.
    bool neverCame(GroupNumber g, const pb::Member& member, const std::vector<Split>& splits) const;
    std::uint32_t columns(const Group& group) const;
    // A view is of an earlier time: of a bucket that is silent, and of which no parity bucket tells, it gives the least
    // level that it can have.
    struct KnownLevel {
        Level level = 0;
        bool isExact = false;
    };
    using Levels = std::map<BucketNumber, KnownLevel>;
    KnownLevel levelOf(const Group& group, const pb::Member& member) const;
    Levels levels(const std::map<GroupNumber, Group>& groups) const;
    FileImage imageOf(const Levels& levels) const;
    // The same, or a smaller one where what the groups know says so.
    FileImage within(FileImage image, const std::map<GroupNumber, Group>& groups, const Levels& levels) const;
    // What the splits that were under way say of it, or else the levels.
    FileImage imageWith(const std::vector<Split>& splits, const std::map<GroupNumber, Group>& groups, const Levels& levels) const;
    std::vector<Split> openSplits(const std::map<GroupNumber, Group>& groups, const Levels& levels) const;
    // How far the survivors of both groups are with it.
    struct Word {
        bool isCommitted = false;   // at one of them
        bool areAllPrepared = true; // and what left the source exists on the other side
    };
    Word wordOf(const Split& split, const std::map<GroupNumber, Group>& groups) const;

    Time m_boundSince {};
    bool m_isFileKnown = false;
    std::map<NodeId, pb::StateReport> m_reports;
    std::map<NodeId, Incarnation> m_expected;
    std::set<Incarnation> m_replaced;
};

} // namespace lhrs
