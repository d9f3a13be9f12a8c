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

// What a restarted coordinator learns of a running file: the reports of its processes, and the file state that follows
// from them alone. It sends nothing.
class FileRebuild {
public:
    // For this long, a process that has reported follows no other coordinator. A listening coordinator asks twice a
    // second and discards reports whose promise may have expired.
    static constexpr Time kPromise = std::chrono::seconds(5);

    struct Split {
        std::uint64_t split = 0;
        BucketNumber source, target;
        Level level = 0; // level of both buckets after the split
        bool isDecided = false; // true: to be completed; false: to be undone
        bool isMerge = false; // the source gives everything to the target; `level` is the one before
        bool isInTurn = true; // all earlier splits are decided: (i,n) is as before this one
    };
    struct Silent {
        GroupNumber group;
        MemberId member;
    };
    struct Found {
        std::vector<Split> splits; // the splits under way, in order; only the first may be decided
        std::vector<Silent> silent; // members of the last view that did not report
        std::vector<Silent> declared; // those of them to be declared failed at once, for an open split
    };

    // Adds a report. For each process, the one that answers the latest question counts.
    void add(const pb::StateReport& report);
    // A process whose promise has expired may have changed since, on the order of a former coordinator. It counts as
    // silent, but what it reported about its group remains valid.
    void forgetBefore(Time asked) { m_boundSince = asked; }
    // The process says that it holds a bucket; its report is still expected.
    void expect(NodeId node, Incarnation incarnation) { m_expected[node] = incarnation; }
    // A process says that a file exists.
    void hearsOfFile() { m_isFileKnown = true; }
    // A file exists, but none of its buckets is heard.
    bool isFileSilent() const { return m_isFileKnown && !hasFile(); }
    bool isBound(const pb::StateReport& report) const { return Time(report.asked_ns()) >= m_boundSince; }
    std::vector<const pb::StateReport*> reports() const;
    bool knows(NodeId node, Incarnation incarnation) const;
    // Whether any process holds a bucket.
    bool hasFile() const;
    // One more than the highest coordinator epoch known to any process; 1 for a file that does not exist yet.
    std::uint64_t nextCoordinatorEpoch() const;
    // Describes what is missing for a safe state: a bucket of which nothing is known, or a group with more silent
    // members than its parity can replace, or with half of its members silent. They may still report. "": enough is
    // known.
    std::string missing() const;
    // The parameters of the file, as reported by its buckets. Call only if a file exists.
    const pb::FileConfig& config() const;
    const pb::Timers& timers() const;
    // The report with the latest setting of how the file is recovered; null: the setting was never changed.
    const pb::StateReport* recoveryTold() const;

    // Enters everything into `file`, which must be empty except for its coordinator epoch. Members of which nothing is
    // known are entered as lost.
    Found build(FileState& file) const;

private:
    struct Group {
        pb::View view; // the view with the highest epoch
        std::map<Incarnation, const pb::StateReport*> reports;
    };
    std::map<GroupNumber, Group> groups() const;
    // The member was to be created by a split that no process knows any more. It failed before the source learned of
    // the split, or when the source had already undone it; so the view calls it failed, not INIT. The source is alive
    // and has the level from before.
    bool isUnmade(GroupNumber g, const pb::Member& member, const std::map<GroupNumber, Group>& groups) const;
    // The member was declared failed, or the group has continued without it and the view that names it is out of date.
    bool hasFailed(const pb::Member& member) const;
    // Whether it is a bucket, rather than the result of something undecided.
    bool isBucket(const Group& group, const pb::Member& member) const;
    // Whether it is a bucket, or the target of a split that was under way.
    bool isMember(const Group& group, const pb::Member& member, const std::vector<Split>& splits) const;
    // The process reports another place, or none: it never received the place that a split under way had for it. So the
    // coordinator need neither wait for it nor declare it failed.
    bool neverCame(GroupNumber g, const pb::Member& member, const std::vector<Split>& splits) const;
    std::uint32_t columns(const Group& group) const;
    // A view may be out of date. For a silent bucket on which no parity bucket reports, it gives only the lowest
    // possible level.
    struct KnownLevel {
        Level level = 0;
        bool isExact = false;
    };
    using Levels = std::map<BucketNumber, KnownLevel>;
    KnownLevel levelOf(const Group& group, const pb::Member& member) const;
    Levels levels(const std::map<GroupNumber, Group>& groups) const;
    FileImage imageOf(const Levels& levels) const;
    // The same image, or a smaller one if the members of the groups rule out the larger one.
    FileImage within(FileImage image, const std::map<GroupNumber, Group>& groups, const Levels& levels) const;
    // The image derived from the splits that were under way; without any, from the levels.
    FileImage imageWith(
        const std::vector<Split>& splits, const std::map<GroupNumber, Group>& groups, const Levels& levels) const;
    std::vector<Split> openSplits(const std::map<GroupNumber, Group>& groups, const Levels& levels) const;
    // How far the survivors of both groups have got with a split.
    struct Word {
        bool isCommitted = false; // committed at one of them
        bool areAllPrepared = true; // prepared at all, and what left the source exists at the target
    };
    Word wordOf(const Split& split, const std::map<GroupNumber, Group>& groups) const;

    Time m_boundSince {};
    bool m_isFileKnown = false;
    std::map<NodeId, pb::StateReport> m_reports;
    std::map<NodeId, Incarnation> m_expected;
    std::set<Incarnation> m_replaced;
};

} // namespace lhrs
