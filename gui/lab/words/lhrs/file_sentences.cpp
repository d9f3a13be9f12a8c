// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/words/lhrs/file_sentences.h"

#include "gui/lab/state/lhrs/epoch_words.h"
#include "gui/lab/state/process/sentence_words.h"
#include "gui/lab/words/lhrs/failure_cause.h"
#include "gui/lab/words/lhrs/place_words.h"
#include "gui/lab/words/lhrs/sentences_scan.h"
#include "gui/lab/words/process/event_writer.h"
#include "gui/lab/words/process/process_words.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

// The records of an event: those that it names, or its count if the detail level leaves the names out.
template <class List> std::uint64_t sizeOf(const List& named, std::uint32_t counted)
{
    return std::max<std::uint64_t>(std::uint64_t(named.size()), counted);
}

std::string group(std::uint32_t number) { return "group " + num(number); }

std::string changeWord(pb::ChangeKind kind)
{
    switch (kind) {
    case pb::CHANGE_INSERT: return "insert";
    case pb::CHANGE_UPDATE: return "update";
    case pb::CHANGE_DELETE: return "delete";
    case pb::CHANGE_NOTHING: return "answer";
    case pb::CHANGE_UNKNOWN:
    case pb::ChangeKind_INT_MIN_SENTINEL_DO_NOT_USE_:
    case pb::ChangeKind_INT_MAX_SENTINEL_DO_NOT_USE_: break;
    }
    return "change";
}

// The subject of a sentence is the process's place, or else its name.
struct FileWriter : EventWriter {
    FileWriter(ProcessId writing, const pb::Event& told, const FileView& known)
        : EventWriter(writing, told, known), file(known)
    {
    }

    const FileView& file;

    std::string sentence() const;

    std::string who() const override
    {
        switch (event.place().role()) {
        case pb::DATA: return "Data bucket " + num(event.place().number());
        case pb::PARITY: return "Parity bucket " + num(event.place().number()) + "." + num(event.place().column());
        case pb::NO_ROLE:
        case pb::Role_INT_MIN_SENTINEL_DO_NOT_USE_:
        case pb::Role_INT_MAX_SENTINEL_DO_NOT_USE_: break;
        }
        return EventWriter::who();
    }

    // By its place if it has one.
    std::string other(ProcessId id) const override
    {
        const auto known = state.processes.find(id);
        if (known != state.processes.end() && known->second.place.role() != pb::NO_ROLE)
            return placeName(known->second.place);
        return EventWriter::other(id);
    }

    // The data bucket at a position of this parity bucket's group.
    std::string dataAt(std::uint32_t position) const
    {
        return "data bucket " + num(std::uint64_t(event.place().number()) * file.m() + position);
    }

    std::string splitOrMerge(std::uint64_t id) const
    {
        const auto known = file.splits.find(id);
        return known != file.splits.end() && known->second.isMerge ? "merge" : "split";
    }

    std::string membership() const;
    std::string operations() const;
    std::string records() const;
    std::string splits() const;
    std::string availability() const;
    std::string recovery() const;
};

std::string FileWriter::membership() const
{
    using B = pb::Event;
    switch (static_cast<int>(event.body_case())) {
    case B::kProcessStarted: {
        const pb::Role pool = event.process_started().process().pool();
        std::string started = text();
        if (pool != pb::NO_ROLE)
            started.insert(started.size() - 1, " and waits in the " + roleWord(pool) + " buckets multicast group");
        return started;
    }
    case B::kFileCreated:
        return "The file exists, with m = " + num(event.file_created().config().m())
            + ", b = " + num(event.file_created().config().b()) + " and intended availability "
            + num(event.file_created().config().availability()) + ".";
    case B::kInvitationSent:
        return who() + " invites the spare " + roleWord(event.invitation_sent().role()) + " servers by "
            + (event.invitation_sent().transport() == pb::UDP ? "the registry"
                                                              : transportWord(event.invitation_sent().transport()))
            + ": " + counted(event.invitation_sent().count(), "is", "are") + " wanted.";
    case B::kNodeInvited: return who() + " hears invitation " + num(event.node_invited().invitation()) + ".";
    case B::kNodeOffered:
        return who() + " offers itself; the offer holds for " + num(event.node_offered().expires_ms()) + " ms.";
    case B::kOfferCancelled: return who() + " is free again" + because(event.offer_cancelled().reason());
    case B::kNodeRecruited:
        return processShown(process, state) + " is confirmed and becomes " + placeName(event.place()) + ", incarnation "
            + incarnationText(event.node_recruited().incarnation()) + "; it leaves its multicast group.";
    case B::kNodeReleased:
        return processShown(process, state) + " gives up its place and is a spare "
            + roleWord(event.node_released().pool()) + " server again" + because(event.node_released().reason());
    case B::kRecruitingChanged:
        return std::string("Spares are now invited by ")
            + (event.recruiting_changed().transport() == pb::MULTICAST ? "multicast" : "the registry, one by one")
            + because(event.recruiting_changed().reason());
    case B::kSpareMissing:
        return "No spare " + roleWord(event.spare_missing().role()) + " server answers; the file waits for "
            + num(event.spare_missing().wanted()) + " (" + event.spare_missing().purpose() + ").";
    case B::kStateChanged:
        return who() + " is " + stateWord(event.state_changed().state()) + because(event.state_changed().reason());
    default: return {};
    }
}

std::string FileWriter::operations() const
{
    using B = pb::Event;
    switch (static_cast<int>(event.body_case())) {
    case B::kOperationStarted: {
        const pb::OperationStarted& e = event.operation_started();
        return who() + " starts to " + operationWord(e.kind()) + " key " + num(e.key()) + " at bucket "
            + num(e.bucket()) + ", by its image " + imageText(e.image()) + ".";
    }
    case B::kOperationForwarded: {
        const pb::OperationForwarded& e = event.operation_forwarded();
        return "Data bucket " + num(e.from()) + " forwards the " + operationWord(e.kind()) + " of key " + num(e.key())
            + " to bucket " + num(e.to()) + ".";
    }
    case B::kImageAdjusted: {
        const pb::ImageAdjusted& e = event.image_adjusted();
        return e.by_coordinator() ? "The coordinator tells " + who() + " the file state " + imageText(e.after()) + "."
                                  : who() + " adjusts its image from " + imageText(e.before()) + " to "
                + imageText(e.after()) + ": bucket " + num(e.bucket()) + " has level " + num(e.level()) + ".";
    }
    case B::kOperationDone: {
        const pb::OperationDone& e = event.operation_done();
        return who() + ": " + operationWord(e.kind()) + " of key " + num(e.key()) + " is done ("
            + resultWord(e.result()) + ") at bucket " + num(e.bucket())
            + (e.forwards() > 0 ? " after " + counted(e.forwards(), "forward", "forwards") : "")
            + (e.path() == pb::RECORD_RECOVERY       ? ", computed from parity"
                    : e.path() == pb::BY_COORDINATOR ? ", by the coordinator"
                                                     : "")
            + ", in " + millisecondsOf(e.time_ns()) + "."
            + (e.has_full() ? " The memory of " + fullWords(e.full()) + " is at its limit." : "");
    }
    default: return {};
    }
}

std::string FileWriter::records() const
{
    using B = pb::Event;
    switch (static_cast<int>(event.body_case())) {
    case B::kRecordInserted: {
        const pb::RecordInserted& e = event.record_inserted();
        return who() + " stores key " + num(e.key()) + " at rank " + num(e.rank()) + " (change " + num(e.sequence())
            + ") and now holds " + counted(e.count(), "record", "records") + ".";
    }
    case B::kRecordUpdated: {
        const pb::RecordUpdated& e = event.record_updated();
        return who() + " updates key " + num(e.key()) + " at rank " + num(e.rank()) + " (change " + num(e.sequence())
            + ").";
    }
    case B::kRecordDeleted: {
        const pb::RecordDeleted& e = event.record_deleted();
        return who() + " deletes key " + num(e.key()) + " from rank " + num(e.rank()) + " (change " + num(e.sequence())
            + ") and now holds " + counted(e.count(), "record", "records") + ".";
    }
    case B::kRecordRead:
        return event.record_read().rank() == 0
            ? who() + " has no record with key " + num(event.record_read().key()) + "."
            : who() + " reads key " + num(event.record_read().key()) + " at rank " + num(event.record_read().rank())
                + ".";
    case B::kChangeAcknowledged:
        return who() + ": all parity buckets have change " + num(event.change_acknowledged().sequence()) + " of key "
            + num(event.change_acknowledged().key()) + "; now the client is answered.";
    case B::kDeltaApplied: {
        const pb::DeltaApplied& e = event.delta_applied();
        return who() + " applied delta " + num(e.sequence()) + " of " + dataAt(e.position()) + " to rank "
            + num(e.rank()) + " (" + changeWord(e.kind()) + " of key " + num(e.key())
            + (e.coefficient() == 1 ? ", plain XOR)." : ", coefficient " + num(e.coefficient()) + ").");
    }
    case B::kRecordsChanged: {
        const pb::RecordsChanged& e = event.records_changed();
        return who() + " made " + counted(std::uint64_t(e.kinds_size()), "change", "changes") + " up to number "
            + num(e.sequence()) + " and now holds " + counted(e.count(), "record", "records") + ".";
    }
    case B::kDeltasApplied: {
        const pb::DeltasApplied& e = event.deltas_applied();
        return who() + " applied " + counted(std::uint64_t(e.kinds_size()), "delta", "deltas") + " and now holds "
            + counted(e.record_groups(), "parity record", "parity records") + ".";
    }
    case B::kResultKept: {
        const pb::ResultKept& e = event.result_kept();
        const std::string answer = "that a request for key " + num(e.key()) + " is answered "
            + pb::ResultCode_Name(e.result());
        return event.place().role() == pb::PARITY
            ? who() + " keeps change " + num(e.sequence()) + " of " + dataAt(e.position()) + ": " + answer + "."
            : who() + " makes change " + num(e.sequence()) + " of nothing: its parity buckets must know " + answer
                + ".";
    }
    case B::kDeltaHeld: {
        const pb::DeltaHeld& e = event.delta_held();
        return who() + " holds delta " + num(e.sequence()) + " of " + dataAt(e.position()) + ": delta "
            + num(e.missing()) + " is missing.";
    }
    default: return {};
    }
}

std::string FileWriter::splits() const
{
    using B = pb::Event;
    switch (static_cast<int>(event.body_case())) {
    case B::kBucketOverflowed:
        return who() + " is overloaded: it holds " + counted(event.bucket_overflowed().count(), "record", "records")
            + " and tells the coordinator.";
    case B::kSplitOrdered: {
        const pb::SplitOrdered& e = event.split_ordered();
        return who() + " orders the split of bucket " + num(e.bucket()) + " into " + num(e.bucket()) + " and "
            + num(e.new_bucket()) + ", level " + num(e.level()) + ".";
    }
    case B::kRecordsMoved:
        return who() + " takes "
            + counted(sizeOf(event.records_moved().keys(), event.records_moved().records()), "record", "records")
            + " from bucket " + num(event.records_moved().from())
            + (sizeOf(event.records_moved().gone_ranks(), event.records_moved().gone()) > 0
                    ? "; gives up " + num(sizeOf(event.records_moved().gone_ranks(), event.records_moved().gone()))
                        + " that clients deleted meanwhile."
                    : ".");
    case B::kSplitPrepared:
        return who() + " has staged its part of the " + splitOrMerge(event.split_prepared().split()) + ".";
    case B::kSplitCommitted:
        return who() + " decides the split of bucket " + num(event.split_committed().bucket()) + "; the file state is "
            + imageText(event.split_committed().file()) + ".";
    case B::kSplitApplied: {
        const pb::SplitApplied& e = event.split_applied();
        return who() + " carries out the " + splitOrMerge(e.split()) + ": level " + num(e.level()) + ", "
            + counted(sizeOf(e.left_ranks(), e.left()), "record", "records") + " left, "
            + counted(sizeOf(e.to_ranks(), e.moved()), "record", "records") + " changed rank, " + num(e.count())
            + " remain.";
    }
    case B::kBatchApplied:
        return who() + " applied the " + splitOrMerge(event.batch_applied().split()) + "'s batch of "
            + dataAt(event.batch_applied().position()) + ": "
            + counted(sizeOf(event.batch_applied().ranks(), event.batch_applied().changes()), "change", "changes")
            + ".";
    case B::kSplitFinished: {
        const pb::SplitFinished& e = event.split_finished();
        return "Bucket " + num(e.bucket()) + " is split: " + counted(e.moved(), "record", "records")
            + " moved to bucket " + num(e.new_bucket()) + " in " + millisecondsOf(e.total_ns()) + ".";
    }
    case B::kSplitUndone:
        return "The split of bucket " + num(event.split_undone().bucket()) + " is undone"
            + because(event.split_undone().reason());
    case B::kFileStateChanged: {
        const pb::FileStateChanged& e = event.file_state_changed();
        return "The file state is " + imageText(e.file()) + ": " + counted(e.buckets(), "data bucket", "data buckets")
            + ", intended availability " + num(e.availability())
            + (e.splits_owed() > 0 ? ", " + counted(e.splits_owed(), "split", "splits") + " owed." : ".");
    }
    default: return {};
    }
}

std::string FileWriter::availability() const
{
    using B = pb::Event;
    switch (static_cast<int>(event.body_case())) {
    case B::kParityCreationOrdered:
        return who() + " orders parity column " + num(event.parity_creation_ordered().column()) + " for "
            + group(event.parity_creation_ordered().group()) + ".";
    case B::kContentsArrived: {
        const pb::ContentsArrived& e = event.contents_arrived();
        return who() + " encodes " + counted(sizeOf(e.ranks(), e.records()), "record", "records") + " of "
            + dataAt(e.position()) + (e.is_last() ? " and has all of it." : ".");
    }
    case B::kParityBucketFilled: {
        const pb::ParityBucketFilled& e = event.parity_bucket_filled();
        return who() + " is filled: " + counted(e.records(), "record group", "record groups") + " in "
            + millisecondsOf(e.total_ns()) + ".";
    }
    case B::kParityAdded:
        return "Group " + num(event.parity_added().group()) + " now has "
            + counted(event.parity_added().k(), "parity bucket", "parity buckets") + " that all members know of.";
    case B::kParityCreationUndone:
        return "The creation of parity column " + num(event.parity_creation_undone().column()) + " of "
            + group(event.parity_creation_undone().group()) + " is given up"
            + because(event.parity_creation_undone().reason());
    case B::kAvailabilityRaised:
        return "The intended availability is now " + num(event.availability_raised().availability())
            + because(event.availability_raised().reason());
    case B::kGroupCreated:
        return "Group " + num(event.group_created().group()) + " is created with "
            + counted(event.group_created().k(), "parity bucket", "parity buckets") + ".";
    case B::kEpochChanged:
        return who() + ": group " + num(event.epoch_changed().view().group()) + " is in epoch "
            + epochText(event.epoch_changed().view().epoch()) + because(event.epoch_changed().reason());
    default: return {};
    }
}

std::string memberShown(pb::Role role, std::uint32_t g, std::uint32_t index)
{
    return role == pb::DATA ? "data bucket " + num(index) : "parity bucket " + num(g) + "." + num(index);
}

std::string FileWriter::recovery() const
{
    using B = pb::Event;
    switch (static_cast<int>(event.body_case())) {
    case B::kMemberSuspected: {
        const pb::MemberSuspected& e = event.member_suspected();
        return "The coordinator probes " + group(e.group()) + " because of "
            + memberShown(e.role(), e.group(), e.index()) + because(e.reason());
    }
    case B::kMembersAnswered:
        return "All members of " + group(event.members_answered().group())
            + " answer the probes: no member is suspected any more.";
    case B::kBucketFailed: {
        const pb::BucketFailed& e = event.bucket_failed();
        return "The coordinator declares " + memberShown(e.role(), e.group(), e.index()) + " failed"
            + because(shownReason(file, process, event)) + " The group survives "
            + counted(e.k_left(), "failure", "failures") + " more.";
    }
    case B::kCutAgreed: {
        const pb::CutAgreed& e = event.cut_agreed();
        return who() + ": the survivors of " + group(e.group()) + " hold the same changes of "
            + counted(std::uint64_t(e.positions_size()), "lost bucket", "lost buckets") + "; "
            + counted(e.copied(), "change was", "changes were") + " copied.";
    }
    case B::kRecoveryStarted: {
        const pb::RecoveryStarted& e = event.recovery_started();
        return "Parity bucket " + num(e.group()) + "." + num(e.manager()) + " is to rebuild "
            + counted(std::uint64_t(e.buckets_size()), "data bucket", "data buckets") + " on spares.";
    }
    case B::kDecoderChosen: {
        const pb::DecoderChosen& e = event.decoder_chosen();
        std::string sources;
        for (const auto& p : e.participants())
            sources += (sources.empty() ? "" : ", ") + std::string(p.role() == pb::DATA ? "D" : "P") + num(p.index());
        return who() + " inverted the matrix of " + sources + ", once for all ranks, to compute "
            + counted(std::uint64_t(e.lost_size()), "lost bucket", "lost buckets") + ".";
    }
    case B::kSliceRecovered: {
        const pb::SliceRecovered& e = event.slice_recovered();
        return who() + " computed " + counted(e.records(), "lost record", "lost records") + " of ranks "
            + num(e.rank_from()) + " to " + num(e.rank_to()) + (e.is_xor() ? " by XOR." : " by Reed-Solomon decoding.");
    }
    case B::kSliceStored: {
        const pb::SliceStored& e = event.slice_stored();
        return who() + " stores " + counted(sizeOf(e.ranks(), e.records()), "recovered record", "recovered records")
            + " and now holds " + num(e.count()) + (e.is_last() ? ", all of them." : ".");
    }
    case B::kRecoveryFinished: {
        const pb::RecoveryFinished& e = event.recovery_finished();
        return "Group " + num(e.group()) + " has "
            + counted(std::uint64_t(e.buckets_size()), "data bucket", "data buckets") + " back with "
            + counted(e.records(), "record", "records") + ", " + millisecondsOf(e.total_ns())
            + " after the first suspicion.";
    }
    case B::kRecordRecovered: {
        const pb::RecordRecovered& e = event.record_recovered();
        return who() + " answers for bucket " + num(e.bucket()) + ": key " + num(e.key()) + " is "
            + resultWord(e.result()) + ".";
    }
    case B::kGroupLost:
        return "Group " + num(event.group_lost().group())
            + " is lost: more members failed than its parity can replace.";
    case B::kLossAcknowledged:
        return "The loss in group " + num(event.loss_acknowledged().group())
            + " is acknowledged; its lost buckets come back empty.";
    case B::kCoordinatorListening: return "The coordinator starts, and listens for the processes of a running file.";
    case B::kCoordinatorRebuilt: {
        const pb::CoordinatorRebuilt& e = event.coordinator_rebuilt();
        return "The coordinator knows the file again, from what its buckets told: "
            + counted(e.buckets(), "data bucket", "data buckets") + ", "
            + counted(e.silent(), "silent member", "silent members") + ".";
    }
    case B::kForeignBucket:
        return "Process " + event.foreign_bucket().alive().process().name()
            + " holds a bucket of another file, which was here before this one. It is left as it is: end one of the "
              "two.";
    case B::kCoordinatorSuperseded: return "Another coordinator has taken over; this one does nothing any more.";
    case B::kRecoveryWayChanged: {
        const pb::RecoveryWayChanged& e = event.recovery_way_changed();
        return "Recovery is " + recoveryWord(e.recovery()) + " from now on, no longer " + recoveryWord(e.former())
            + because(e.reason());
    }
    default: return {};
    }
}

std::string FileWriter::sentence() const
{
    using Part = std::string (FileWriter::*)() const;
    for (const Part part : { &FileWriter::membership, &FileWriter::operations, &FileWriter::records,
             &FileWriter::splits, &FileWriter::availability, &FileWriter::recovery })
        if (std::string words = (this->*part)(); !words.empty())
            return words;
    if (std::string merged = mergeSentence(who(), event); !merged.empty())
        return merged;
    std::string scanned = scanSentence(who(), event);
    return scanned.empty() ? text() : scanned;
}

} // namespace

std::string fileSentence(ProcessId process, const pb::Event& event, const FileView& state)
{
    return FileWriter(process, event, state).sentence();
}

} // namespace lhrs::gui
