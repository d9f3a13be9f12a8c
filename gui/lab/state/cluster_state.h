// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/invariant_monitor.h"
#include "gui/lab/state/walk/ring_view.h"
#include "proto/control.pb.h"
#include "proto/event.pb.h"
#include "proto/recording.pb.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <compare>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lhrs::gui {

using ProcessId = std::uint64_t;

// Rank -> number: a key in a data bucket, the count of members in a parity bucket. Pages of 256 ranks are shared
// between copies and copied on the first write, so that a copy of the whole cluster costs a few pointers per bucket.
// A page that was ever shared is never written again; copies may therefore be read in any thread without a lock.
class RankMap {
public:
    static constexpr std::uint32_t kPage = 256;
    static constexpr std::uint32_t kRankMax = 1u << 24;
    RankMap() = default;
    RankMap(const RankMap& other);
    RankMap& operator=(const RankMap& other);
    RankMap(RankMap&&) = default;
    RankMap& operator=(RankMap&&) = default;
    ~RankMap() = default;

    void set(std::uint32_t rank, std::uint64_t number);
    void clear(std::uint32_t rank);
    void clearAll();
    bool has(std::uint32_t rank) const;
    std::uint64_t at(std::uint32_t rank) const; // 0 if there is none
    std::uint32_t count() const { return m_count; }
    std::uint32_t rankMax() const; // highest used rank; 0 if empty
    bool operator==(const RankMap& other) const;

    // For callers that store pages separately (recordings): the pages with at least one rank, ascending; the contents
    // of a page, ranks ascending; and whether a page is certainly the same as in `before`, an earlier state of this
    // map.
    std::vector<std::uint32_t> pages() const;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> inPage(std::uint32_t page) const;
    bool sharesPage(const RankMap& before, std::uint32_t page) const;

private:
    struct Page {
        std::array<std::uint64_t, kPage> numbers {};
        std::bitset<kPage> used;
    };
    struct Slot {
        std::shared_ptr<Page> page; // null: the page has no used rank
        mutable bool isShared = false; // set in both maps by a copy, never cleared
    };
    Page& pageForWrite(std::uint32_t rank);
    std::vector<Slot> m_pages;
    std::uint32_t m_count = 0;
};

struct OfferState {
    std::uint64_t invitation = 0;
    std::int64_t sinceNs = 0; // on the run's clock
    std::uint32_t expiresMs = 0;
};

// A fault that was injected into a process.
struct FaultState {
    std::string words; // its effect
    std::shared_ptr<const pb::Fault> what;
};

// A sample of a process's activity.
struct NodeSampleState {
    std::int64_t runNs = 0;
    std::shared_ptr<const pb::NodeSample> sample;
};

// A time in which a process was disturbed on purpose: a pause, a fault, a closed gate. It is taken as the cause of a
// failure.
struct Trouble {
    static constexpr std::int64_t kGoesOn = std::numeric_limits<std::int64_t>::max();
    std::int64_t fromNs = 0, toNs = kGoesOn;
    bool reachesOthers = false; // messages of other processes may be lost or late because of it
};

// A process as its events and the directory describe it. Its constructors and destructor are defined in the .cpp,
// like those of a client and of the cluster; otherwise each file that uses one would instantiate them for all its
// containers.
struct ProcessState {
    ProcessState();
    ProcessState(const ProcessState& other);
    ProcessState(ProcessState&& other) noexcept;
    ProcessState& operator=(const ProcessState& other);
    ProcessState& operator=(ProcessState&& other) noexcept;
    ~ProcessState();

    ProcessId id = 0;
    pb::ProcessKind kind = pb::PROCESS_UNKNOWN;
    std::string name;
    std::uint32_t pid = 0;
    std::string address; // 127.0.0.1:4711
    std::string eventsEndpoint, controlEndpoint, version;
    bool hasEnded = false;
    std::string endReason;
    std::int64_t endedNs = 0; // on the run's clock, if it has ended
    bool isPaused = false; // by the program that started it
    bool isFull = false; // its memory is at its limit: it refuses what would make its bucket grow
    bool isGated = false; // its gate is closed: arriving messages are held, its clock stands
    std::map<std::uint64_t, FaultState> faults; // armed at it, by fault number
    std::set<std::uint64_t> cuts; // those of them that isolate it from all others
    pb::Role pool = pb::NO_ROLE; // a spare: its pool
    bool isInvited = false; // it received an invitation that is not settled
    OfferState offer; // invitation != 0: an open offer
    pb::Place place; // NO_ROLE: no bucket
    std::uint64_t incarnation = 0;
    std::uint64_t sequence = 0; // of the last folded event
    std::uint64_t contained = 0; // a snapshot contains events up to this one; if they arrive later, they change nothing
    std::int64_t lastEventNs = 0;
    std::int64_t heardNs = 0; // last sign of life: an event or an answer, but not its end
    std::vector<Trouble> troubles; // the last ones, newest at the back
    static constexpr std::size_t kTroubles = 8;
    std::uint64_t lostEvents = 0;
    bool isIncomplete = true; // no snapshot yet, or events were lost since the last one
    pb::Gauges gauges;
    std::deque<NodeSampleState> samples; // while it is watched: newest at the back, at most kSamples
    static constexpr std::size_t kSamples = 16;
};

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

struct OperationState {
    std::uint64_t number = 0, key = 0;
    pb::OperationKind kind = pb::OPERATION_UNKNOWN;
    std::uint32_t computedBucket = 0, bucket = 0, rank = 0, forwards = 0;
    std::vector<std::uint32_t> path; // buckets visited, ascending, because a forward always goes to a larger number
    bool isDone = false, imageAdjusted = false;
    pb::ResultCode result = pb::RESULT_UNKNOWN;
    pb::Path way = pb::DIRECT; // way of the answer, once it is done
    pb::FileState imageBefore, imageAfter;
    std::uint32_t adjustedBucket = 0, adjustedLevel = 0; // (a, j) of the image adjustment
    std::int64_t startedNs = 0, timeNs = 0;
};

struct ClientState {
    ClientState();
    ClientState(const ClientState& other);
    ClientState(ClientState&& other) noexcept;
    ClientState& operator=(const ClientState& other);
    ClientState& operator=(ClientState&& other) noexcept;
    ~ClientState();

    ProcessId process = 0;
    std::string name;
    pb::FileState image;
    pb::ImageMode mode = pb::ADJUSTING;
    std::uint64_t operations = 0, forwards = 0, imageAdjustments = 0, resends = 0, done = 0;
    std::array<std::uint64_t, 3> hops {}; // operations with 0, 1, 2 forwards
    bool isHeld = false; // it begins no new operations
    std::deque<OperationState> last; // newest at the back, at most kOperations
    static constexpr std::size_t kOperations = 32;
};

struct FileShown {
    bool exists = false;
    pb::FileConfig config;
    std::uint32_t i = 0, n = 0, buckets = 0, availability = 0, splitsOwed = 0;
    bool hasShrunk = false; // an image may then be ahead of the file
    std::string waitsFor; // "a spare data server for bucket 5", empty: nothing
    bool isBeingFound = false; // a restarted coordinator is listening for the file's buckets
};

// The cluster at one instant, folded from events. The result is the same for every interleaving that keeps the order
// within each process. A plain value: copies are cheap and independent. Its processes are of one system, whose part of
// the state alone is then filled: that of LH*RS is spread over the members, each further system has one of its own.
struct ClusterState {
    ClusterState();
    ClusterState(const ClusterState& other);
    ClusterState(ClusterState&& other) noexcept;
    ClusterState& operator=(const ClusterState& other);
    ClusterState& operator=(ClusterState&& other) noexcept;
    ~ClusterState();

    std::string system; // of the processes, as ProcessInfo has it; empty: LH*RS, or not known yet
    bool isOfLhrs() const { return system.empty(); }
    std::map<ProcessId, ProcessState> processes;
    walk::RingView ring;
    FileShown file;
    std::map<std::uint32_t, DataBucketState> data; // by bucket number
    std::map<std::pair<std::uint32_t, std::uint32_t>, ParityBucketState> parity; // by (group, column)
    std::map<std::uint32_t, GroupState> groups;
    std::map<std::uint64_t, SplitState> splits; // under way, and the last 16
    std::map<ProcessId, ClientState> clients;
    // Buckets whose number has a newer incarnation at another process; by process. They come back when that
    // incarnation is released.
    std::map<ProcessId, DataBucketState> displacedData;
    std::map<ProcessId, ParityBucketState> displacedParity;
    std::map<ProcessId, FailureReport> failures; // by the process that was declared failed
    std::uint64_t splitForgotten = 0; // splits up to this number have ended and were dropped from `splits`
    static constexpr std::size_t kEndedSplits = 16;
    pb::Transport recruiting = pb::MULTICAST;
    bool isSimulated = false;
    std::uint64_t events = 0, lost = 0;
    // The start of the shown run on the run's clock; displayed times are relative to it. No event reports it; the
    // program that shows the run sets it.
    std::int64_t originNs = 0;
    double shownSeconds(std::int64_t runNs) const
    {
        const std::int64_t passed = runNs - originNs;
        return isSimulated && passed < 0 && passed > -kMadeBeforeNs ? 0 : double(passed) / 1e9;
    }
    // Tolerance for events that were recorded just before the simulated clock began at 0.
    static constexpr std::int64_t kMadeBeforeNs = 2'000'000'000;
    InvariantMonitor invariants; // not order-independent: the counts depend on the order in which events arrived

    // Folds one event of a process. `runNs` is the event's time on the run's clock.
    void apply(ProcessId process, const pb::Event& event, std::int64_t runNs);
    // Folds what the watcher learned by other means than an event of the process.
    void apply(ProcessId process, const pb::Told& told, std::int64_t runNs);
    // Replaces what is known of the snapshot's process.
    void apply(const pb::Snapshot& snapshot, std::int64_t runNs);
    // Events first..last of the process were lost.
    void applyGap(ProcessId process, std::uint64_t first, std::uint64_t last);
    // The directory knows the process (before any of its events arrived).
    void introduce(const pb::ProcessInfo& info);
    // The process has ended; its places stay visible with that mark.
    void markEnded(ProcessId process, const std::string& reason, std::int64_t runNs);
    // The process was paused or resumed at `runNs`; no event reports it.
    void markPaused(ProcessId process, bool isPaused, std::int64_t runNs);
    // Records that one bucket of a split has given away and the other has not yet taken; below 0: both buckets have
    // them.
    std::int64_t recordsUnderWay() const;
    // The coordinator's declaration that the place failed or is lost; null: the process serves it, as far as is
    // known.
    const DownMember* downOf(const DataBucketState& bucket) const;
    const DownMember* downOf(const ParityBucketState& bucket) const;
    const Suspicion* suspicionOf(pb::Role role, std::uint32_t group, std::uint32_t index) const;
    std::uint32_t m() const { return file.config.m() ? file.config.m() : 4; }
};

} // namespace lhrs::gui
