// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/transfer/incoming_blocks.h"
#include "node/lhrs/store/delta_log.h"
#include "node/lhrs/store/kept_bytes.h"
#include "node/lhrs/group/lease.h"
#include "node/lhrs/group/server_context.h"
#include "node/lhrs/parity/record_recovery.h"
#include "node/lhrs/parity/recovery_manager.h"
#include "node/lhrs/parity/survivor.h"
#include "node/lhrs/store/parity_store.h"
#include "node/machine/requests/result_table.h"
#include "node/machine/task_times.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lhrs {

// A parity bucket: applies the Deltas of its group's data buckets, for each position in the order of their sequence
// numbers and each exactly once; stages the batches of splits; and fills itself when it joins a live group.
//
//   INIT --(contents of all positions, Epoch)--> UP        a parity bucket of a new group starts UP
class ParityBucket final : public Survivor {
public:
    ParityBucket(ServerContext& context, const pb::Confirm& confirm, Time now);

    void onDelta(const pb::Message& message, Time now, Effects& out);
    void onPrepareBatch(const pb::Message& message, Time now, Effects& out);
    void onCommit(const pb::Message& message, Time now, Effects& out);
    void onAbort(const pb::Message& message, Time now, Effects& out);
    void onEpoch(const pb::Message& message, Time now, Effects& out);
    void onAddParity(const pb::Message& message, Time now, Effects& out);
    void onContents(const pb::Message& message, Time now, Effects& out);

    void onLeaseRequest(const pb::Message& message, Time now, Effects& out);
    void onCutReport(const pb::Message& message, Time now, Effects& out);
    void onDeltaCopy(const pb::Message& message, Time now, Effects& out);
    void onRecover(const pb::Message& message, Time now, Effects& out);
    void onSliceRequest(const pb::Message& message, Effects& out);
    void onSliceData(const pb::Message& message, Time now, Effects& out);
    void onRecoverRecord(const pb::Message& message, Time now, Effects& out);
    void onMemberRead(const pb::Message& message, Effects& out);
    void onMemberRecord(const pb::Message& message, Time now, Effects& out);
    // Ends the processing of several messages by sending the deferred acknowledgements.
    void giveOwedWords(Effects& out);
    // A message of the ack list was acknowledged.
    void onAck(const AckList::Entry& entry, Time now, Effects& out);
    void onTime(Time now, Effects& out);
    Time deadline() const;

    GroupNumber group() const override { return m_group; }
    ParityColumn column() const override { return m_column; }
    Incarnation incarnation() const { return m_incarnation; }
    pb::MemberState state() const { return m_state; }
    const pb::View& view() const override { return m_view; }
    const ParityStore& store() const override { return m_store; }
    Sequence applied(Position q) const override { return m_positions[q.value].applied; }
    std::uint32_t held() const;
    std::uint64_t operations() const { return m_operations; }
    // Bytes stored, as the process counts its memory between two measurements: parity records, batches that wait for
    // their decision, and changes that wait for their predecessors.
    std::uint64_t storedBytes() const { return m_store.bytes() + m_batchBytes + m_heldBytes; }
    // Checks whether the memory is at its limit. If the answer has changed, the data buckets are told at the next
    // onTime().
    void lookAtMemory();
    bool isFull() const { return m_isFull; }
    const ResultTable& results(Position q) const override { return m_positions[q.value].results; }
    const pb::FileConfig& config() const override { return m_config; }
    std::optional<Rank> rankOf(Position q, Key key) override;
    // Reports what this bucket knows about the changes of a position: those applied, those waiting, and those applied
    // but possibly not at all parity buckets.
    void reportPosition(Position q, pb::PositionReport& out) const;
    bool bringToCut(Position q, Sequence cut, const google::protobuf::RepeatedPtrField<pb::Delta>& missing, Time now,
        Effects& out) override;
    void snapshot(pb::Snapshot& out) const;
    void inspect(Time now, pb::NodeSample& out) const;
    // Reports what a restarted coordinator needs to rebuild the file state.
    void report(pb::StateReport& out) const;
    void readContents(const pb::ReadContents& page, pb::ContentsPage& out) const;
    void audit(const pb::Audit& page, pb::AuditPage& out) const;

private:
    // The blocks of a batch, from one end of a split, that have arrived so far.
    struct Batch {
        std::uint64_t split = 0;
        Level level = 0;
        std::uint32_t mergesFrom = 0; // for a merge: the bucket that gives up all its records
        std::vector<std::string> blocks;
        KeptBytes kept;
        IncomingBlocks incoming;
    };
    // A change that waits for its predecessor, or a complete batch that waits for its decision.
    struct HeldChange {
        pb::Delta delta; // unless it is a batch
        KeptBytes kept;
        Batch batch; // split 0: not a batch
        enum class Decision { Open, Commit, Abort } decision = Decision::Open;
    };
    // The sequence number at which the contents of these ranks were taken (while the bucket is being filled).
    struct ContentsRange {
        Rank last;
        Sequence snap = 0;
    };
    struct PositionState {
        Incarnation incarnation; // 0: no bucket at this position
        HolderInfo holder;
        Level level = 0;
        Sequence applied = 0;
        std::map<Sequence, HeldChange> held;
        std::optional<Batch> staging; // a batch that is still arriving; its sequence number comes with the last block
        ResultTable results;
        bool awaitsContents = false;
        IncomingBlocks contents;
        std::vector<ContentsRange> ranges;
        Sequence contentsLast = 0; // snap of the last block; from there on all ranks have the same state
        std::uint64_t lastSplit = 0; // the last split decided, so that late messages about it are recognized
        std::uint32_t lastMergedFrom = 0; // the bucket that lastCommit merged; 0: it was a split
        std::uint64_t lastCommit = 0; // the last split or merge that was committed
        bool hasFailed = false; // its incarnation is fenced: no further change from it is accepted
        std::optional<pb::RequestId> owesWord; // set: an acknowledgement is owed, for this operation
        DeltaLog log;
    };

    void takeView(const pb::View& view, Time now);
    void logDelta(PositionState& position, const pb::Delta& delta, const Effects& out);
    void beginRecovery(Time now, Effects& out);
    void applyWhatFollows(Position q, Time now, Effects& out);
    void applyDelta(Position q, const pb::Delta& delta, Time now, Effects& out);
    void applyBatch(Position q, Sequence sequence, const Batch& batch, Time now, Effects& out);
    void acknowledgeSoon(Position q, const pb::RequestId& operation, Effects& out);
    // Acknowledges what has been applied of the position. `answers` is the id of the message that this answers; 0:
    // none.
    void acknowledge(Position q, Effects& out, std::uint64_t answers = 0) const;
    // The number of bytes by which the data buckets together may make this bucket grow until its next acknowledgement.
    std::uint64_t roomForChanges() const;
    void sayRoom(pb::DeltaAck& ack) const;
    // Whether there is room for this many bytes of changes that are not yet applied. When memory is short, a split is
    // undone rather than a change lost.
    bool hasRoomToKeep(std::size_t bytes) const;
    void tellRoom(Time now, Effects& out);
    bool isRefused(const pb::Message& message, std::uint32_t position, std::uint64_t incarnation, std::uint64_t epoch,
        Effects& out);
    void decide(const pb::Message& message, std::uint64_t split, BucketNumber bucket, HeldChange::Decision decision,
        Time now, Effects& out);
    Sequence contentsSnap(const PositionState& position, Rank rank) const;
    void takeContents(const pb::Message& message, Time now, Effects& out);
    void leaveFilling(Time now, const Effects& out);
    void reportWhenFilled(Time now, Effects& out);
    void disagree(Position q, Sequence sequence);

    ServerContext& m_context;
    const pb::FileConfig m_config;
    const GroupNumber m_group;
    const ParityColumn m_column;
    const Incarnation m_incarnation;
    pb::MemberState m_state;
    const Rank m_rankLimit;
    pb::View m_view;
    LeaseGranter m_grants;
    std::unique_ptr<RecoveryManager> m_manager;
    std::unique_ptr<RecordRecoveries> m_records;
    ParityStore m_store;
    std::uint64_t m_batchBytes = 0, m_heldBytes = 0; // total over all positions
    std::vector<PositionState> m_positions;
    std::deque<pb::Message> m_early; // messages of an epoch that has not reached this bucket yet
    bool m_isFilling = false;
    bool m_isCountedOn = false; // the coordinator has confirmed that all data buckets wait for it
    bool m_owesWords = false;
    bool m_isFull = false;
    Time m_nextRoomWord = Time::max(); // repeated while full: a report may be lost, and no Delta asks for one
    std::optional<TaskTimes> m_fillTimes;
    std::uint64_t m_fillBytes = 0;
    std::uint64_t m_operations = 0;
    Time m_nextExpiry {};
};

} // namespace lhrs
