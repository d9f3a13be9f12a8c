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

namespace {

check::RequestName nameOf(const pb::RequestId& request) { return { request.client(), request.number() }; }

struct KeyOperation {
    check::RequestKind kind = check::RequestKind::Search;
    const pb::KeyRequest* request = nullptr; // nullptr: not a key operation
};

KeyOperation keyOperationIn(const pb::Message& message)
{
    if (message.has_insert())
        return { check::RequestKind::Insert, &message.insert() };
    if (message.has_update())
        return { check::RequestKind::Update, &message.update() };
    if (message.has_delete_())
        return { check::RequestKind::Delete, &message.delete_() };
    if (message.has_search())
        return { check::RequestKind::Search, &message.search() };
    // A parity bucket may answer the search without a copy to the bucket.
    if (message.has_alarm() && message.alarm().is_search())
        return { check::RequestKind::Search, &message.alarm().request() };
    return {};
}

} // namespace

Oracle::Oracle(const pb::FileConfig& config, const SimCluster& cluster)
    : m_config(config), m_settings { config.m(),
          config.field() == pb::GF_8 ? check::FieldKind::Gf8 : check::FieldKind::Gf16, config.mix_keys() },
      m_cluster(cluster), m_part(cluster, m_settings, m_findings), m_growth(m_part, config.parallel_splits(), m_places)
{
}

void Oracle::onCopied(const pb::Message& message)
{
    if (const KeyOperation operation = keyOperationIn(message); operation.request)
        m_ledger.copied(nameOf(operation.request->request()));
}

void Oracle::onStep(const SimProcess& process, const SimInput& input, Effects& effects, Time now)
{
    m_touched.clear();
    m_touchedKeys.clear();
    m_enabledNow.clear();
    for (const Effects::Send& send : effects.sends()) {
        const KeyOperation operation = keyOperationIn(*send.message);
        if (!operation.request || process.info.kind() != pb::CLIENT)
            continue;
        const pb::KeyRequest& request = *operation.request;
        report(m_ledger.issued(nameOf(request.request()), operation.kind, request.key(), request.value(), now.count()));
        m_book.invoked(nameOf(request.request()), operation.kind, request.key(), request.value(), now.count());
    }
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
    m_growth.checkTouched(m_ledger);
    for (const Effects::Send& send : effects.sends())
        if (send.message->has_reply())
            onReply(process, send.message->reply());
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
    case B::kChangeAcknowledged: onAcknowledged(process, event); break;
    case B::kResultKept: onResultKept(process, event); break;
    case B::kDeltaApplied: m_touched.emplace(process.index, event.delta_applied().rank()); break;
    case B::kBatchApplied: onBatchApplied(process, event); break;
    case B::kRecordsMoved: onRecordsMoved(process, event); break;
    case B::kSplitApplied: onSplitApplied(process, event); break;
    case B::kOperationForwarded: ++m_findings.counts.forwards; break;
    case B::kOperationDone: onOperationDone(event); break;
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
    const check::RequestName request = nameOf(event.operation());
    report(m_ledger.applied(request, kind, change.key, bucket, change.sequence, m_cluster.now().count()));
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
    const check::Version* version = m_ledger.latest(change.key);
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
    m_kept[nameOf(event.operation())] = { event.place().number(), sequence };
}

// The answer that a request had no effect may be sent only when all parity buckets know it; otherwise a later copy
// might have an effect.
void Oracle::checkKept(const SimProcess& process, const pb::Reply& reply, std::uint64_t key)
{
    const check::RequestName request = nameOf(reply.request());
    const DataBucket* bucket = m_places.dataBucketAt(process.index);
    const auto kept = m_kept.find(request);
    if (kept == m_kept.end())
        fail(10,
            say(process.info.name(), " answers ", pb::ResultCode_Name(reply.result()), " to (client ", request.client,
                ", request ", request.number, ") and no change has kept that"));
    if (kept == m_kept.end() || !bucket || bucket->number().value != kept->second.first
        || m_places.isCut(bucket->incarnation().value))
        return;
    // A parity bucket that has just become UP may not count yet; the contents that filled it include the result.
    auto columns = m_availability.columnsOf(*bucket);
    const std::set<std::uint32_t> counted = m_availability.countedColumns(kept->second.first / m_config.m());
    std::erase_if(columns, [&counted](const auto& column) { return !counted.contains(column.column); });
    report(check::checkAckOrder({ request, key, kept->second.first, kept->second.second, false, columns }));
}

void Oracle::onAcknowledged(const SimProcess& process, const pb::Event& event)
{
    const check::RequestName request = nameOf(event.operation());
    const check::Version* version = m_ledger.writtenBy(request);
    const std::uint32_t number = event.place().number();
    const DataBucket* bucket = m_places.dataBucketAt(process.index);
    const auto kept = m_kept.find(request);
    m_availability.onAcknowledged(number, event.change_acknowledged().sequence());
    // Late messages to a replaced bucket: its parity buckets may have applied changes of a later bucket in its place,
    // after a merge.
    const bool isCut = bucket && m_places.isCut(bucket->incarnation().value);
    if (bucket && kept != m_kept.end() && kept->second == std::pair(number, event.change_acknowledged().sequence()))
        return isCut ? void()
                     : report(check::checkAckOrder({ request, event.change_acknowledged().key(), number,
                         kept->second.second, false, m_availability.columnsOf(*bucket) }));
    // A replaced bucket learns late that its change is at all parity buckets. Its successor has the record, which may
    // have changed since.
    if (isCut && (!version || version->bucket != number))
        return;
    if (!version || !bucket || version->bucket != number)
        return fail(6, say("bucket ", number, " acknowledged a change that it did not carry out"));
    ++m_findings.counts.acknowledgements;
    const std::uint64_t key = event.change_acknowledged().key();
    check::Violations found;
    if (!isCut)
        found = check::checkAckOrder(
            { request, key, number, version->sequence, false, m_availability.columnsOf(*bucket) });
    if (found.empty())
        m_ledger.acknowledged(request);
    report(std::move(found));
}

// Checks that the bucket stores the last value that was written under this key.
void Oracle::checkRecord(std::uint32_t number, std::uint64_t key)
{
    const DataBucket* bucket = m_places.dataBucket(number);
    const check::Version* version = m_ledger.latest(key);
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

void Oracle::onReply(const SimProcess& process, const pb::Reply& reply)
{
    const check::RequestName request = nameOf(reply.request());
    const auto issued = m_ledger.issuedAs(request);
    const check::Outcome outcome = outcomeOf(reply.result());
    const bool isSearch = issued && issued->kind == check::RequestKind::Search;
    check::Version* shown = nullptr;
    ++m_findings.counts.replies;
    m_places.checkAnswer(process, reply, Time(issued ? issued->at : 0));
    if (issued && !isSearch && (outcome == check::Outcome::Exists || outcome == check::Outcome::NotFound))
        checkKept(process, reply, issued->key);
    if (issued && outcome == check::Outcome::Lost && m_losses.groups().contains(reply.bucket() / m_config.m()))
        m_book.toldLost(issued->key, m_cluster.now().count());
    const std::string value = isSearch ? reply.value() : std::string(); // a repeated change may carry its value
    report(m_ledger.replied(request, outcome, value, m_cluster.now().count(), &shown));
    if (reply.image_adjustment() && reply.forwards() == 0)
        report(check::checkHops({ issued ? issued->key : 0, 0, true, 0 }));
    if (!shown || shown->isAcknowledged)
        return;
    const DataBucket* bucket = m_places.dataBucket(shown->bucket);
    if (!bucket)
        return fail(6,
            say("a reply rests on a change of bucket ", shown->bucket, ", which was never acknowledged and is gone"));
    report(check::checkAckOrder({ request, issued ? issued->key : 0, shown->bucket, shown->sequence,
        shown->writer != request, m_availability.columnsOf(*bucket) }));
}

void Oracle::onOperationDone(const pb::Event& event)
{
    const auto& done = event.operation_done();
    const auto issued = m_ledger.issuedAs(nameOf(event.operation()));
    if (!issued)
        return;
    const std::uint32_t splitsMeanwhile = m_growth.decidedSince(Time(issued->at));
    report(check::checkHops({ done.key(), done.forwards(), done.image_adjusted(), splitsMeanwhile }));
}

void Oracle::finished(const pb::OperationResult& result)
{
    const check::RequestName request = nameOf(result.operation());
    const auto issued = m_ledger.issuedAs(request);
    if (result.result() == pb::RESULT_UNKNOWN)
        fail(17, say("an operation on key ", result.key(), " ended without a result"));
    if (issued && issued->key != result.key())
        fail(10, say("the result of an operation on key ", issued->key, " names key ", result.key()));
    const bool isSearch = issued && issued->kind == check::RequestKind::Search;
    const std::string value = isSearch ? result.value() : std::string();
    const check::Outcome outcome = outcomeOf(result.result());
    report(m_ledger.finished(request, outcome, value));
    // A copy made by the network may be carried out after the client has received RETRY.
    const bool isUncertain = outcome == check::Outcome::Retry && !isSearch && m_ledger.isCopied(request);
    m_book.answered(request, isUncertain ? check::Outcome::Unknown : outcome, value, m_cluster.now().count());
}

} // namespace lhrs
