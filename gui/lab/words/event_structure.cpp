// SPDX-License-Identifier: GPL-3.0-or-later
// The events that the log separates from the stream of operations and messages.
#include "gui/lab/words/sentences.h"

namespace lhrs::gui {

bool changesStructure(const pb::Event& event)
{
    using B = pb::Event;
    switch (event.body_case()) {
    case B::kMessageSent:
    case B::kMessageReceived:
    case B::kMessageDropped:
    case B::kMessageGivenUp:
    case B::kOperationStarted:
    case B::kOperationForwarded:
    case B::kImageAdjusted:
    case B::kOperationDone:
    case B::kRecordInserted:
    case B::kRecordUpdated:
    case B::kRecordDeleted:
    case B::kRecordRead:
    case B::kChangeAcknowledged:
    case B::kDeltaApplied:
    case B::kDeltaHeld:
    case B::kResultKept:
    case B::kRecordsChanged:
    case B::kDeltasApplied:
    case B::kRecordRecovered:
    case B::kScanStarted:
    case B::kScanForwarded:
    case B::kScanAnswered:
    case B::kScanPartMissing:
    case B::kScanDone:
    case B::kGauges:
    case B::BODY_NOT_SET: return false;
    case B::kProcessStarted:
    case B::kProcessEnded:
    case B::kFileCreated:
    case B::kInvitationSent:
    case B::kNodeInvited:
    case B::kNodeOffered:
    case B::kOfferCancelled:
    case B::kNodeRecruited:
    case B::kNodeReleased:
    case B::kRecruitingChanged:
    case B::kFaultBegun:
    case B::kFaultEnded:
    case B::kSpareMissing:
    case B::kStateChanged:
    case B::kMemoryFull:
    case B::kWorkloadHeld:
    case B::kGateClosed:
    case B::kGateOpened:
    case B::kBucketOverflowed:
    case B::kSplitOrdered:
    case B::kRecordsMoved:
    case B::kSplitPrepared:
    case B::kSplitCommitted:
    case B::kSplitApplied:
    case B::kBatchApplied:
    case B::kSplitFinished:
    case B::kSplitUndone:
    case B::kParityCreationOrdered:
    case B::kContentsArrived:
    case B::kParityBucketFilled:
    case B::kParityAdded:
    case B::kParityCreationUndone:
    case B::kAvailabilityRaised:
    case B::kGroupCreated:
    case B::kFileStateChanged:
    case B::kMemberSuspected:
    case B::kMembersAnswered:
    case B::kBucketFailed:
    case B::kCutAgreed:
    case B::kRecoveryStarted:
    case B::kDecoderChosen:
    case B::kSliceRecovered:
    case B::kSliceStored:
    case B::kRecoveryFinished:
    case B::kGroupLost:
    case B::kLossAcknowledged:
    case B::kCoordinatorListening:
    case B::kCoordinatorRebuilt:
    case B::kForeignBucket:
    case B::kCoordinatorSuperseded:
    case B::kRecoveryWayChanged:
    case B::kBucketUnderflowed:
    case B::kMergeOrdered:
    case B::kMergeCommitted:
    case B::kMergeFinished:
    case B::kMergeUndone:
    case B::kEpochChanged: return true;
    }
    return false;
}

} // namespace lhrs::gui
