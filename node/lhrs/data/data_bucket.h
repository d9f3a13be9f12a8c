// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/data/bucket_leases.h"
#include "node/lhrs/data/bucket_memory.h"
#include "node/lhrs/data/transfer/contents_sender.h"
#include "node/lhrs/data/group_view.h"
#include "node/lhrs/data/key_operations.h"
#include "node/lhrs/data/load_reports.h"
#include "node/lhrs/data/reconfigurations.h"
#include "node/lhrs/data/scan_answers.h"
#include "node/lhrs/data/transfer/slice_store.h"
#include "node/lhrs/data/waiting_requests.h"

namespace lhrs {

// A data bucket: executes key operations on its records and sends each change to its parity buckets before it answers
// the client. It forwards requests that belong elsewhere and implements both ends of a split. The node machine drives
// it.
//
//   INIT --(Commit of the split that creates it)--> UP --(Split, and most is copied)--> SPLITTING
//   SPLITTING --(Commit, Abort)--> UP
//
// INIT queues everything; SPLITTING and MERGING answer searches and hold changes. A bucket that a merge has emptied no
// longer acts as a bucket and waits for its release.
//
// Each message goes to the part that is responsible for it. Whatever it has made possible is done once, at the end of
// the step: progress().
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
    Level level() const { return m_status.level; }
    Incarnation incarnation() const { return m_parts.incarnation; }
    pb::MemberState state() const { return m_status.state; }
    bool isGone() const { return m_status.isGone; } // emptied by a merge
    const pb::View& view() const { return m_status.view; }
    const RecordStore& store() const { return m_store; }
    const ParityLink& link() const { return m_link; }
    const ResultTable& results() const { return m_results; }
    std::uint32_t held() const { return m_waiting.count(); }
    std::uint64_t operations() const { return m_operations.count(); }
    // Whether reads may be answered. Where the file recovers from failures, leases fence reads.
    bool hasLease(Time now) const { return m_leases.isHeld(now); }
    // Bytes stored, as the process counts its memory between two measurements.
    std::uint64_t storedBytes() const { return m_memory.storedBytes(); }
    // Checks whether the memory is at its limit.
    void lookAtMemory() { m_memory.look(); }
    bool isFull() const { return m_memory.isFull(); }
    void snapshot(pb::Snapshot& out) const;
    void inspect(Time now, pb::NodeSample& out) const;
    // Reports what a restarted coordinator needs to rebuild the file state.
    void report(pb::StateReport& out) const;
    // A page of the contents; its `count` and bytes are bounded.
    void readContents(const pb::ReadContents& page, pb::ContentsPage& out) const;
    void audit(const pb::Audit& page, pb::AuditPage& out) const;

private:
    void onRequest(pb::OperationKind kind, const pb::KeyRequest& request, Time now, Effects& out);
    // Returns whether a change has begun.
    bool execute(pb::OperationKind kind, const pb::KeyRequest& request, Time now, Effects& out);
    void answerScan(const pb::Scan& scan, Time now, Effects& out);
    // Does what has become possible in this step.
    void progress(Time now, Effects& out);
    // Takes up requests that no longer have to wait, until a change has begun; returns false if none has.
    bool takeUp(Time now, Effects& out);
    // Sends answers, takes the next step of a split or merge, acknowledges an epoch, and reports the load.
    void advance(Time now, Effects& out);
    void check() const;

    const pb::FileConfig m_config;
    BucketStatus m_status;
    RecordStore m_store;
    ResultTable m_results;
    ParityLink m_link;
    BucketParts m_parts;
    BucketLeases m_leases { m_parts };
    GroupView m_view { m_parts, m_status, m_leases };
    ScanAnswers m_scans;
    WaitingRequests m_waiting { m_parts, m_scans };
    LoadReports m_load { m_parts };
    Reconfigurations m_reconfigurations;
    BucketMemory m_memory { m_parts, m_reconfigurations };
    KeyOperations m_operations { m_parts, m_reconfigurations, m_leases, m_memory, m_waiting };
    ContentsSenders m_contents { m_parts };
    SliceStore m_slices { m_parts, m_status };
};

} // namespace lhrs
