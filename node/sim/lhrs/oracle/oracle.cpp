// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/lhrs/oracle/oracle.h"

#include "node/lhrs/coordinator/coordinator.h"
#include "node/sim/lhrs/oracle/rest_check.h"

namespace lhrs {

Oracle::Oracle(const pb::FileConfig& config, const SimCluster& cluster)
    : m_settings { config.m(), config.field() == pb::GF_8 ? check::FieldKind::Gf8 : check::FieldKind::Gf16,
          config.mix_keys() },
      m_part(cluster, m_settings, m_findings), m_growth(m_part, config.parallel_splits(), m_places)
{
}

void Oracle::onStep(const SimProcess& process, const SimInput& input, Effects& effects, Time)
{
    if (process.info.kind() == pb::CLIENT)
        for (const Effects::Send& send : effects.sends())
            m_answers.onRequest(*send.message);
    m_epochs.onStep(process, input, effects);
    for (const pb::Event* event : effects.events())
        onEvent(process, *event);
    m_availability.remember(process);
    m_histories.checkTouched();
    m_recordGroups.checkTouched();
    m_growth.checkTouched(m_answers.ledger());
    for (const Effects::Send& send : effects.sends())
        if (send.message->has_reply())
            m_answers.onReply(process, send.message->reply());
}

void Oracle::onEvent(const SimProcess& process, const pb::Event& event)
{
    using B = pb::Event;
    using Kind = check::RequestKind;
    const std::uint32_t number = event.place().number();
    switch (static_cast<int>(event.body_case())) {
    case B::kNodeRecruited:
        if (m_places.onRecruited(process, event)) {
            m_availability.onBegun(number);
            m_answers.onBegun(number);
            m_histories.onBegun(number);
        }
        break;
    case B::kNodeReleased:
        if (const auto released = m_places.onReleased(process))
            onEnded(*released);
        break;
    case B::kStateChanged:
        m_growth.touch();
        if (event.place().role() == pb::PARITY)
            m_recordGroups.touchAll(process);
        else if (event.state_changed().state() == pb::UP && m_places.isRecovering(process))
            if (const auto enabled = m_places.onEnabled(process))
                m_histories.onEnabled(*enabled);
        break;
    case B::kCutAgreed: onCut(process, event.cut_agreed()); break;
    case B::kRecordRecovered: ++m_findings.counts.degraded; break;
    case B::kMemoryFull: m_findings.counts.full += event.memory_full().is_full() ? 1 : 0; break;
    case B::kRecordInserted: onChange(process, event, Kind::Insert, event.record_inserted()); break;
    case B::kRecordUpdated: onChange(process, event, Kind::Update, event.record_updated()); break;
    case B::kRecordDeleted: onChange(process, event, Kind::Delete, event.record_deleted()); break;
    case B::kChangeAcknowledged: m_answers.onAcknowledged(process, event); break;
    case B::kResultKept:
        // A change without effect. It has a sequence number, so that its answer is known wherever the bucket is
        // rebuilt.
        if (const DataBucket* bucket = m_places.dataBucketAt(process.index);
            event.place().role() == pb::DATA && bucket && !m_places.isCut(bucket->incarnation().value)) {
            m_histories.onKept(number, event.result_kept().sequence());
            m_answers.onKept(event);
        }
        break;
    case B::kDeltaApplied: m_recordGroups.touch(process, event.delta_applied().rank()); break;
    case B::kBatchApplied:
        for (const std::uint32_t rank : event.batch_applied().ranks())
            m_recordGroups.touch(process, rank);
        m_histories.onBatchApplied(number * m_settings.m + event.batch_applied().position(), event.batch_applied());
        break;
    case B::kRecordsMoved: m_histories.onRecordsMoved(process, event); break;
    case B::kSplitApplied:
        if (m_histories.onSplitApplied(process, event)) {
            m_growth.onRecordsArrived(number);
            m_recordGroups.touchDeferred();
        }
        break;
    case B::kOperationForwarded: ++m_findings.counts.forwards; break;
    case B::kOperationDone: m_answers.onOperationDone(event); break;
    case B::kImageAdjusted: {
        const pb::FileState& image = event.image_adjusted().after();
        if (!m_growth.hasMerged())
            m_part.report(check::checkImage({ image.i(), image.n() }, m_growth.state()));
        break;
    }
    default:
        // While its successor listens, a former coordinator is still obeyed by processes that do not know of the
        // successor. It may complete a wave of splits: each split that it decides has reached the processes involved in
        // the one before.
        if (m_places.isPresentCoordinator(process)
            || (m_places.isFormerCoordinator(process) && m_places.coordinator() == nullptr
                && m_growth.isNewDecision(event)))
            onCoordinatorEvent(event);
        break;
    }
}

void Oracle::onCoordinatorEvent(const pb::Event& event)
{
    using B = pb::Event;
    m_growth.onCoordinatorEvent(event);
    m_availability.onCoordinatorEvent(event);
    switch (static_cast<int>(event.body_case())) {
    case B::kSplitUndone:
        onEnded(event.split_undone().new_bucket());
        m_recordGroups.touchDeferred();
        break;
    case B::kMergeFinished:
        onEnded(event.merge_finished().bucket());
        m_recordGroups.touchDeferred();
        break;
    case B::kMergeUndone: m_recordGroups.touchDeferred(); break;
    case B::kCoordinatorRebuilt: onRebuilt(event.coordinator_rebuilt()); break;
    case B::kBucketFailed:
        ++m_findings.counts.failed;
        m_losses.onFailed(event.bucket_failed(), m_places.onFailed(event.bucket_failed()));
        m_availability.onFailed(event.bucket_failed());
        m_recordGroups.touchDeferred();
        break;
    case B::kGroupLost: m_losses.onLost(event.group_lost()); break;
    case B::kParityAdded: m_losses.onParityAdded(event.parity_added()); break;
    default: break;
    }
}

void Oracle::onChange(const SimProcess& process, const pb::Event& event, check::RequestKind kind, const auto& changed)
{
    if (const DataBucket* bucket = m_places.changing(process, event.place().number())) {
        m_answers.onChanged(event, kind, changed.key(), changed.sequence());
        m_histories.onChanged(*bucket, { kind, changed.key(), changed.rank(), changed.sequence() });
    }
}

void Oracle::onCut(const SimProcess& manager, const pb::CutAgreed& agreed)
{
    if (m_places.isFenced(manager))
        return; // it has been replaced but does not know it yet
    for (int i = 0; i < agreed.positions_size(); ++i) {
        const std::uint32_t number = agreed.group() * m_settings.m + agreed.positions(i);
        if (m_places.onCut(manager, agreed, i)) {
            m_histories.onCut(number, agreed.cuts(i));
            m_answers.onCut(number, agreed.cuts(i));
        }
    }
    m_recordGroups.touchDeferred();
}

// The bucket is no part of the file: the split that was to create it was undone, or a merge has emptied it.
void Oracle::onEnded(std::uint32_t number)
{
    if (number < m_growth.state().buckets())
        return;
    m_places.forget(number);
    m_histories.forget(number);
    if (number % m_settings.m == 0) // its group ends too; other buckets meant for the group change nothing
        m_availability.onUndone(number / m_settings.m);
}

// A later coordinator has rebuilt the file: as its predecessor had it, or as it was before a decision that only the
// predecessor knew (I14).
void Oracle::onRebuilt(const pb::CoordinatorRebuilt& rebuilt)
{
    const FileState& file = m_places.coordinator()->file();
    m_growth.onRebuilt(rebuilt, m_losses.isBounded());
    m_availability.onRebuilt(file, rebuilt.buckets());
    for (const auto& [g, group] : file.groups()) {
        m_losses.onRebuilt(g, group);
        // The former coordinator may have declared a member failed without telling any process; in that case it
        // continues as before.
        for (const auto& [q, member] : group.data)
            if (!member.hasFailed()) // UP, splitting or merging
                m_places.unfence(member.holder.incarnation.value);
        // A parity bucket may then lack changes of a data bucket that has ended since. The processes that know of its
        // failure have ended as well ("Known" in tests/README.md).
        for (const auto& [p, member] : group.parity)
            if (!member.hasFailed() && m_places.unfence(member.holder.incarnation.value) && !m_losses.isBounded()
                && m_histories.isBehindTheGone(g, member.holder.node))
                ++m_findings.counts.readopted;
    }
    for (const auto& [g, group] : file.groups())
        for (const auto& [q, member] : group.data)
            if (!member.hasFailed() && m_places.isCut(member.holder.incarnation.value))
                m_places.onReadopted(
                    bucketAt(g, q, m_settings.m).value, member.holder.incarnation.value, m_losses.isBounded());
    m_recordGroups.touchDeferred();
    ++m_findings.counts.rebuilt;
}

void Oracle::onKilled(const SimProcess& process)
{
    m_places.onKilled(process);
    m_losses.onDisturbed(process);
}

void Oracle::checkAtRest(const pb::FileDescription& file)
{
    const auto leftOut = lhrs::checkAtRest(file, m_part, m_places, m_growth, m_losses, m_answers.ledger());
    if (!leftOut)
        return;
    m_availability.checkAtRest(file, *leftOut);
    m_growth.checkAuthority(m_answers.ledger());
    m_recordGroups.touchDeferred();
    m_recordGroups.checkTouched();
    if (!m_recordGroups.isAllJudged() && m_losses.groups().empty())
        fail(1, "a parity bucket has applied a change that no data bucket told of");
}

} // namespace lhrs
