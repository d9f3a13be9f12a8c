// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/parity/parity_bucket.h"

#include "common/failpoints.h"
#include "common/lhrs/failpoint_list.h"
#include "common/lhrs/linear_hash.h"
#include "common/lhrs/record_block.h"
#include "node/lhrs/group/bucket_parts.h"
#include "node/lhrs/group/member_record.h"
#include "node/lhrs/group/told_changes.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lhrs {

namespace {

constexpr Time kExpiryPeriod = 10s;

FieldOptions optionsOf(const pb::FileConfig& config)
{
    // The coordinator's command line was checked. If this processor supports other instructions than the coordinator's,
    // its own ones compute the same bytes.
    const auto named = fieldOptionsNamed(config.galois());
    FieldOptions options = named ? *named : FieldOptions();
    options.logPrecalculus = !config.no_log_precalculus();
    options.rowOfOnes = !config.pure_rs();
    return options;
}

ParityStore::Change storeChange(pb::ChangeKind kind)
{
    return kind == pb::CHANGE_INSERT ? ParityStore::Change::Insert
        : kind == pb::CHANGE_UPDATE  ? ParityStore::Change::Update
                                     : ParityStore::Change::Delete;
}

} // namespace

ParityBucket::ParityBucket(ServerContext& context, const pb::Confirm& confirm, Time now)
    : m_context(context), m_config(confirm.config()), m_group(confirm.number()), m_column(confirm.column()),
      m_incarnation(confirm.incarnation()), m_state(confirm.state()), m_rankLimit(rankLimit(confirm.config())),
      m_store(confirm.config().field() == pb::GF_8 ? FieldWidth::Gf8 : FieldWidth::Gf16, confirm.config().m(), m_column,
          optionsOf(confirm.config())),
      m_positions(confirm.config().m())
{
    takeView(confirm.view(), now);
    m_isCountedOn = m_state != pb::INIT;
    for (Position q; q.value < m_positions.size(); q = q.next()) {
        m_positions[q.value].awaitsContents = m_state == pb::INIT && m_positions[q.value].incarnation.value != 0;
    }
}

void ParityBucket::takeView(const pb::View& view, Time now)
{
    m_view = view;
    std::vector<bool> isThere(m_positions.size(), false);
    for (const pb::Member& member : view.members()) {
        if (member.role() != pb::DATA || member.index() >= m_positions.size())
            continue;
        PositionState& position = m_positions[member.index()];
        isThere[member.index()] = true;
        const HolderInfo holder = HolderInfo::from(member.holder());
        if (member.state() == pb::MEMBER_LOST && holder.incarnation.value == 0) {
            // A restarted coordinator does not know of a bucket here. A later one may, so what is stored for the bucket
            // stays.
            position.hasFailed = true;
            continue;
        }
        if (position.incarnation != holder.incarnation) {
            if (position.hasFailed) {
                position.log.clear(); // recovered: its sequence numbers continue from the cut
                position.staging.reset();
            } else {
                // A new bucket at this position, the target of a split: it starts at sequence number 0. A former target
                // may have been undone in an epoch that never reached this bucket.
                LHRS_CHECK(position.incarnation.value == 0 || !m_store.hasMembersAt(Position(member.index())));
                position = {};
                position.level = member.level();
            }
            position.incarnation = holder.incarnation;
        }
        position.hasFailed = member.state() == pb::FAILED || member.state() == pb::MEMBER_LOST;
        position.holder = holder;
    }
    for (std::size_t q = 0; q < m_positions.size(); ++q) {
        if (!isThere[q])
            m_positions[q] = {}; // the split that was to create this bucket was undone
        if (!m_positions[q].hasFailed)
            m_store.forgetIndex(Position(std::uint32_t(q)));
    }
    if (m_config.recovery() == pb::RECOVERY_OFF)
        return;
    m_grants.setTimes(leaseTimesOf(m_context.acks.timers()));
    m_grants.setView(view, { pb::PARITY, m_column.value }, now);
}

std::uint32_t ParityBucket::held() const
{
    std::size_t sum = 0;
    for (const PositionState& position : m_positions)
        sum += position.held.size();
    return std::uint32_t(sum);
}

// ---- Deltas

bool ParityBucket::isRefused(
    const pb::Message& message, std::uint32_t position, std::uint64_t incarnation, std::uint64_t epoch, Effects& out)
{
    if (position >= m_positions.size())
        return true;
    if (epoch > m_view.epoch()) {
        // The sender's epoch is still on its way to this bucket; the Delta is kept until then. (No split is ordered
        // before all members have the epoch.)
        if (message.has_delta() && m_early.size() < m_context.acks.timers().held_max())
            m_early.push_back(message);
        return true;
    }
    const bool isOfThisEpoch = epoch == m_view.epoch() || LHRS_MUTANT(OldEpochAccepted);
    if (m_positions[position].incarnation.value == incarnation && isOfThisEpoch && !m_positions[position].hasFailed)
        return false;
    pb::Message& answer = out.send(Address::from(message.from()), Way::Auto, 0, NodeId(message.sender()));
    auto* nak = answer.mutable_delta_nak();
    nak->set_group(m_group.value);
    nak->set_position(position);
    nak->set_column(m_column.value);
    nak->set_epoch(m_view.epoch());
    nak->set_applied(m_positions[position].applied);
    return true;
}

void ParityBucket::onDelta(const pb::Message& message, Time now, Effects& out)
{
    const pb::Delta& delta = message.delta();
    if (isRefused(message, delta.position(), delta.incarnation(), delta.epoch(), out))
        return;
    const Position q(delta.position());
    PositionState& position = m_positions[q.value];
    if (delta.kind() == pb::CHANGE_UNKNOWN || Rank(delta.rank()) > m_rankLimit)
        return;
    if (delta.sequence() <= position.applied) {
        // XOR undoes itself: a Delta that is applied twice would corrupt the parity silently.
        if (LHRS_MUTANT(DeltaAppliedTwice))
            applyDelta(q, delta, now, out);
        acknowledgeSoon(q, delta.request(), out);
        return;
    }
    const bool isLate = out.fires(Failpoint::ApplyLate);
    if (delta.sequence() == position.applied + 1 && !position.awaitsContents && position.held.empty() && !isLate) {
        applyDelta(q, delta, now, out); // the usual case, without a copy
        logDelta(position, delta, out);
        ++position.applied;
        reportWhenFilled(now, out);
        acknowledgeSoon(q, delta.request(), out);
        return;
    }
    if (LHRS_MUTANT(GapApplied) && !position.awaitsContents) {
        applyDelta(q, delta, now, out);
        position.applied = delta.sequence();
        acknowledgeSoon(q, delta.request(), out);
        return;
    }
    // The next Delta in order is always accepted; otherwise the changes that wait for it would lock it out.
    const bool isRoom = position.held.size() < m_context.acks.timers().held_max()
        && hasRoomToKeep(delta.delta().size());
    if (!isRoom && delta.sequence() != position.applied + 1)
        return; // not acknowledged, so it is resent
    if (!position.held.contains(delta.sequence())) {
        HeldChange& held = position.held[delta.sequence()];
        held.delta = delta;
        held.kept.add(m_heldBytes, delta.delta().size());
        auto* event = out.event().mutable_delta_held();
        event->set_position(q.value);
        event->set_sequence(delta.sequence());
        event->set_missing(position.applied + 1);
    }
    if (LHRS_MUTANT(HeldDeltaAcknowledged) && !position.awaitsContents) {
        pb::Message& wrong = out.send(position.holder.address, Way::Auto, 0, position.holder.node);
        wrong.set_incarnation(m_incarnation.value);
        auto* ack = wrong.mutable_delta_ack();
        ack->set_group(m_group.value);
        ack->set_position(q.value);
        ack->set_column(m_column.value);
        ack->set_incarnation(position.incarnation.value);
        ack->set_applied(delta.sequence());
    }
    if (!isLate)
        applyWhatFollows(q, now, out);
    acknowledgeSoon(q, delta.request(), out);
}

// One acknowledgement covers all Deltas that arrived together, because it is cumulative.
void ParityBucket::acknowledgeSoon(Position q, const pb::RequestId& operation, Effects& out)
{
    if (!out.moreFollow()) {
        m_positions[q.value].owesWord.reset();
        acknowledge(q, out);
        return;
    }
    m_positions[q.value].owesWord = operation;
    m_owesWords = true;
}

void ParityBucket::giveOwedWords(Effects& out)
{
    if (!m_owesWords)
        return;
    m_owesWords = false;
    for (std::uint32_t q = 0; q < m_positions.size(); ++q) {
        const auto operation = std::exchange(m_positions[q].owesWord, std::nullopt);
        if (!operation)
            continue;
        out.serve(*operation);
        acknowledge(Position(q), out);
    }
}

void ParityBucket::acknowledge(Position q, Effects& out, std::uint64_t answers) const
{
    if (answers == 0 && out.fires(Failpoint::DeltaAckLeftOut))
        return;
    const PositionState& position = m_positions[q.value];
    pb::Message& message = out.send(position.holder.address, Way::Auto, 0, position.holder.node);
    message.set_answers(answers);
    message.set_incarnation(m_incarnation.value);
    auto* ack = message.mutable_delta_ack();
    ack->set_group(m_group.value);
    ack->set_position(q.value);
    ack->set_column(m_column.value);
    ack->set_incarnation(position.incarnation.value);
    ack->set_applied(position.applied);
    sayRoom(*ack);
}

void ParityBucket::applyWhatFollows(Position q, Time now, Effects& out)
{
    PositionState& position = m_positions[q.value];
    while (!position.awaitsContents && !position.held.empty()) {
        const auto next = position.held.begin();
        if (next->first <= position.applied) {
            position.held.erase(next); // already included in the contents
            continue;
        }
        if (next->first != position.applied + 1)
            break;
        HeldChange& change = next->second;
        const bool isBatch = change.batch.split != 0;
        if (isBatch && change.decision == HeldChange::Decision::Open)
            break;
        if (isBatch && change.decision == HeldChange::Decision::Commit) {
            applyBatch(q, next->first, change.batch, now, out);
        } else {
            // An undone split leaves an empty change, and another parity bucket may still lack it.
            if (!isBatch && change.delta.kind() != pb::CHANGE_UNKNOWN)
                applyDelta(q, change.delta, now, out);
            change.delta.set_sequence(next->first);
            logDelta(position, change.delta, out);
        }
        ++position.applied;
        position.held.erase(next);
    }
    reportWhenFilled(now, out);
}

std::optional<Rank> ParityBucket::rankOf(Position q, Key key)
{
    const PositionState& position = m_positions[q.value];
    if (position.awaitsContents || position.applied < position.contentsLast)
        return std::nullopt;
    if (!m_store.index(q))
        disagree(q, position.applied);
    return m_store.isIndexed(q) ? std::optional(m_store.find(q, key)) : std::nullopt;
}

void ParityBucket::disagree(Position, Sequence)
{
    // The data bucket and this bucket store different things under one rank. Continuing would produce wrong bytes
    // later, so the process ends and its place is recovered.
    LHRS_CHECK(!"a Delta does not fit the parity record of its rank");
}

void ParityBucket::applyDelta(Position q, const pb::Delta& delta, Time now, Effects& out)
{
    PositionState& position = m_positions[q.value];
    const Rank rank(delta.rank());
    ++m_operations;
    position.results.forget(delta.request().client(), delta.done_below(), now);
    const bool isNothing = delta.kind() == pb::CHANGE_NOTHING;
    position.results.keep(delta.request().client(),
        { delta.request().number(), Key(delta.key()), rank.value, isNothing ? delta.result() : pb::OK }, now);
    if (isNothing) {
        out.serve(delta.request());
        auto* kept = out.event().mutable_result_kept();
        kept->set_position(q.value);
        kept->set_sequence(delta.sequence());
        kept->set_key(delta.key());
        kept->set_result(delta.result());
        return;
    }
    if (delta.sequence() <= contentsSnap(position, rank))
        return; // the contents of this rank already include the change
    if (!m_store.apply(
            storeChange(delta.kind()), q, rank, Key(delta.key()), delta.length(), delta.sequence(), delta.delta()))
        disagree(q, delta.sequence());
    out.serve(delta.request());
    if (out.tellsChanges())
        tell(out,
            AppliedDelta { q, delta.kind(), Key(delta.key()), rank, delta.sequence(),
                m_store.code().coefficient(q, m_column), m_store.memberCount(rank), m_store.recordGroups() });
}

void ParityBucket::onTime(Time now, Effects& out)
{
    if (m_config.recovery() != pb::RECOVERY_OFF && m_state == pb::UP) {
        for (const MemberId silent : m_grants.takeSilent(now))
            suspect(m_context, m_view, silent, now, out);
    }
    if (m_manager)
        m_manager->onTime(now, out);
    if (m_records)
        m_records->onTime(now, out);
    tellRoom(now, out);
    if (now < m_nextExpiry)
        return;
    m_nextExpiry = now + kExpiryPeriod;
    for (PositionState& position : m_positions)
        position.results.expire(now - ResultTable::kClientSilence);
}

// ---- batches of splits

void ParityBucket::onPrepareBatch(const pb::Message& message, Time now, Effects& out)
{
    const pb::PrepareBatch& batch = message.prepare_batch();
    if (isRefused(message, batch.position(), batch.incarnation(), batch.epoch(), out))
        return;
    const Position q(batch.position());
    PositionState& position = m_positions[q.value];
    if (batch.asks_only()) {
        // An undone split leaves an empty change, even if none of its blocks has arrived.
        if (batch.sequence() > position.applied && !position.held.contains(batch.sequence())
            && batch.split() <= position.lastSplit) {
            HeldChange& empty = position.held[batch.sequence()];
            empty.batch.split = batch.split();
            empty.decision = HeldChange::Decision::Abort;
            applyWhatFollows(q, now, out);
        }
        acknowledge(q, out);
        return;
    }
    if (out.fires(Failpoint::PreparedLate))
        return;
    const auto isThis = [&](const auto& item) { return item.second.batch.split == batch.split(); };
    const bool isHere = std::any_of(position.held.begin(), position.held.end(), isThis);
    const bool isOld = position.staging && batch.split() < position.staging->split;
    if (isHere || isOld || batch.split() <= position.lastSplit
        || (batch.is_last() && batch.sequence() <= position.applied)) {
        NodeContext::acknowledge(message, out); // a late copy
        acknowledge(q, out);
        return;
    }
    if (!position.staging || position.staging->split != batch.split()) {
        position.staging.emplace();
        position.staging->split = batch.split();
        position.staging->level = batch.level();
        position.staging->mergesFrom = batch.merges_from();
    }
    Batch& staged = *position.staging;
    if (staged.incoming.keepAhead(batch.block(), message))
        return;
    const bool isNext = staged.incoming.isNext(batch.block());
    if (isNext && (!isFit(batch.changes(), Rank(), m_rankLimit) || !hasRoomToKeep(batch.changes().size())))
        return; // not acknowledged: the split is undone at its time limit
    NodeContext::acknowledge(message, out); // "prepared", sent once the last block has arrived
    if (!isNext)
        return;
    staged.incoming.take();
    staged.blocks.push_back(out.takeBlock(batch.changes()));
    staged.kept.add(m_batchBytes, staged.blocks.back().size());
    if (!batch.is_last()) {
        if (const auto next = staged.incoming.kept())
            onPrepareBatch(*next, now, out);
        return;
    }
    position.held[batch.sequence()].batch = std::move(staged);
    position.staging.reset();
    auto* event = out.event().mutable_split_prepared();
    event->set_split(batch.split());
    event->set_sequence(batch.sequence());
    applyWhatFollows(q, now, out);
}

void ParityBucket::decide(const pb::Message& message, std::uint64_t split, BucketNumber bucket,
    HeldChange::Decision decision, Time now, Effects& out)
{
    if (groupOf(bucket, m_config.m()) != m_group)
        return; // late: for the place that this process held before
    const Position q = positionOf(bucket, m_config.m());
    PositionState& position = m_positions[q.value];
    if (position.staging && position.staging->split <= split)
        position.staging.reset();
    for (auto& [sequence, held] : position.held) {
        if (held.batch.split != split)
            continue;
        held.decision = decision; // if the split is undone, this becomes an empty change
        if (decision == HeldChange::Decision::Commit)
            position.lastMergedFrom = held.batch.mergesFrom;
    }
    position.lastSplit = std::max(position.lastSplit, split);
    if (decision == HeldChange::Decision::Commit)
        position.lastCommit = std::max(position.lastCommit, split);
    applyWhatFollows(q, now, out);
    if (position.incarnation.value != 0)
        acknowledge(q, out);
    pb::Message& answer = out.send(Address::from(message.from()), Way::Auto, 0, NodeId(message.sender()));
    answer.set_answers(message.id());
    auto* applied = answer.mutable_applied();
    applied->set_split(split);
    applied->set_role(pb::PARITY);
    applied->set_number(m_group.value);
    applied->set_column(m_column.value);
    applied->set_bucket(bucket.value);
}

void ParityBucket::onCommit(const pb::Message& message, Time now, Effects& out)
{
    decide(message, message.commit().split(), BucketNumber(message.commit().bucket()), HeldChange::Decision::Commit,
        now, out);
}

void ParityBucket::onAbort(const pb::Message& message, Time now, Effects& out)
{
    decide(message, message.abort().split(), BucketNumber(message.abort().bucket()), HeldChange::Decision::Abort, now,
        out);
}

namespace {

// The last entry of a batch about each rank (see StagedBatch), in the order of writing. An insert belongs to the
// preceding delete if both have the same key.
class LastWords {
public:
    explicit LastWords(const std::vector<std::string>& blocks)
    {
        each(blocks, [this](std::uint32_t word, const BlockEntry& entry, bool isOwn) {
            if (!isOwn)
                return;
            if (entry.rank.value >= m_last.size())
                m_last.resize(std::max<std::size_t>(2 * m_last.size(), entry.rank.value + 1));
            m_last[entry.rank.value] = word;
        });
    }
    // Calls use(entry) for each of those last entries that is of this kind.
    template <class Use> void each(const std::vector<std::string>& blocks, BlockEntry::Kind kind, const Use& use) const
    {
        Rank of; // the rank that the entry is about
        each(blocks, [&](std::uint32_t word, const BlockEntry& entry, bool isOwn) {
            if (isOwn)
                of = entry.rank;
            if (entry.kind == kind && m_last[of.value] == word)
                use(entry);
        });
    }

private:
    template <class Use> static void each(const std::vector<std::string>& blocks, const Use& use)
    {
        std::uint32_t word = 0;
        BlockEntry before, entry;
        for (const std::string& block : blocks) {
            BlockReader reader(block);
            while (reader.next(entry)) {
                if (entry.isOfRequests())
                    continue;
                const bool isOwn = entry.kind != BlockEntry::Kind::Insert || before.kind != BlockEntry::Kind::Delete
                    || before.key != entry.key;
                word += isOwn ? 1 : 0;
                use(word, entry, isOwn);
                before = entry;
            }
        }
    }

    std::vector<std::uint32_t> m_last; // by rank
};

} // namespace

void ParityBucket::applyBatch(Position q, Sequence sequence, const Batch& batch, Time now, Effects& out)
{
    PositionState& position = m_positions[q.value];
    auto* event = out.event().mutable_batch_applied();
    event->set_split(batch.split);
    event->set_position(q.value);
    event->set_sequence(sequence);
    event->set_level(batch.level);
    std::uint32_t changes = 0;
    const LastWords words(batch.blocks);
    for (const bool isInsert : { false, true }) {
        words.each(
            batch.blocks, isInsert ? BlockEntry::Kind::Insert : BlockEntry::Kind::Delete, [&](const BlockEntry& entry) {
                if (!m_store.apply(isInsert ? ParityStore::Change::Insert : ParityStore::Change::Delete, q, entry.rank,
                        entry.key, entry.length, sequence, entry.bytes))
                    disagree(q, sequence);
                ++changes;
                if (!out.tellsRecords())
                    return;
                event->add_kinds(isInsert ? pb::CHANGE_INSERT : pb::CHANGE_DELETE);
                event->add_ranks(entry.rank.value);
                event->add_keys(entry.key.value);
            });
    }
    for (const std::string& block : batch.blocks)
        takeRecords(BlockReader(block), position.results, now, [](const BlockEntry&) {});
    event->set_changes(changes);
    event->set_record_groups(m_store.recordGroups());
    position.level = batch.level;
    // The results of requests for keys that have left are removed with them.
    const BucketNumber bucket = bucketAt(m_group, q, m_config.m());
    position.results.take([&](Key key) { return forwardTo(bucket, batch.level, addressed(key, m_config)) != bucket; },
        [](std::uint64_t, const ResultTable::Entry&) {});
}

// ---- epochs and filling

void ParityBucket::onEpoch(const pb::Message& message, Time now, Effects& out)
{
    const pb::View& view = message.epoch().view();
    if (view.group() != m_group.value || out.fires(Failpoint::EpochHeardLate))
        return; // late: for the place that this process held before
    if (view.epoch() < m_view.epoch()) {
        NodeContext::acknowledge(message, out); // a newer epoch has overtaken it, but its sender may still be waiting
        return;
    }
    if (view.epoch() > m_view.epoch()) {
        takeView(view, now);
        for (const pb::Member& member : view.members()) {
            if (member.role() != pb::PARITY || member.index() != m_column.value || member.state() == m_state)
                continue;
            m_state = member.state();
            auto* event = out.event().mutable_state_changed();
            event->set_state(m_state);
            event->set_reason("all members of the group are told to count on it");
        }
        beginRecovery(now, out);
    }
    pb::Message& answer = out.send(Address::from(message.from()), Way::Auto, 0, NodeId(message.sender()));
    answer.set_answers(message.id());
    auto* ack = answer.mutable_epoch_ack();
    ack->set_group(m_group.value);
    ack->set_epoch(m_view.epoch());
    ack->set_role(pb::PARITY);
    ack->set_index(m_column.value);
    ack->set_lease_left_ms(std::uint32_t((m_grants.leftToFailed(now) + 999us) / 1ms));
    std::deque<pb::Message> early = std::move(m_early);
    m_early.clear();
    for (const pb::Message& m : early)
        onDelta(m, now, out);
}

} // namespace lhrs
