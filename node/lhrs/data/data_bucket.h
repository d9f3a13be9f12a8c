// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/data/contents_sender.h"
#include "node/lhrs/group/lease.h"
#include "node/lhrs/data/merge_target.h"
#include "node/machine/node_context.h"
#include "node/lhrs/group/parity_link.h"
#include "node/lhrs/store/record_store.h"
#include "node/lhrs/store/result_table.h"
#include "node/lhrs/data/scan_answers.h"
#include "node/lhrs/data/split_source.h"
#include "node/lhrs/data/split_target.h"

#include <deque>
#include <map>
#include <memory>

namespace lhrs {

// A data bucket: key operations on its records, each change sent to its parity buckets before the client is answered,
// forwarding of what belongs elsewhere, and both ends of a split. The node machine drives it.
//
//   INIT --(Commit of the split that creates it)--> UP --(Split, and most is copied)--> SPLITTING --(Commit, Abort)--> UP
//
// INIT queues everything; SPLITTING and MERGING answer searches and hold changes. What a merge has emptied is no bucket any
// more, and waits for its release.
class DataBucket {
public:
    DataBucket(NodeContext& context, const pb::Confirm& confirm, Time now, Effects& out);

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
    void onDisplaced(const pb::Displaced& displaced);
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
    bool isGone() const { return m_isGone; } // a merge has emptied it
    const pb::View& view() const { return m_view; }
    const RecordStore& store() const { return m_store; }
    const ParityLink& link() const { return m_link; }
    const ResultTable& results() const { return m_results; }
    std::uint32_t held() const { return std::uint32_t(m_held.size() + m_parked.size() + m_waitingReads.size()) + m_scans.held(); }
    std::uint64_t operations() const { return m_operations; }
    // Whether reads may be answered: fenced by leases, where the file recovers from failures (lhrs.md 10.2).
    bool hasLease(Time now) const { return m_config.recovery() == pb::RECOVERY_OFF || m_lease.isHeld(now); }
    // Bytes that it takes, as the process' memory is reckoned between two measurements.
    std::uint64_t storedBytes() const { return m_store.bytes() + m_link.pendingBytes() + (m_merge ? m_merge->keptBytes() : 0); }
    // Looks again whether the memory is at its limit.
    void lookAtMemory();
    bool isFull() const { return m_isFull; }
    void snapshot(pb::Snapshot& out) const;
    void inspect(Time now, pb::NodeSample& out) const;
    // What a coordinator that starts wants to know (lhrs.md 10.9).
    void report(pb::StateReport& out) const;
    // A page of the contents; `count` and its bytes are bounded.
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
    // Gives the change its number and Deltas; `delta` is old ^ new (an insert's is the new value itself).
    void sendDelta(const pb::KeyRequest& request, pb::ChangeKind kind, Rank rank, std::string_view delta,
        std::string_view after, pb::ResultCode result, Time now, Effects& out);
    // Whether a change that takes so many further bytes is refused, because we or a parity bucket are full: then it is answered.
    // `growth`: of a value, here and at the parity buckets; `besides`: of this bucket alone.
    bool isRefused(const pb::KeyRequest& request, std::uint64_t growth, std::uint64_t besides, Effects& out);
    // Whether records that a split or a merge brings may be taken; else they are not acknowledged, and it is undone at its limit.
    bool hasRoomFor(const pb::MoveRecords& move) const;
    // EXISTS or NOT_FOUND, to a request that would change something.
    void changeNothing(const pb::KeyRequest& request, pb::ResultCode result, Rank rank, Time now, Effects& out);
    // Answers a search with what the bucket holds, once nothing of this key is under way (lhrs.md 4.5).
    void answerRead(const pb::KeyRequest& request, Rank rank, Time now, Effects& out);
    void answer(const ParityLink::Change& change, Time now, Effects& out);
    void sayWhere(const pb::KeyRequest& request, pb::Reply& reply) const;
    // Returns the answer, null where none is wanted.
    pb::Reply* reply(const pb::KeyRequest& request, pb::ResultCode result, Rank rank, Effects& out);
    void forward(Kind kind, const pb::KeyRequest& request, BucketNumber to, Time now, Effects& out);
    // Whether a copy of this request waits here already: another adds nothing, and must not be refused either.
    bool isWaiting(const pb::KeyRequest& request) const;
    bool hold(Kind kind, const pb::KeyRequest& request, Effects& out);
    // What became possible because changes are done: reads, a split that waits, an epoch to acknowledge.
    void progress(Time now, Effects& out);
    void acknowledgeEpoch(Time now, Effects& out);
    void workOff(Time now, Effects& out);
    // A further report when there are more records than this.
    void rearmOverload(std::uint32_t above)
    {
        m_isOverloadSent = false;
        m_overloadAbove = above;
    }
    void reportOverload(Time now, Effects& out);
    void reportUnderflow(Time now, Effects& out);
    std::uint32_t underflow() const { return m_config.b() * 2 / 5; } // lhrs.md 6.1: a load of 0.4
    // The address of a request was wrong: to its client, and to the bucket that passed it on.
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
    std::uint64_t m_creation; // the split that creates this bucket; 0: created with the file
    Level m_createdLevel;     // by it
    std::uint64_t m_lastSplit; // orders up to this one are late copies, also those for a former holder of the place
    pb::View m_view;
    RecordStore m_store;
    ResultTable m_results;
    ParityLink m_link;
    BucketParts m_parts;
    ScanAnswers m_scans;
    LeaseHolder m_lease;
    LeaseGranter m_grants;
    std::uint64_t m_recovery = 0;      // that rebuilds this bucket
    std::uint32_t m_slicesStored = 0;  // of it
    std::map<std::uint32_t, pb::Message> m_slicesAhead; // came before their predecessors, by number
    std::unique_ptr<SplitSource> m_source;
    std::unique_ptr<SplitTarget> m_target;
    std::unique_ptr<MergeTarget> m_merge;
    bool m_isGone = false; // a merge gave everything to another bucket
    std::map<Incarnation, std::unique_ptr<ContentsSender>> m_contents; // by the asking parity bucket
    std::deque<Held> m_held;                                           // INIT: everything; SPLITTING: changes
    std::multimap<Sequence, Held> m_waitingReads;                      // by the change that they wait for
    std::multimap<BucketNumber, Held> m_parked;                        // to be forwarded once the location is known
    std::map<BucketNumber, Time> m_asked;                              // WhereIs under way, with the time of the next
    bool m_isOverloadSent = false;
    std::uint32_t m_overloadAbove = m_config.b(); // more records are reported
    std::uint32_t m_underflowBelow = underflow(); // fewer records are reported
    std::unique_ptr<pb::Message> m_owedFinish; // Finish, acknowledged when the split is over for us too
    struct OwedEpochAck {
        pb::Message epoch;                       // the message to be acknowledged
        std::map<ParityColumn, Sequence> wanted; // what the newly UP parity buckets must have first
    };
    std::unique_ptr<OwedEpochAck> m_owedEpochAck;
    std::uint64_t m_operations = 0;
    bool m_isFull = false;
    std::uint64_t m_growthRefused = 0; // the most that was refused since it is full
    std::string m_delta; // used again by each change
};

// "I am not that bucket (any more)", to the client of a request, or to who passed it on.
void sayDisplaced(const Address& to, const pb::RequestId& request, std::uint32_t bucket, std::uint64_t incarnation, std::uint32_t copy, Effects& out);

// The request in the body of a key operation.
const pb::KeyRequest& keyRequestOf(const pb::Message& message);

} // namespace lhrs
