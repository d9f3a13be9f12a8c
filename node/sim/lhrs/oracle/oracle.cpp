// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/lhrs/oracle/oracle.h"

#include "common/check/say.h"
#include "node/lhrs/coordinator/coordinator.h"
#include "node/lhrs/server/node_machine.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace lhrs {

using check::say;

Oracle::Oracle(const pb::FileConfig& config, const SimCluster& cluster)
    : m_config(config), m_settings { config.m(),
          config.field() == pb::GF_8 ? check::FieldKind::Gf8 : check::FieldKind::Gf16, config.mix_keys() },
      m_cluster(cluster), m_part(cluster, m_settings, m_findings), m_growth(m_part, config.parallel_splits(), m_places)
{
}

void Oracle::onStep(const SimProcess& process, const SimInput& input, Effects& effects, Time)
{
    m_touched.clear();
    m_touchedKeys.clear();
    m_enabledNow.clear();
    if (process.info.kind() == pb::CLIENT)
        for (const Effects::Send& send : effects.sends())
            m_answers.onRequest(*send.message);
    m_epochs.onStep(process, input, effects);
    for (const pb::Event* event : effects.events())
        onEvent(process, *event);
    m_availability.remember(process);
    for (const std::uint32_t number : m_enabledNow)
        checkWhole(number);
    for (const auto& [bucket, key] : m_touchedKeys)
        checkRecord(bucket, key);
    for (const auto& [parity, rank] : m_touched)
        checkRank(parity, rank);
    m_growth.checkTouched(m_answers.ledger());
    for (const Effects::Send& send : effects.sends())
        if (send.message->has_reply())
            m_answers.onReply(process, send.message->reply());
}

void Oracle::onEvent(const SimProcess& process, const pb::Event& event)
{
    using B = pb::Event;
    switch (static_cast<int>(event.body_case())) {
    case B::kNodeRecruited:
        if (m_places.onRecruited(process, event))
            onBegun(event.place().number());
        break;
    case B::kNodeReleased:
        if (const auto released = m_places.onReleased(process))
            onUndone(*released);
        break;
    case B::kStateChanged:
        m_growth.touch();
        if (event.place().role() == pb::PARITY)
            touchAllRanks(process.index);
        else if (event.state_changed().state() == pb::UP && m_places.isRecovering(process))
            if (const auto enabled = m_places.onEnabled(process))
                m_enabledNow.push_back(*enabled);
        break;
    case B::kCutAgreed: onCut(process, event.cut_agreed()); break;
    case B::kRecordRecovered: ++m_findings.counts.degraded; break;
    case B::kMemoryFull: m_findings.counts.full += event.memory_full().is_full() ? 1 : 0; break;
    case B::kRecordInserted: {
        const auto& e = event.record_inserted();
        onChange(process, event, check::RequestKind::Insert, { e.key(), e.rank(), e.sequence() });
        break;
    }
    case B::kRecordUpdated: {
        const auto& e = event.record_updated();
        onChange(process, event, check::RequestKind::Update, { e.key(), e.rank(), e.sequence() });
        break;
    }
    case B::kRecordDeleted: {
        const auto& e = event.record_deleted();
        onChange(process, event, check::RequestKind::Delete, { e.key(), e.rank(), e.sequence() });
        break;
    }
    case B::kChangeAcknowledged: m_answers.onAcknowledged(process, event); break;
    case B::kResultKept: onResultKept(process, event); break;
    case B::kDeltaApplied: m_touched.emplace(process.index, event.delta_applied().rank()); break;
    case B::kBatchApplied: onBatchApplied(process, event); break;
    case B::kRecordsMoved: onRecordsMoved(process, event); break;
    case B::kSplitApplied: onSplitApplied(process, event); break;
    case B::kOperationForwarded: ++m_findings.counts.forwards; break;
    case B::kOperationDone: m_answers.onOperationDone(event); break;
    case B::kImageAdjusted: {
        const pb::FileState& image = event.image_adjusted().after();
        if (!m_growth.hasMerged())
            report(check::checkImage({ image.i(), image.n() }, m_growth.state()));
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

// ---- changes at data buckets

void Oracle::onChange(const SimProcess& process, const pb::Event& event, check::RequestKind kind, const Change& change)
{
    const std::uint32_t bucket = event.place().number();
    const DataBucket* changing = m_places.changing(process, bucket);
    if (!changing)
        return;
    m_answers.onChanged(event, kind, change.key, change.sequence);
    BucketHistory& history = m_histories[bucket];
    const std::string where = say("bucket ", bucket, ", change ", change.sequence, " of key ", change.key);
    if (change.sequence <= history.known())
        fail(1, say(where, ": sequence numbers run backwards, ", history.known(), " was used"));
    const BucketHistory::Slot* before = history.latest(change.rank);
    if (kind != check::RequestKind::Insert && (!before || !before->isPresent || before->key != change.key))
        fail(3, say(where, ": the key is not at rank ", change.rank));
    if (kind == check::RequestKind::Insert && before && before->isPresent)
        fail(3, say(where, ": rank ", change.rank, " is taken by key ", before->key));
    // A parity bucket counts here once all members rely on it; one that has just become UP may not have reached that
    // point.
    const std::set<std::uint32_t> counted = m_availability.countedColumns(bucket / m_config.m());
    if (kind == check::RequestKind::Insert && before && !before->isPresent)
        for (const check::AckSituation::Column& column : m_availability.columnsOf(*changing))
            if (counted.contains(column.column) && column.applied < before->sequence)
                fail(3,
                    say(where, ": rank ", change.rank, ", freed by change ", before->sequence,
                        ", is used again while parity bucket ", column.column, " has applied ", column.applied));
    const bool isPresent = kind != check::RequestKind::Delete;
    const check::Version* version = m_answers.ledger().latest(change.key);
    history.set(change.rank,
        { change.sequence, isPresent, change.key,
            isPresent && version ? std::make_shared<const std::string>(version->value) : nullptr });
    m_touchedKeys.emplace(bucket, change.key);
}

// A change without effect. It has a sequence number, so that its answer is known wherever the bucket is rebuilt.
void Oracle::onResultKept(const SimProcess& process, const pb::Event& event)
{
    const DataBucket* bucket = event.place().role() == pb::DATA ? m_places.dataBucketAt(process.index) : nullptr;
    if (!bucket || m_places.isCut(bucket->incarnation().value))
        return;
    BucketHistory& history = m_histories[event.place().number()];
    const std::uint64_t sequence = event.result_kept().sequence();
    if (sequence <= history.known())
        fail(1,
            say("bucket ", event.place().number(), ": sequence numbers run backwards, ", history.known(), " was used"));
    history.know(sequence);
    m_answers.onKept(event);
}

// Checks that the bucket stores the last value that was written under this key.
void Oracle::checkRecord(std::uint32_t number, std::uint64_t key)
{
    const DataBucket* bucket = m_places.dataBucket(number);
    const check::Version* version = m_answers.ledger().latest(key);
    if (!bucket || !version)
        return;
    const Rank rank = bucket->store().find(Key(key));
    if ((rank.value != 0) != version->isPresent)
        fail(4, say("key ", key, " is ", (rank.value ? "" : "not "), "in bucket ", number, " after its last change"));
    else if (rank.value && bucket->store().at(rank).value != version->value)
        fail(7,
            say("key ", key, " in bucket ", number, " does not have the bytes that (client ", version->writer.client,
                ", request ", version->writer.number, ") wrote"));
}

// ---- the coordinator

void Oracle::onCoordinatorEvent(const pb::Event& event)
{
    using B = pb::Event;
    m_growth.onCoordinatorEvent(event);
    m_availability.onCoordinatorEvent(event);
    switch (static_cast<int>(event.body_case())) {
    case B::kSplitUndone:
        onUndone(event.split_undone().new_bucket());
        m_touched.insert(m_deferred.begin(), m_deferred.end());
        m_deferred.clear();
        break;
    case B::kMergeFinished:
        onUndone(event.merge_finished().bucket()); // the bucket no longer exists
        m_touched.insert(m_deferred.begin(), m_deferred.end());
        m_deferred.clear();
        break;
    case B::kMergeUndone:
        m_touched.insert(m_deferred.begin(), m_deferred.end());
        m_deferred.clear();
        break;
    case B::kCoordinatorRebuilt: onRebuilt(event.coordinator_rebuilt()); break;
    case B::kBucketFailed: onFailed(event.bucket_failed()); break;
    case B::kGroupLost: m_losses.onLost(event.group_lost()); break;
    case B::kParityAdded: m_losses.onParityAdded(event.parity_added()); break;
    default: break;
    }
}

// ---- parity

void Oracle::touchAllRanks(std::uint32_t process)
{
    const ParityBucket* parity = m_places.parityBucketAt(process);
    if (!parity)
        return;
    std::uint32_t last = parity->store().rankMax().value;
    for (std::uint32_t q = 0; q < m_config.m(); ++q) {
        const auto history = m_histories.find(parity->group().value * m_config.m() + q);
        if (history != m_histories.end())
            last = std::max(last, history->second.rankMax());
    }
    for (std::uint32_t rank = 1; rank <= last; ++rank)
        m_touched.emplace(process, rank);
}

void Oracle::checkRank(std::uint32_t process, std::uint32_t rank)
{
    const ParityBucket* parity = m_places.parityBucketAt(process);
    const Coordinator* knows = m_places.coordinator();
    if (parity && parity->state() == pb::UP && !knows) {
        m_deferred.emplace(process, rank); // it is unknown whether it holds its place
        return;
    }
    if (!parity || parity->state() != pb::UP || !knows->file().isHolder(parity->incarnation()))
        // While it is being filled, its records are from different times; or it was withdrawn but does not know it yet.
        return;
    std::vector<check::Member> members;
    for (std::uint32_t q = 0; q < m_config.m(); ++q) {
        const std::uint64_t applied = parity->applied(Position(q));
        if (applied == 0)
            continue;
        const std::uint32_t number = parity->group().value * m_config.m() + q;
        learn(number, applied);
        const auto history = m_histories.find(number);
        if (history == m_histories.end() || history->second.known() < applied) {
            m_deferred.emplace(process, rank); // a batch that its data bucket has not reported yet
            return;
        }
        const BucketHistory::Slot* slot = history->second.at(rank, applied);
        if (slot && slot->isPresent)
            members.push_back({ q, slot->key, slot->sequence, *slot->value });
    }
    check::ParityRecord record;
    const bool has = parity->store().has(Rank(rank));
    if (has)
        record = recordOf(*parity, Rank(rank));
    ++m_findings.counts.recordGroups;
    report(check::checkRecordGroup(
        m_settings, parity->group().value, parity->column().value, rank, members, has ? &record : nullptr));
}

// ---- replies

} // namespace lhrs
