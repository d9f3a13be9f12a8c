// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of the invariants: servers, records and the path of changes to the parity.
#include "gui/lab/state/lhrs/invariant_step.h"

#include "common/check/lhrs/invariants.h"
#include "gui/lab/state/lhrs/epoch_words.h"

#include <algorithm>

namespace lhrs::gui {

using check::say;

// ---- roles of processes

void InvariantMonitor::Step::started()
{
    for (const Memo one : { Filling, Freed, Broken, Held, Epochs, Decided, File, Lost, Thinned })
        l.memo(one).eraseOf(process);
}

void InvariantMonitor::Step::recruited(const pb::NodeRecruited& e)
{
    if (const ProcessState* known = self(); known != nullptr && !known->isIncomplete) {
        if (known->place.role() != pb::NO_ROLE && known->incarnation != 0)
            fails(16, say(known->name, " takes another place and has not left the previous one"));
        else
            holds(16);
    }
    if (e.incarnation() != 0) {
        const InvariantNotes::Value* holder = l.memo(Holders).find({ e.incarnation(), 0, 0 });
        if (holder != nullptr && (*holder)[0] != process)
            fails(15, say("incarnation ", incarnationText(e.incarnation()), " was given to two processes"));
        l.memo(Holders).set({ e.incarnation(), 0, 0 }, { process, 0, 0, 0 });
    }
    for (const Memo one : { Filling, Freed, Broken })
        l.memo(one).eraseOf(process);
    l.memo(Held).set({ process, event.sequence(), 0 },
        { e.incarnation(), std::uint64_t(event.place().role()), event.place().number(), event.place().column() });
}

void InvariantMonitor::Step::released()
{
    for (const Memo one : { Filling, Freed, Broken })
        l.memo(one).eraseOf(process);
    l.memo(Held).set({ process, event.sequence(), 0 }, {});
}

void InvariantMonitor::Step::became(const pb::StateChanged& e)
{
    const InvariantNotes::Value* filling = event.place().role() == pb::PARITY ? l.memo(Filling).find({ process, 0, 0 })
                                                                              : nullptr;
    if (e.state() == pb::UP && filling != nullptr && (*filling)[0] != 0 && (*filling)[1] == 0)
        fails(12,
            say("parity bucket ", event.place().number(), ".", event.place().column(),
                " counts, but does not have the contents of its whole group"));
}

// ---- records

void InvariantMonitor::Step::inserted(const pb::RecordInserted& e)
{
    effect(e.sequence());
    const DataBucketState* bucket = data();
    if (bucket == nullptr)
        return;
    seenBeforeEnabled(*bucket, e.key());
    const bool isWhole = isWholly(*bucket, e.sequence());
    if (isWhole && bucket->ranks.has(e.rank()))
        fails(3,
            say(bucketName(), " gives rank ", e.rank(), " to key ", e.key(), " while key ", bucket->ranks.at(e.rank()),
                " has it"));
    else if (isRetired(e.rank()))
        fails(3,
            say(bucketName(), " gives rank ", e.rank(), " to key ", e.key(),
                " before all parity buckets know that it is free"));
    else if (isWhole)
        holds(3);
    // By the level that the bucket itself reported before.
    const check::FileSettings settings { s.m(), check::FieldKind::Gf16, s.file.config.mix_keys() };
    const std::uint64_t mask = (std::uint64_t(1) << std::min(bucket->level, 40u)) - 1;
    if (!s.file.exists || bucket->level > 40)
        return;
    if ((check::hashed(settings, e.key()) & mask) != (bucket->number & mask))
        fails(4,
            say("key ", e.key(), " was stored in ", bucketName(), ", level ", bucket->level,
                ", which is not its bucket"));
    else
        holds(4);
}

void InvariantMonitor::Step::changed(std::uint64_t key, std::uint32_t rank, std::uint64_t sequence)
{
    effect(sequence);
    const DataBucketState* bucket = data();
    if (bucket == nullptr)
        return;
    seenBeforeEnabled(*bucket, key);
    if (!isWholly(*bucket, sequence))
        return;
    if (!bucket->ranks.has(rank) || bucket->ranks.at(rank) != key)
        fails(3, say(bucketName(), " changes key ", key, " at rank ", rank, ", where it is not"));
    else
        holds(3);
}

void InvariantMonitor::Step::deleted(const pb::RecordDeleted& e)
{
    changed(e.key(), e.rank(), e.sequence());
    l.memo(Freed).set({ process, e.sequence(), 0 }, { e.rank(), 0, 0, 0 });
}

bool InvariantMonitor::Step::isRetired(std::uint32_t rank) const
{
    const InvariantNotes& freed = l.m_memos[Freed];
    const auto [from, to] = freed.rangeOf(process);
    for (std::size_t at = from; at < to; ++at)
        if (freed.at(at).second[0] == rank)
            return true;
    return false;
}

void InvariantMonitor::Step::seenBeforeEnabled(const DataBucketState& bucket, std::uint64_t key)
{
    if (bucket.state == pb::RECOVERING)
        fails(13, say(bucketName(), " serves key ", key, " before its recovery is over"));
}

void InvariantMonitor::Step::effect(std::uint64_t sequence)
{
    const pb::RequestId& id = event.operation();
    const ProcessState* known = self();
    if (id.client() == 0 || known == nullptr)
        return;
    l.memo(Writers).set({ id.client(), 0, 0 }, {});
    InvariantNotes& effects = l.memo(Effects);
    const auto [from, to] = effects.rangeOf(id.client(), id.number());
    for (std::size_t at = from; at < to; ++at) {
        const InvariantNotes::Value& other = effects.at(at).second;
        if (other[0] == process && other[1] == known->incarnation && other[2] != sequence)
            fails(10,
                say(bucketName(), " carries out request ", id.number(), " of a client twice, by changes ", other[2],
                    " and ", sequence));
    }
    effects.set({ id.client(), id.number(), to - from }, { process, known->incarnation, sequence, 0 });
}

void InvariantMonitor::Step::acknowledgeEffect(std::uint64_t sequence)
{
    const pb::RequestId& id = event.operation();
    const ProcessState* known = self();
    InvariantNotes& effects = l.memo(Effects);
    const auto [from, to] = effects.rangeOf(id.client(), id.number());
    int count = 0;
    for (std::size_t at = from; at < to; ++at) {
        const auto& [key, value] = effects.at(at);
        if (value[0] == process && known != nullptr && value[1] == known->incarnation && value[2] == sequence)
            effects.set(key, { value[0], value[1], value[2], 1 });
        count += effects.at(at).second[3] != 0 ? 1 : 0;
    }
    // A change known to one bucket only may be lost with it and be repeated by another; a change that all parity
    // buckets have may not be repeated.
    if (count > 1 && !l.m_hadLoss)
        fails(10, say("request ", id.number(), " of a client took effect twice, the second time in ", bucketName()));
}

void InvariantMonitor::Step::acknowledged(const pb::ChangeAcknowledged& e)
{
    l.memo(Freed).take({ process, e.sequence(), 0 });
    acknowledgeEffect(e.sequence());
    const std::uint64_t bucket = event.place().number();
    const InvariantNotes::Value owed { event.sequence(), process, event.cause_process(), event.cause_sequence() };
    InvariantNotes& applied = l.memo(Applied);
    const auto [from, to] = applied.rangeOf(bucket, e.sequence());
    for (std::size_t at = from; at < to; ++at)
        compare(applied.at(at).first[2], applied.at(at).second, owed, bucket, e.sequence());
    for (std::size_t at = to; at > from; --at)
        applied.eraseAt(at - 1);
    l.memo(Owed).set({ bucket, e.sequence(), 0 }, owed);
}

void InvariantMonitor::Step::appliedAtParity(std::uint32_t position, std::uint64_t sequence)
{
    const ParityBucketState* column = parity();
    if (column == nullptr || position >= s.m())
        return;
    const std::uint64_t bucket = std::uint64_t(column->group) * s.m() + position;
    // A parity bucket recruited empty with its group; others receive changes before they count.
    const bool isOriginal = l.memo(Filling).find({ process, 0, 0 }) == nullptr
        && l.m_memos[Held].rangeOf(process).first != l.m_memos[Held].rangeOf(process).second;
    const InvariantNotes::Value value { event.sequence(), event.cause_process(), event.cause_sequence(), isOriginal };
    if (const InvariantNotes::Value* owed = l.memo(Owed).find({ bucket, sequence, 0 }))
        compare(process, value, *owed, bucket, sequence);
    else
        l.memo(Applied).set({ bucket, sequence, process }, value);
}

void InvariantMonitor::Step::compare(std::uint64_t parityProcess, const InvariantNotes::Value& applied,
    const InvariantNotes::Value& owed, std::uint64_t bucket, std::uint64_t sequence)
{
    const auto [appliedEvent, sentBy, sentAfter, isOriginal] = applied;
    const auto [ackEvent, ackProcess, ackCause, ackCauseEvent] = owed;
    const bool isOnesWord = ackCause == parityProcess;
    if (isOnesWord && appliedEvent <= ackCauseEvent)
        return holds(6);
    if (isOriginal == 0 || sentBy != ackProcess)
        return;
    if (!isOneTenure(ackProcess, ackEvent, sentAfter))
        return; // a server may hold the same place twice, with new change numbers
    // The change was sent only after its acknowledgement, or was acknowledged because of an event older than the
    // change at this parity bucket.
    if (sentAfter >= ackEvent || isOnesWord)
        fails(6,
            say("data bucket ", bucket, " acknowledged change ", sequence, " before one of its parity buckets had it"));
}

bool InvariantMonitor::Step::isOneTenure(std::uint64_t holder, std::uint64_t a, std::uint64_t b) const
{
    const auto known = s.processes.find(holder);
    const std::uint64_t told = known == s.processes.end() ? 0 : known->second.sequence;
    if (std::max(a, b) > (holder == process ? event.sequence() : told))
        return false;
    const InvariantNotes& held = l.m_memos[Held];
    const auto [from, to] = held.rangeOf(holder);
    for (std::size_t at = from; at < to; ++at)
        if (const std::uint64_t since = held.at(at).first[1]; since > std::min(a, b) && since <= std::max(a, b))
            return false;
    return true;
}

// ---- all events

void InvariantMonitor::Step::apply()
{
    using B = pb::Event;
    // As a number, so that a new kind of event needs a case here only when a check uses it.
    switch (int(event.body_case())) {
    case B::kProcessStarted: started(); break;
    case B::kNodeRecruited: recruited(event.node_recruited()); break;
    case B::kNodeReleased: released(); break;
    case B::kStateChanged: became(event.state_changed()); break;
    case B::kRecordInserted: inserted(event.record_inserted()); break;
    case B::kRecordUpdated:
        changed(event.record_updated().key(), event.record_updated().rank(), event.record_updated().sequence());
        break;
    case B::kRecordDeleted: deleted(event.record_deleted()); break;
    case B::kRecordRead:
        if (const DataBucketState* bucket = data())
            seenBeforeEnabled(*bucket, event.record_read().key());
        break;
    case B::kChangeAcknowledged: acknowledged(event.change_acknowledged()); break;
    case B::kDeltaApplied: appliedAtParity(event.delta_applied().position(), event.delta_applied().sequence()); break;
    case B::kResultKept: appliedAtParity(event.result_kept().position(), event.result_kept().sequence()); break;
    case B::kContentsArrived: {
        const InvariantNotes::Value* filling = l.memo(Filling).find({ process, 0, 0 });
        l.memo(Filling).set({ process, 0, 0 }, { 1, filling != nullptr ? (*filling)[1] : 0, 0, 0 });
        break;
    }
    case B::kParityBucketFilled:
        l.memo(Filling).set({ process, 0, 0 }, { 1, 1, 0, 0 });
        figures(event.parity_bucket_filled(), event.parity_bucket_filled().total_ns(), "a parity creation");
        break;
    case B::kOperationStarted:
        l.memo(Begun).set({ event.operation().client(), event.operation().number(), 0 }, { event.sequence(), 0, 0, 0 });
        imageSeen(event.operation_started().image());
        break;
    case B::kImageAdjusted: imageSeen(event.image_adjusted().after()); break;
    case B::kOperationDone: done(event.operation_done()); break;
    case B::kSplitCommitted: committed(event.split_committed()); break;
    case B::kMergeCommitted: committed(event.merge_committed()); break;
    case B::kSplitFinished: ended(event.split_finished().split()); break;
    case B::kMergeFinished: ended(event.merge_finished().split()); break;
    case B::kSplitUndone: undone(event.split_undone().split()); break;
    case B::kMergeUndone: undone(event.merge_undone().split()); break;
    case B::kFileStateChanged:
        knows(bucketsOf(event.file_state_changed().file()), event.file_state_changed().availability());
        break;
    case B::kAvailabilityRaised: knows(0, event.availability_raised().availability()); break;
    case B::kParityAdded: parityAdded(event.parity_added()); break;
    case B::kEpochChanged: epoch(event.epoch_changed().view()); break;
    case B::kCoordinatorRebuilt: rebuilt(event.coordinator_rebuilt()); break;
    case B::kGroupLost: groupLost(event.group_lost()); break;
    case B::kLossAcknowledged: l.memo(Lost).take({ process, event.loss_acknowledged().group(), 0 }); break;
    case B::kRecoveryFinished:
        if (event.recovery_finished().buckets_size() > 0) {
            ++l.m_recoveries;
            l.m_isUnverified = true;
        }
        figures(event.recovery_finished(), event.recovery_finished().rebuild_ns(), "a recovery");
        break;
    default: break; // irrelevant for the invariants
    }
}

} // namespace lhrs::gui
