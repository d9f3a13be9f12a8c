// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/lhrs/file_client.h"
#include "gui/lab/state/lhrs/invariant_monitor.h"
#include "gui/lab/state/lhrs/rank_map.h"
#include "gui/lab/state/process/run_state.h"
#include "proto/recording.pb.h"

#include <algorithm>
#include <compare>

namespace lhrs::gui {

struct DataBucketState {
    std::uint32_t number = 0, level = 0, count = 0;
    ProcessId process = 0;
    std::uint64_t incarnation = 0, sequence = 0;
    pb::MemberState state = pb::MEMBER_UNKNOWN;
    std::string reason;
    bool isOverflowed = false; // reported, and it still has more than b records as far as b is known
    bool overflowIsReported = false;
    std::uint32_t b = 0; // from a snapshot; 0: unknown
    RankMap ranks; // rank -> key
    RankMap incoming; // records of a split that is not decided yet
    std::uint32_t slicesStored = 0; // of the recovery that rebuilds it here
    bool ranksAreObserved = true; // false: the detail level leaves the records out
    bool isOnlyDeclared = false; // its process was never observed: only the coordinator's report is known
};

struct ParityBucketState {
    std::uint32_t group = 0, column = 0, recordGroups = 0;
    ProcessId process = 0;
    std::uint64_t incarnation = 0;
    pb::MemberState state = pb::MEMBER_UNKNOWN;
    std::string reason;
    std::vector<std::uint64_t> applied; // by position
    std::vector<std::uint32_t> held; // by position: changes held until their predecessor arrives
    std::vector<std::set<std::uint64_t>> heldSequences; // those of them that events reported
    RankMap ranks; // rank -> number of members
    std::vector<bool> contentsIn; // by position; while the bucket is being filled
    bool ranksAreObserved = true;
    bool isOnlyDeclared = false; // see DataBucketState
};

// A member of a group: its role, and its data position or parity column.
struct MemberPlace {
    pb::Role role = pb::NO_ROLE;
    std::uint32_t index = 0;
    auto operator<=>(const MemberPlace&) const = default;
};

// A member that the coordinator has declared failed: this process no longer serves the place.
struct DownMember {
    ProcessId process = 0;
    bool isLost = false; // it cannot be rebuilt
    std::string reason;
    std::int64_t sinceNs = 0;
};

// The coordinator's last report that the place of a process failed: its event, and how long the process had been
// suspected.
struct FailureReport {
    ProcessId by = 0;
    std::uint64_t event = 0;
    std::int64_t atNs = 0, silentNs = 0; // silentNs 0: it had not been suspected before
};

struct Suspicion {
    std::string reason;
    std::int64_t sinceNs = 0; // of the first report
};

// The rebuild of a group's lost data buckets on spares, as the coordinator and the recovery manager report it.
struct RecoveryState {
    std::uint64_t id = 0; // 0: there was none; a later attempt has a higher number
    std::vector<std::uint32_t> buckets;
    std::uint32_t manager = 0; // its parity column
    std::uint32_t sliceRanks = 0; // ranks of a slice; 0: the manager's own choice
    std::uint32_t slices = 0, rankTo = 0, records = 0, askedAgain = 0; // progress of the computation
    std::uint64_t bytes = 0;
    bool isXor = false, isStarted = false, isOver = false;
    std::int64_t startedNs = 0, endedNs = 0, totalNs = 0;
    std::shared_ptr<const pb::DecoderChosen> decoder; // the manager's decoder; null: not reported (yet)
    bool isUnderWay() const { return isStarted && !isOver; }
};

struct GroupState {
    std::uint32_t number = 0, k = 0;
    std::uint64_t epoch = 0;
    bool parityIsBeingAdded = false;
    pb::GroupState state = pb::GROUP_UP; // of the newest epoch
    std::map<MemberPlace, DownMember> down;
    std::map<MemberPlace, Suspicion> suspected;
    RecoveryState recovery; // the last one
    std::int64_t recordRecoveredNs = 0; // when a parity bucket last answered for an unavailable bucket
    // The number of further failures that the group survives.
    std::uint32_t kEffective() const { return k - std::min(k, std::uint32_t(down.size())); }
};

enum class SplitStage { Ordered, Moving, Prepared, Committed, Finished, Undone };

struct SplitState {
    std::uint64_t id = 0;
    std::uint32_t bucket = 0, newBucket = 0, level = 0, moved = 0;
    SplitStage stage = SplitStage::Ordered;
    bool sourceIsPrepared = false, targetIsPrepared = false;
    std::string reason;
    std::int64_t startedNs = 0, endedNs = 0;
    bool isMerge = false; // all records of `bucket` go back to `newBucket`
    bool isOrdered = false; // the coordinator has told which buckets are concerned
    std::set<std::uint32_t> preparedBuckets; // data buckets that have staged their part
    std::uint32_t movedReported = 0, movedArrived = 0; // as reported at the end; records observed at the target
    // Sum of both count changes: not 0 while only one bucket has applied its part.
    std::int64_t applied = 0;
    bool isUnderWay() const { return stage != SplitStage::Finished && stage != SplitStage::Undone; }
};

struct FileShown {
    bool exists = false;
    pb::FileConfig config;
    std::uint32_t i = 0, n = 0, buckets = 0, availability = 0, splitsOwed = 0;
    bool hasShrunk = false; // an image may then be ahead of the file
    std::string waitsFor; // "a spare data server for bucket 5", empty: nothing
    bool isBeingFound = false; // a restarted coordinator is listening for the file's buckets
};

// A file of LH*RS and its processes, folded from events. What a process reports about itself is applied in its order.
// What several processes report about one thing (a split, an operation, a group) is merged by operations that do not
// depend on the order: the maximum, the union, or the sum of what a single process counts.
struct FileView : RunState {
    FileView();
    FileView(const FileView& other);
    FileView(FileView&& other) noexcept;
    FileView& operator=(const FileView& other);
    FileView& operator=(FileView&& other) noexcept;
    ~FileView();

    FileShown file;
    std::map<ProcessId, FileClient> fileClients; // those that have told of the file
    std::map<std::uint32_t, DataBucketState> data; // by bucket number
    std::map<std::pair<std::uint32_t, std::uint32_t>, ParityBucketState> parity; // by (group, column)
    std::map<std::uint32_t, GroupState> groups;
    std::map<std::uint64_t, SplitState> splits; // under way, and the last 16
    // Buckets whose number has a newer incarnation at another process; by process. They come back when that
    // incarnation is released.
    std::map<ProcessId, DataBucketState> displacedData;
    std::map<ProcessId, ParityBucketState> displacedParity;
    std::map<ProcessId, FailureReport> failures; // by the process that was declared failed
    std::uint64_t splitForgotten = 0; // splits up to this number have ended and were dropped from `splits`
    static constexpr std::size_t kEndedSplits = 16;
    pb::Transport recruiting = pb::MULTICAST;
    InvariantMonitor invariants; // not order-independent: the counts depend on the order in which events arrived

    // Records that one bucket of a split has given away and the other has not yet taken; below 0: both buckets have
    // them.
    std::int64_t recordsUnderWay() const;
    // The coordinator's declaration that the place failed or is lost; null: the process serves it, as far as is
    // known.
    const DownMember* downOf(const DataBucketState& bucket) const;
    const DownMember* downOf(const ParityBucketState& bucket) const;
    // What the client knows of the file; of one that has told nothing yet, what a new client knows.
    const FileClient& fileClient(ProcessId client) const;
    // The operation that the request began; null if it is too old to be kept, or the request is of no client.
    OperationState* operationOf(const pb::RequestId& id);
    const Suspicion* suspicionOf(pb::Role role, std::uint32_t group, std::uint32_t index) const;
    std::uint32_t m() const { return file.config.m() ? file.config.m() : 4; }

protected:
    // Folds one event of a process, and what a snapshot of a process says.
    void foldEvent(ProcessId process, const pb::Event& event, std::int64_t runNs);
    void foldSnapshot(const pb::Snapshot& snapshot, std::int64_t runNs);
};

} // namespace lhrs::gui
