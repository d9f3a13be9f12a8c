// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/lhrs/file_view.h"

#include "gui/lab/state/lhrs/fold_failures.h"
#include "gui/lab/state/lhrs/fold_operations.h"
#include "gui/lab/state/lhrs/fold_places.h"
#include "gui/lab/state/lhrs/fold_records.h"
#include "gui/lab/state/lhrs/fold_shared.h"

#include <algorithm>
#include <utility>

namespace lhrs::gui {

namespace {

using namespace fold;

// One event of one process.
struct Step {
    FileView& s;
    const ProcessId process;
    const pb::Event& event;
    const std::int64_t runNs;
    ProcessState& self = s.processes[process];

    DataBucketState* data() { return dataOf(s, process, event.place()); }
    ParityBucketState* parity() { return parityOf(s, process, event.place()); }

    void membership(const pb::NodeOffered& e)
    {
        self.isInvited = true;
        self.offer = { e.invitation(), runNs, e.expires_ms() };
    }

    void settleOffer()
    {
        self.isInvited = false;
        self.offer = {};
    }

    void membership(const pb::NodeRecruited& e)
    {
        settleOffer();
        releasePlace(s, process);
        self.pool = pb::NO_ROLE;
        self.place.Clear();
        self.incarnation = e.incarnation();
        if (DataBucketState* bucket = data()) {
            bucket->level = e.level();
            bucket->state = pb::INIT;
        } else if (ParityBucketState* column = parity()) {
            column->state = pb::INIT;
        }
    }

    void membership(const pb::NodeReleased& e)
    {
        settleOffer();
        releasePlace(s, process);
        self.place.Clear();
        self.incarnation = 0;
        self.pool = e.pool();
    }

    void membership(const pb::StateChanged& e)
    {
        if (DataBucketState* bucket = data()) {
            bucket->state = e.state();
            bucket->reason = e.reason();
            if (e.level() != 0)
                bucket->level = e.level();
        } else if (ParityBucketState* column = parity()) {
            column->state = e.state();
            column->reason = e.reason();
        }
    }

    template <class E> void recordAtData(const E& e)
    {
        if (DataBucketState* bucket = data()) {
            takeChange(*bucket, e);
            settleOverflow(*bucket, s.file);
        }
    }

    template <class E> void recordAtParity(const E& e)
    {
        if (ParityBucketState* column = parity())
            takeChange(*column, e);
    }

    void record(const pb::ResultKept& e)
    {
        if (DataBucketState* bucket = data())
            bucket->sequence = e.sequence();
        else if (ParityBucketState* column = parity())
            becameApplied(*column, e.position(), e.sequence());
    }

    void structure(const pb::BucketOverflowed& e)
    {
        if (DataBucketState* bucket = data()) {
            bucket->overflowIsReported = true;
            bucket->count = e.count();
            // The insert may be reported after it; more than that one were never reported.
            bucket->ranksAreObserved = bucket->ranksAreObserved && e.count() <= bucket->ranks.count() + 1;
            settleOverflow(*bucket, s.file);
        }
    }

    void structure(const pb::SplitOrdered& e)
    {
        s.file.waitsFor.clear();
        if (SplitState* split = splitOf(s, e.split())) {
            concern(*split, e.bucket(), e.new_bucket());
            split->level = e.level();
            split->startedNs = runNs;
            settle(*split, SplitStage::Ordered);
        }
    }

    // An event that counts more records than it names comes from a detail level that leaves the names out.
    template <class Bucket> static void seesRecords(Bucket& bucket, int named, std::uint32_t counted)
    {
        bucket.ranksAreObserved = bucket.ranksAreObserved && counted <= std::uint32_t(named);
    }

    void structure(const pb::RecordsMoved& e)
    {
        // A record may be sent again after a change at the source, or be withdrawn.
        std::uint32_t arrived = std::max(std::uint32_t(e.keys_size()), e.records()) - e.gone();
        DataBucketState* const bucket = data();
        if (bucket != nullptr)
            seesRecords(*bucket, e.keys_size(), e.records());
        if (bucket != nullptr && bucket->ranksAreObserved) {
            arrived = 0;
            for (int i = 0; i < e.keys_size() && i < e.new_ranks_size(); ++i) {
                arrived += bucket->incoming.has(e.new_ranks(i)) ? 0 : 1;
                bucket->incoming.set(e.new_ranks(i), e.keys(i));
            }
            for (const std::uint32_t rank : e.gone_ranks()) {
                arrived -= bucket->incoming.has(rank) ? 1 : 0;
                bucket->incoming.clear(rank);
            }
        }
        if (SplitState* split = splitOf(s, e.split())) {
            split->movedArrived += arrived; // modulo 2^32, because the count may decrease
            settle(*split, SplitStage::Moving);
        }
    }

    void structure(const pb::SplitPrepared& e)
    {
        SplitState* split = splitOf(s, e.split());
        if (split == nullptr)
            return;
        if (event.place().role() == pb::DATA) {
            split->preparedBuckets.insert(event.place().number());
            split->movedReported = std::max(split->movedReported, e.moved());
        }
        settle(*split, SplitStage::Moving);
    }

    void structure(const pb::SplitCommitted& e)
    {
        takeFileState(s, e.file());
        if (SplitState* split = splitOf(s, e.split())) {
            concern(*split, e.bucket(), e.new_bucket());
            settle(*split, SplitStage::Committed);
        }
    }

    void structure(const pb::SplitApplied& e)
    {
        if (DataBucketState* bucket = data()) {
            for (const std::uint32_t rank : e.left_ranks())
                bucket->ranks.clear(rank);
            // A rank may be left by one record and taken by another, so all departures are applied before arrivals.
            std::vector<std::uint64_t> keys;
            for (const std::uint32_t rank : e.from_ranks()) {
                keys.push_back(bucket->ranks.at(rank));
                bucket->ranks.clear(rank);
            }
            for (int i = 0; i < e.to_ranks_size() && std::size_t(i) < keys.size(); ++i)
                bucket->ranks.set(e.to_ranks(i), keys[std::size_t(i)]);
            for (std::uint32_t rank = bucket->incoming.rankMax(); rank > 0; --rank)
                if (bucket->incoming.has(rank))
                    bucket->ranks.set(rank, bucket->incoming.at(rank));
            bucket->incoming.clearAll();
            seesRecords(*bucket, e.left_ranks_size() + e.to_ranks_size(), e.left() + e.moved());
            bucket->level = e.level();
            if (SplitState* split = splitOf(s, e.split()))
                split->applied += std::int64_t(e.count()) - std::int64_t(bucket->count);
            bucket->count = e.count();
            bucket->sequence = e.sequence();
            bucket->overflowIsReported = false; // a split clears the report, and the bucket checks its size again
            settleOverflow(*bucket, s.file);
        }
        if (SplitState* split = splitOf(s, e.split()))
            settle(*split, SplitStage::Committed);
    }

    void structure(const pb::BatchApplied& e)
    {
        if (ParityBucketState* column = parity()) {
            becameApplied(*column, e.position(), e.sequence());
            seesRecords(*column, e.ranks_size(), e.changes());
            for (int i = 0; i < e.kinds_size() && i < e.ranks_size(); ++i) {
                if (e.kinds(i) == pb::CHANGE_INSERT)
                    addMember(column->ranks, e.ranks(i));
                else if (e.kinds(i) == pb::CHANGE_DELETE)
                    removeMember(column->ranks, e.ranks(i));
            }
            column->recordGroups = e.record_groups();
        }
        if (SplitState* split = splitOf(s, e.split()))
            settle(*split, SplitStage::Committed);
    }

    void structure(const pb::SplitFinished& e)
    {
        if (SplitState* split = splitOf(s, e.split())) {
            concern(*split, e.bucket(), e.new_bucket());
            split->level = e.level();
            split->movedReported = std::max(split->movedReported, e.moved());
            split->endedNs = runNs;
            settle(*split, SplitStage::Finished);
        }
        forgetOldSplits(s);
    }

    void structure(const pb::SplitUndone& e)
    {
        if (SplitState* split = splitOf(s, e.split())) {
            concern(*split, e.bucket(), e.new_bucket());
            split->reason = e.reason();
            split->endedNs = runNs;
            settle(*split, SplitStage::Undone);
        }
        forgetOldSplits(s);
    }

    SplitState* merge(std::uint64_t id, std::uint32_t bucket, std::uint32_t into, SplitStage stage)
    {
        SplitState* split = splitOf(s, id);
        if (split == nullptr)
            return nullptr;
        concern(*split, bucket, into);
        split->isMerge = true;
        settle(*split, stage);
        return split;
    }

    void structure(const pb::MergeOrdered& e)
    {
        if (SplitState* split = merge(e.split(), e.bucket(), e.into(), SplitStage::Ordered)) {
            split->level = e.level();
            split->startedNs = runNs;
        }
    }

    void structure(const pb::MergeCommitted& e)
    {
        takeFileState(s, e.file());
        s.file.hasShrunk = true;
        merge(e.split(), e.bucket(), e.into(), SplitStage::Committed);
    }

    void structure(const pb::MergeFinished& e)
    {
        if (SplitState* split = merge(e.split(), e.bucket(), e.into(), SplitStage::Finished)) {
            split->movedReported = std::max(split->movedReported, e.moved());
            split->endedNs = runNs;
            settle(*split, SplitStage::Finished);
        }
        forgetOldSplits(s);
    }

    void structure(const pb::MergeUndone& e)
    {
        if (SplitState* split = merge(e.split(), e.bucket(), e.into(), SplitStage::Undone)) {
            split->reason = e.reason();
            split->endedNs = runNs;
        }
        forgetOldSplits(s);
    }

    void structure(const pb::ContentsArrived& e)
    {
        ParityBucketState* column = parity();
        if (column == nullptr)
            return;
        for (const std::uint32_t rank : e.ranks())
            addMember(column->ranks, rank);
        seesRecords(*column, e.ranks_size(), e.records());
        if (column->ranksAreObserved)
            column->recordGroups = column->ranks.count();
        if (e.is_last()) {
            becameApplied(*column, e.position(), std::max(grown(column->applied, e.position()), e.snap()));
            const std::size_t position = std::min(e.position(), kPositionMax);
            if (position >= column->contentsIn.size())
                column->contentsIn.resize(position + 1);
            column->contentsIn[position] = true;
        }
    }

    void structure(const pb::ParityAdded& e)
    {
        GroupState& group = groupOf(s, e.group());
        group.k = std::max(group.k, e.k());
        group.parityIsBeingAdded = false;
    }

    void sums(const pb::Gauges& e)
    {
        if (DataBucketState* bucket = data(); bucket != nullptr) {
            // Known ranks stay valid until a change that is not reported.
            const bool hasChanged = bucket->sequence != e.sequence() || bucket->count != e.records();
            if (e.without_changes() && hasChanged)
                bucket->ranksAreObserved = false;
            if (!bucket->ranksAreObserved) {
                bucket->count = e.records();
                bucket->sequence = e.sequence();
                settleOverflow(*bucket, s.file);
            }
            if (bucket->sequence == 0) // no change has told it, for example because the bucket was rebuilt
                bucket->sequence = e.sequence();
        } else if (ParityBucketState* column = parity(); column != nullptr) {
            if (e.without_changes() && column->recordGroups != e.records())
                column->ranksAreObserved = false;
            if (!column->ranksAreObserved)
                column->recordGroups = e.records();
        }
    }

    void apply();
};

void Step::apply()
{
    using B = pb::Event;
    switch (event.body_case()) {
    case B::kFileCreated:
        s.file.exists = true;
        s.file.isBeingFound = false;
        s.file.config = event.file_created().config();
        s.file.availability = std::max(s.file.availability, s.file.config.availability());
        s.file.buckets = std::max(s.file.buckets, 1u);
        s.file.waitsFor.clear();
        settleOverflows(s);
        break;
    case B::kRecoveryWayChanged: s.file.config.set_recovery(event.recovery_way_changed().recovery()); break;
    case B::kNodeInvited: self.isInvited = true; break;
    case B::kNodeOffered: membership(event.node_offered()); break;
    case B::kOfferCancelled: settleOffer(); break;
    case B::kNodeRecruited: membership(event.node_recruited()); break;
    case B::kNodeReleased: membership(event.node_released()); break;
    case B::kRecruitingChanged: s.recruiting = event.recruiting_changed().transport(); break;
    case B::kSpareMissing:
        s.file.waitsFor = (event.spare_missing().role() == pb::PARITY ? "a spare parity server for "
                                                                      : "a spare data server for ")
            + event.spare_missing().purpose();
        break;
    case B::kStateChanged: membership(event.state_changed()); break;
    case B::kOperationStarted: startOperation(s, process, event, runNs); break;
    case B::kOperationDone: finishOperation(s, event); break;
    case B::kOperationForwarded: forwardOperation(s, event); break;
    case B::kImageAdjusted: adjustImage(s, process, event); break;
    case B::kRecordInserted: recordAtData(event.record_inserted()); break;
    case B::kRecordUpdated: recordAtData(event.record_updated()); break;
    case B::kRecordDeleted: recordAtData(event.record_deleted()); break;
    case B::kRecordsChanged: recordAtData(event.records_changed()); break;
    case B::kDeltaApplied: recordAtParity(event.delta_applied()); break;
    case B::kDeltasApplied: recordAtParity(event.deltas_applied()); break;
    case B::kDeltaHeld: recordAtParity(event.delta_held()); break;
    case B::kResultKept: record(event.result_kept()); break;
    case B::kBucketOverflowed: structure(event.bucket_overflowed()); break;
    case B::kSplitOrdered: structure(event.split_ordered()); break;
    case B::kRecordsMoved: structure(event.records_moved()); break;
    case B::kSplitPrepared: structure(event.split_prepared()); break;
    case B::kSplitCommitted: structure(event.split_committed()); break;
    case B::kSplitApplied: structure(event.split_applied()); break;
    case B::kBatchApplied: structure(event.batch_applied()); break;
    case B::kSplitFinished: structure(event.split_finished()); break;
    case B::kSplitUndone: structure(event.split_undone()); break;
    case B::kMergeOrdered: structure(event.merge_ordered()); break;
    case B::kMergeCommitted: structure(event.merge_committed()); break;
    case B::kMergeFinished: structure(event.merge_finished()); break;
    case B::kMergeUndone: structure(event.merge_undone()); break;
    case B::kParityCreationOrdered:
        s.file.waitsFor.clear();
        groupOf(s, event.parity_creation_ordered().group()).parityIsBeingAdded = true;
        break;
    case B::kContentsArrived: structure(event.contents_arrived()); break;
    case B::kParityBucketFilled:
        if (ParityBucketState* column = parity())
            column->recordGroups = event.parity_bucket_filled().records();
        break;
    case B::kParityAdded: structure(event.parity_added()); break;
    case B::kParityCreationUndone: groupOf(s, event.parity_creation_undone().group()).parityIsBeingAdded = false; break;
    case B::kAvailabilityRaised: s.file.availability = event.availability_raised().availability(); break;
    case B::kGroupCreated: {
        GroupState& group = groupOf(s, event.group_created().group());
        group.k = std::max(group.k, event.group_created().k());
        break;
    }
    case B::kFileStateChanged:
        takeFileState(s, event.file_state_changed().file());
        s.file.availability = event.file_state_changed().availability();
        s.file.splitsOwed = event.file_state_changed().splits_owed();
        break;
    case B::kEpochChanged: takeView(s, event.epoch_changed().view(), runNs, true); break;
    case B::kMemberSuspected: suspect(s, event.member_suspected(), runNs); break;
    case B::kMembersAnswered: acquit(s, event.members_answered().group()); break;
    case B::kBucketFailed: fail(s, event.bucket_failed(), process, event.sequence(), runNs); break;
    case B::kRecoveryStarted: startRecovery(s, event.recovery_started(), runNs); break;
    case B::kDecoderChosen: chooseDecoder(s, event.decoder_chosen()); break;
    case B::kSliceRecovered: addSlice(s, event.slice_recovered()); break;
    case B::kSliceStored:
        if (DataBucketState* bucket = data()) {
            storeSlice(*bucket, event.slice_stored());
            settleOverflow(*bucket, s.file);
        }
        break;
    case B::kRecoveryFinished: finishRecovery(s, event.recovery_finished(), runNs); break;
    case B::kRecordRecovered: {
        GroupState& group = groupOf(s, event.record_recovered().group());
        group.recordRecoveredNs = std::max(group.recordRecoveredNs, runNs);
        break;
    }
    case B::kGroupLost: lose(s, event.group_lost(), runNs); break;
    case B::kCoordinatorListening: s.file.isBeingFound = true; break;
    case B::kCoordinatorRebuilt: s.file.isBeingFound = false; break;
    case B::kGauges: sums(event.gauges()); break;
    // RunState has folded them.
    case B::kProcessStarted:
    case B::kProcessEnded:
    case B::kMemoryFull:
    case B::kWorkloadHeld:
    case B::kGateClosed:
    case B::kGateOpened:
    case B::kFaultBegun:
    case B::kFaultEnded: break;
    // They change no lasting state; animation and log show them.
    case B::kInvitationSent:
    case B::kMessageSent:
    case B::kMessageReceived:
    case B::kMessageDropped:
    case B::kMessageGivenUp:
    case B::kRecordRead:
    case B::kChangeAcknowledged:
    case B::kCutAgreed:
    case B::kLossAcknowledged:
    case B::kForeignBucket:
    case B::kCoordinatorSuperseded:
    case B::kBucketUnderflowed:
    case B::kScanStarted:
    case B::kScanForwarded:
    case B::kScanAnswered:
    case B::kScanPartMissing:
    case B::kScanDone:
    case B::BODY_NOT_SET: break;
    }
}

} // namespace

FileView::FileView() = default;
FileView::FileView(const FileView& other) = default;
FileView::FileView(FileView&& other) noexcept = default;
FileView& FileView::operator=(const FileView& other) = default;
FileView& FileView::operator=(FileView&& other) noexcept = default;
FileView::~FileView() = default;

void FileView::foldEvent(ProcessId process, const pb::Event& event, std::int64_t runNs)
{
    Step { *this, process, event, runNs }.apply();
}

const FileClient& FileView::fileClient(ProcessId client) const
{
    static const FileClient kNew;
    const auto known = fileClients.find(client);
    return known == fileClients.end() ? kNew : known->second;
}

OperationState* FileView::operationOf(const pb::RequestId& id)
{
    return id.client() == 0 ? nullptr : fileClients[id.client()].addOperation(id.number());
}

std::int64_t FileView::recordsUnderWay() const
{
    std::int64_t records = 0;
    for (const auto& [id, split] : splits) {
        // A member that is down has a count from before its failure, or from its recovery.
        const auto isUp = [&](std::uint32_t number) {
            const auto bucket = data.find(number);
            return bucket != data.end() && downOf(bucket->second) == nullptr;
        };
        if (split.isUnderWay() && isUp(split.bucket) && isUp(split.newBucket))
            records -= split.applied;
    }
    return records;
}

} // namespace lhrs::gui
