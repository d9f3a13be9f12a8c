// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/data/contents_sender.h"
#include "node/lhrs/group/lease.h"
#include "node/lhrs/data/merge_target.h"
#include "node/lhrs/group/server_context.h"
#include "node/lhrs/group/parity_link.h"
#include "node/lhrs/store/record_store.h"
#include "node/machine/requests/result_table.h"
#include "node/lhrs/data/scan_answers.h"
#include "node/lhrs/data/split_source.h"
#include "node/lhrs/data/split_target.h"

#include <deque>
#include <map>
#include <memory>

namespace lhrs {

// A data bucket: executes key operations on its records and sends each change to its parity buckets before it answers
// the client. It forwards requests that belong elsewhere and implements both ends of a split. The node machine drives
// it.
//
//   INIT --(Commit of the split that creates it)--> UP --(Split, and most is copied)--> SPLITTING --(Commit, Abort)-->
//   UP
//
// INIT queues everything; SPLITTING and MERGING answer searches and hold changes. A bucket that a merge has emptied no
// longer acts as a bucket and waits for its release.
class DataBucket {
public:
    DataBucket(ServerContext& context, const pb::Confirm& confirm, Time now, Effects& out);

    void onInsert(const pb::Message& message, Time now, Effects& out);
    void onUpdate(const pb::Message& message, Time now, Effects& out);
    void onDelete(const pb::Message& message, Time now, Effects& out);
    void onSearch(const pb::Message& message, Time now, Effects& out);
    void onScan(const pb::Message& message, Time now, Effects& out);
    void onDeltaAck(const pb::Message& message, Time now, Effects& out);
    void onDeltaNak(const pb::Message& message, Time now, Effects& out);
    void onLocation(const pb::Message& message, Time now, Effects& out);
    void onEpoch(const pb::Message& message, Time now, Effects& out);
    void onSplit(const pb::Message& message, Time now, Effects& out);
    void onMerge(const pb::Message& message, Time now, Effects& out);
    void onDisplaced(const pb::Message& message);
    void onMoveRecords(const pb::Message& message, Time now, Effects& out);
    void onCommit(const pb::Message& message, Time now, Effects& out);
    void onAbort(const pb::Message& message, Time now, Effects& out);
    void onFinish(const pb::Message& message, Time now, Effects& out);
    void onRearm(const pb::Message& message, Time now, Effects& out);
    void onSendContents(const pb::Message& message, Time now, Effects& out);
    void onLeaseRequest(const pb::Message& message, Time now, Effects& out);
    void onLeaseGrant(const pb::Message& message);
    void onMemberRead(const pb::Message& message, Effects& out);
    void onSliceRequest(const pb::Message& message, Effects& out);
    void onSpareSlice(const pb::Message& message, Time now, Effects& out);
    // A message of the ack list was acknowledged, or given up.
    void onAck(const AckList::Entry& entry, Time now, Effects& out);
    void onGivenUp(const AckList::Entry& entry) { m_scans.onGivenUp(entry); }
    void onTime(Time now, Effects& out);
    Time deadline() const;

    BucketNumber number() const { return m_parts.number; }
    Level level() const { return m_level; }
    Incarnation incarnation() const { return m_parts.incarnation; }
    pb::MemberState state() const { return m_state; }
    bool isGone() const { return m_isGone; } // emptied by a merge
    const pb::View& view() const { return m_view; }
    const RecordStore& store() const { return m_store; }
    const ParityLink& link() const { return m_link; }
    const ResultTable& results() const { return m_results; }
    std::uint32_t held() const
    {
        return std::uint32_t(m_held.size() + m_parked.size() + m_waitingReads.size()) + m_scans.held();
    }
    std::uint64_t operations() const { return m_operations; }
    // Whether reads may be answered. Where the file recovers from failures, leases fence reads.
    bool hasLease(Time now) const { return m_config.recovery() == pb::RECOVERY_OFF || m_lease.isHeld(now); }
    // Bytes stored, as the process counts its memory between two measurements.
    std::uint64_t storedBytes() const
    {
        return m_store.bytes() + m_link.pendingBytes() + (m_merge ? m_merge->keptBytes() : 0);
    }
    // Checks whether the memory is at its limit.
    void lookAtMemory();
    bool isFull() const { return m_isFull; }
    void snapshot(pb::Snapshot& out) const;
    void inspect(Time now, pb::NodeSample& out) const;
    // Reports what a restarted coordinator needs to rebuild the file state.
    void report(pb::StateReport& out) const;
    // A page of the contents; its `count` and bytes are bounded.
    void readContents(const pb::ReadContents& page, pb::ContentsPage& out) const;
    void audit(const pb::Audit& page, pb::AuditPage& out) const;

private:
    enum class Kind { Insert, Update, Delete, Search };
    struct Held {
        Kind kind;
        pb::KeyRequest request;
    };

    void onRequest(Kind kind, const pb::KeyRequest& request, Time now, Effects& out);
    void scan(const pb::Scan& scan, Time now, Effects& out);
    void askForScans(Time now, Effects& out);
    void change(Kind kind, const pb::KeyRequest& request, Time now, Effects& out);
    // Gives the change its number and sends its Deltas; `delta` is old ^ new (for an insert, the new value itself).
    void sendDelta(const pb::KeyRequest& request, pb::ChangeKind kind, Rank rank, std::string_view delta,
        std::string_view after, pb::ResultCode result, Time now, Effects& out);
    // Whether a change that needs this many further bytes is refused because this bucket or a parity bucket is full; a
    // refused request is answered here. `growth`: by the value, here and at the parity buckets; `besides`: at this
    // bucket only.
    bool isRefused(const pb::KeyRequest& request, std::uint64_t growth, std::uint64_t besides, Effects& out);
    // Whether there is room for records that a split or merge brings. Otherwise they are not acknowledged, and the
    // split or merge is undone at its time limit.
    bool hasRoomFor(const pb::MoveRecords& move) const;
    // Answers EXISTS or NOT_FOUND to a mutation without effect.
    void changeNothing(const pb::KeyRequest& request, pb::ResultCode result, Rank rank, Time now, Effects& out);
    // Answers a search with the bucket's contents once no change of this key is under way.
    void answerRead(const pb::KeyRequest& request, Rank rank, Time now, Effects& out);
    void answer(const ParityLink::Change& change, Time now, Effects& out);
    void sayWhere(const pb::KeyRequest& request, pb::Reply& reply) const;
    // Returns the answer, or null if no answer is wanted.
    pb::Reply* reply(const pb::KeyRequest& request, pb::ResultCode result, Rank rank, Effects& out);
    void forward(Kind kind, const pb::KeyRequest& request, BucketNumber to, Time now, Effects& out);
    // Whether a copy of this request already waits here. Another copy adds nothing, and it must not be refused either.
    bool isWaiting(const pb::KeyRequest& request) const;
    bool hold(Kind kind, const pb::KeyRequest& request, Effects& out);
    // Does what has become possible because changes are done: reads, a waiting split, an epoch to acknowledge.
    void progress(Time now, Effects& out);
    void acknowledgeEpoch(Time now, Effects& out);
    void workOff(Time now, Effects& out);
    // From now on, reports again when there are more records than this.
    void rearmOverload(std::uint32_t above)
    {
        m_isOverloadSent = false;
        m_overloadAbove = above;
    }
    void reportOverload(Time now, Effects& out);
    void reportUnderflow(Time now, Effects& out);
    std::uint32_t underflow() const { return m_config.b() * 2 / 5; } // a load of 0.4
    // The address of a request was wrong: tells its client and the bucket that forwarded it.
    void displace(const pb::KeyRequest& request, Effects& out) const;
    void copyAhead(Time now, Effects& out);
    void endMerge(Time now, Effects& out);
    void become(pb::MemberState state, const char* reason, Effects& out);
    void applied(const pb::Message& cause, std::uint64_t split, Effects& out) const;
    void takeView(Time now);
    bool isUpIn(const pb::View& view) const;
    bool isFit(const std::string& block) const;
    void storeSlice(const pb::SpareSlice& slice, Time now, Effects& out);
    void renewLease(Time now, Effects& out);
    void check() const;

    pb::FileConfig m_config;
    Level m_level;
    pb::MemberState m_state;
    std::uint64_t m_creation; // split that creates this bucket; 0: created with the file
    Level m_createdLevel; // the level that this split gives it
    std::uint64_t m_lastSplit; // older or equal orders are late copies, even to a former holder
    pb::View m_view;
    RecordStore m_store;
    ResultTable m_results;
    ParityLink m_link;
    BucketParts m_parts;
    ScanAnswers m_scans;
    LeaseHolder m_lease;
    LeaseGranter m_grants;
    std::uint64_t m_recovery = 0; // the recovery that rebuilds this bucket
    std::uint32_t m_slicesStored = 0; // slices stored in this recovery
    std::map<std::uint32_t, pb::Message> m_slicesAhead; // arrived before their predecessors, by number
    std::unique_ptr<SplitSource> m_source;
    std::unique_ptr<SplitTarget> m_target;
    std::unique_ptr<MergeTarget> m_merge;
    bool m_isGone = false; // a merge gave all its records to another bucket
    std::map<Incarnation, std::unique_ptr<ContentsSender>> m_contents; // by the asking parity bucket
    std::deque<Held> m_held; // INIT: everything; SPLITTING: changes
    std::multimap<Sequence, Held> m_waitingReads; // by the change that they wait for
    std::multimap<BucketNumber, Held> m_parked; // to be forwarded once the location is known
    std::map<BucketNumber, Time> m_asked; // WhereIs under way, with the next time
    bool m_isOverloadSent = false;
    std::uint32_t m_overloadAbove = m_config.b(); // more records are reported
    std::uint32_t m_underflowBelow = underflow(); // fewer records are reported
    std::unique_ptr<pb::Message> m_owedFinish; // Finish; acknowledged when the split is over here too
    struct OwedEpochAck {
        pb::Message epoch; // the message to be acknowledged
        std::map<ParityColumn, Sequence> wanted; // the changes that parity buckets must have first
    };
    std::unique_ptr<OwedEpochAck> m_owedEpochAck;
    std::uint64_t m_operations = 0;
    bool m_isFull = false;
    std::uint64_t m_growthRefused = 0; // the largest growth refused since it is full
    std::string m_delta; // reused by each change
};

// Tells the client of a request, or the bucket that forwarded it, that this process is not (or no longer) that bucket.
void sayDisplaced(const Address& to, const pb::RequestId& request, std::uint32_t bucket, std::uint64_t incarnation,
    std::uint32_t copy, Effects& out);

// The request in the body of a key operation.
const pb::KeyRequest& keyRequestOf(const pb::Message& message);

} // namespace lhrs
