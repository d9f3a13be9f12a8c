// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/core/parity_bucket.h"

#include "common/linear_hash.h"
#include "common/points.h"
#include "common/record_block.h"
#include "node/core/member_record.h"
#include "node/core/record_recovery.h"
#include "node/core/recovery_manager.h"
#include "node/core/split.h"

#include <algorithm>
#include <cstring>

namespace lhrs {

namespace {

constexpr Time kClientSilence = 60s; // lhrs.md 4.4
constexpr Time kExpiryPeriod = 10s;

FieldOptions optionsOf(const pb::FileConfig& config)
{
    FieldOptions options;
    options.backend = config.galois() == "log" ? Backend::Log : Backend::GfComplete;
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

ParityBucket::ParityBucket(NodeContext& context, const pb::Confirm& confirm, Time now)
    : m_context(context)
    , m_config(confirm.config())
    , m_group(confirm.number())
    , m_column(confirm.column())
    , m_incarnation(confirm.incarnation())
    , m_state(confirm.state())
    , m_rankLimit(8 * confirm.config().b() + 65'536) // 4 b records at most, and ranks that wait to be free
    , m_store(confirm.config().field() == pb::GF_8 ? FieldWidth::Gf8 : FieldWidth::Gf16, confirm.config().m(), m_column, optionsOf(confirm.config()))
    , m_positions(confirm.config().m())
{
    takeView(confirm.view(), now);
    for (Position q; q.value < m_positions.size(); q = q.next()) {
        m_positions[q.value].awaitsContents = m_state == pb::INIT && m_positions[q.value].incarnation.value != 0;
        if (m_positions[q.value].awaitsContents)
            m_store.leaveOutOfIndex(q);
    }
}

ParityBucket::~ParityBucket() = default;

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
        if (position.incarnation != holder.incarnation) {
            if (position.hasFailed) {
                position.log.clear(); // recovered: its numbers go on from the cut
            } else {
                // A new bucket at this position, the target of a split: it starts at sequence 0.
                LHRS_CHECK(position.incarnation.value == 0);
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
            m_positions[q] = {}; // the split that was to create it was undone
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

bool ParityBucket::isRefused(const pb::Message& message, std::uint32_t position, std::uint64_t incarnation, std::uint64_t epoch, Effects& out)
{
    if (position >= m_positions.size())
        return true;
    if (epoch > m_view.epoch()) {
        // The sender's epoch is on its way to us; kept until it is here. (No split is ordered before all have it.)
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
        // XOR undoes itself: a Delta that comes twice would corrupt the parity silently.
        if (LHRS_MUTANT(DeltaAppliedTwice))
            applyDelta(q, delta, now, out);
        acknowledge(q, out);
        return;
    }
    const bool isLate = out.fires(Point::ApplyLate);
    if (delta.sequence() == position.applied + 1 && !position.awaitsContents && position.held.empty() && !isLate) {
        applyDelta(q, delta, now, out); // the usual case, without a copy
        logDelta(position, delta, out);
        ++position.applied;
        indexWhenConsistent(q);
        reportWhenFilled(now, out);
        acknowledge(q, out);
        return;
    }
    if (LHRS_MUTANT(GapApplied) && !position.awaitsContents) {
        applyDelta(q, delta, now, out);
        position.applied = delta.sequence();
        acknowledge(q, out);
        return;
    }
    // The one that is missing always finds room, or those that wait for it would lock it out.
    if (position.held.size() >= m_context.acks.timers().held_max() && delta.sequence() != position.applied + 1)
        return; // not acknowledged: it comes again
    if (!position.held.contains(delta.sequence())) {
        position.held[delta.sequence()].delta = delta;
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
    acknowledge(q, out);
}

void ParityBucket::acknowledge(Position q, Effects& out, std::uint64_t answers) const
{
    if (answers == 0 && out.fires(Point::DeltaAckLeftOut))
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
}

void ParityBucket::applyWhatFollows(Position q, Time now, Effects& out)
{
    PositionState& position = m_positions[q.value];
    while (!position.awaitsContents && !position.held.empty()) {
        const auto next = position.held.begin();
        if (next->first <= position.applied) {
            position.held.erase(next); // came with the contents
            continue;
        }
        if (next->first != position.applied + 1)
            break;
        HeldChange& change = next->second;
        if (change.split != 0) {
            if (!change.isComplete || change.decision == HeldChange::Decision::Open)
                break;
        }
        if (change.split != 0 && change.decision == HeldChange::Decision::Commit) {
            applyBatch(q, next->first, change, now, out);
        } else {
            // What a split left behind that was undone is an empty change, and somebody may not know of it yet.
            if (change.split == 0 && change.delta.kind() != pb::CHANGE_UNKNOWN)
                applyDelta(q, change.delta, now, out);
            change.delta.set_sequence(next->first);
            logDelta(position, change.delta, out);
        }
        ++position.applied;
        position.held.erase(next);
    }
    indexWhenConsistent(q);
    reportWhenFilled(now, out);
}

void ParityBucket::indexWhenConsistent(Position q)
{
    const PositionState& position = m_positions[q.value];
    if (m_store.isIndexed(q) || position.awaitsContents || position.applied < position.contentsLast)
        return;
    if (!m_store.index(q))
        disagree(q, position.applied);
}

void ParityBucket::disagree(Position, Sequence)
{
    // The data bucket and we hold different things under one rank. Going on would answer with wrong bytes later, so the
    // process ends and its place is for recovery.
    LHRS_CHECK(!"a Delta does not fit the parity record of its rank");
}

void ParityBucket::applyDelta(Position q, const pb::Delta& delta, Time now, Effects& out)
{
    PositionState& position = m_positions[q.value];
    const Rank rank(delta.rank());
    ++m_operations;
    position.results.forget(delta.request().client(), delta.done_below(), now);
    const bool isNothing = delta.kind() == pb::CHANGE_NOTHING;
    position.results.keep(delta.request().client(), { delta.request().number(), Key(delta.key()), rank, isNothing ? delta.result() : pb::OK }, now);
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
        return; // the contents of this rank came later than the change
    if (!m_store.apply(storeChange(delta.kind()), q, rank, Key(delta.key()), delta.length(), delta.sequence(), delta.delta()))
        disagree(q, delta.sequence());
    out.serve(delta.request());
    auto* event = out.event().mutable_delta_applied();
    event->set_position(q.value);
    event->set_sequence(delta.sequence());
    event->set_rank(delta.rank());
    event->set_key(delta.key());
    event->set_kind(delta.kind());
    event->set_coefficient(m_store.code().coefficient(q, m_column));
    event->set_members(m_store.memberCount(rank));
    event->set_record_groups(m_store.recordGroups());
}

bool ParityBucket::isFit(const std::string& block) const
{
    BlockReader reader(block);
    BlockEntry entry;
    while (reader.next(entry)) {
        if (!entry.isOfRequests() && entry.rank > m_rankLimit)
            return false;
    }
    return !reader.isMalformed();
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
    if (now < m_nextExpiry)
        return;
    m_nextExpiry = now + kExpiryPeriod;
    for (PositionState& position : m_positions)
        position.results.expire(now - kClientSilence);
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
        // An undone split leaves an empty change behind, also where none of its blocks had arrived.
        if (batch.sequence() > position.applied && !position.held.contains(batch.sequence()) && batch.split() <= position.lastSplit) {
            HeldChange& empty = position.held[batch.sequence()];
            empty.split = batch.split();
            empty.isComplete = true;
            empty.decision = HeldChange::Decision::Abort;
            applyWhatFollows(q, now, out);
        }
        acknowledge(q, out);
        return;
    }
    if (out.fires(Point::PreparedLate))
        return;
    if (batch.sequence() <= position.applied || batch.split() <= position.lastSplit) { // decided meanwhile
        NodeContext::acknowledge(message, out);
        acknowledge(q, out);
        return;
    }
    HeldChange& held = position.held[batch.sequence()];
    held.split = batch.split();
    held.level = batch.level();
    held.mergesFrom = batch.merges_from();
    if (batch.block() > held.blocks.size())
        return; // the blocks before come again
    if (batch.block() == held.blocks.size() && !held.isComplete) {
        if (!isFit(batch.changes()))
            return;
        held.blocks.push_back(batch.changes());
        held.isComplete = batch.is_last();
        if (held.isComplete) {
            auto* event = out.event().mutable_split_prepared();
            event->set_split(batch.split());
            event->set_sequence(batch.sequence());
        }
    }
    NodeContext::acknowledge(message, out); // "prepared", once the last block is here
    applyWhatFollows(q, now, out);
}

void ParityBucket::decide(const pb::Message& message, std::uint64_t split, BucketNumber bucket, HeldChange::Decision decision, Time now, Effects& out)
{
    if (groupOf(bucket, m_config.m()) != m_group)
        return; // late, for the place that this process held before
    const Position q = positionOf(bucket, m_config.m());
    PositionState& position = m_positions[q.value];
    for (auto& [sequence, held] : position.held) {
        if (held.split != split)
            continue;
        held.decision = decision;
        if (decision == HeldChange::Decision::Commit)
            position.lastMergedFrom = held.mergesFrom;
        if (decision == HeldChange::Decision::Abort)
            held.isComplete = true; // an empty change, whatever of it had come
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
    decide(message, message.commit().split(), BucketNumber(message.commit().bucket()), HeldChange::Decision::Commit, now, out);
}

void ParityBucket::onAbort(const pb::Message& message, Time now, Effects& out)
{
    decide(message, message.abort().split(), BucketNumber(message.abort().bucket()), HeldChange::Decision::Abort, now, out);
}

void ParityBucket::applyBatch(Position q, Sequence sequence, const HeldChange& batch, Time now, Effects& out)
{
    PositionState& position = m_positions[q.value];
    auto* event = out.event().mutable_batch_applied();
    event->set_split(batch.split);
    event->set_position(q.value);
    event->set_sequence(sequence);
    event->set_level(batch.level);
    BlockEntry entry;
    for (const std::string& block : batch.blocks) {
        BlockReader reader(block);
        while (reader.next(entry)) {
            if (entry.isOfRequests()) {
                takeRequest(position.results, entry, now);
                continue;
            }
            const bool isInsert = entry.kind == BlockEntry::Kind::Insert;
            if (!m_store.apply(isInsert ? ParityStore::Change::Insert : ParityStore::Change::Delete, q, entry.rank,
                    entry.key, entry.length, sequence, entry.bytes))
                disagree(q, sequence);
            event->add_kinds(isInsert ? pb::CHANGE_INSERT : pb::CHANGE_DELETE);
            event->add_ranks(entry.rank.value);
            event->add_keys(entry.key.value);
        }
    }
    event->set_record_groups(m_store.recordGroups());
    position.level = batch.level;
    // Results of requests for keys that left go with them.
    const BucketNumber bucket = bucketAt(m_group, q, m_config.m());
    position.results.take([&](Key key) { return forwardTo(bucket, batch.level, addressed(key, m_config)) != bucket; },
        [](std::uint64_t, const ResultTable::Entry&) {});
}

// ---- epochs and filling

void ParityBucket::onEpoch(const pb::Message& message, Time now, Effects& out)
{
    const pb::View& view = message.epoch().view();
    if (view.group() != m_group.value || out.fires(Point::EpochHeardLate))
        return; // late, for the place that this process held before
    if (view.epoch() < m_view.epoch()) {
        NodeContext::acknowledge(message, out); // a newer one overtook it, and somebody may wait for this one
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

void ParityBucket::onAddParity(const pb::Message& message, Time now, Effects& out)
{
    if (message.add_parity().group() != m_group.value || message.add_parity().column() != m_column.value)
        return; // late, for another place
    NodeContext::acknowledge(message, out);
    if (m_isFilling || m_state != pb::INIT)
        return;
    m_isFilling = true;
    m_fillTimes.emplace(now);
    m_fillTimes->enter(now, out);
    // Demo paper 4(b): it asks each data bucket: would you like to send me your contents?
    for (std::uint32_t q = 0; q < m_positions.size(); ++q) {
        const PositionState& position = m_positions[q];
        if (!position.awaitsContents)
            continue;
        pb::Message ask;
        ask.set_incarnation(m_incarnation.value);
        auto* send = ask.mutable_send_contents();
        send->set_group(m_group.value);
        send->set_position(q);
        send->set_column(m_column.value);
        send->set_epoch(m_view.epoch());
        send->set_incarnation(m_incarnation.value);
        m_context.acks.send(std::move(ask), position.holder.address, position.holder.node, Way::Auto,
            AckList::Patience::KeepTrying, NodeContext::Plain, now, out);
    }
    reportWhenFilled(now, out);
    leaveFilling(now, out);
}

Sequence ParityBucket::contentsSnap(const PositionState& position, Rank rank) const
{
    const auto range = std::lower_bound(position.ranges.begin(), position.ranges.end(), rank,
        [](const ContentsRange& r, Rank wanted) { return r.last < wanted; });
    return range == position.ranges.end() ? 0 : range->snap;
}

void ParityBucket::leaveFilling(Time now, const Effects& out)
{
    if (m_fillTimes)
        m_fillTimes->leave(now, out, std::any_of(m_positions.begin(), m_positions.end(), [](const PositionState& p) { return p.awaitsContents; }));
}

void ParityBucket::onContents(const pb::Message& message, Time now, Effects& out)
{
    if (m_fillTimes)
        m_fillTimes->enter(now, out);
    takeContents(message, now, out);
    leaveFilling(now, out);
}

void ParityBucket::takeContents(const pb::Message& message, Time now, Effects& out)
{
    const pb::Contents& contents = message.contents();
    if (contents.asker() != m_incarnation.value || contents.position() >= m_positions.size())
        return;
    const Position q(contents.position());
    PositionState& position = m_positions[q.value];
    if (position.incarnation.value != contents.incarnation() || out.fires(Point::ContentsLate))
        return;
    if (!position.awaitsContents || contents.block() < position.contentsExpected) {
        if (position.awaitsContents)
            NodeContext::acknowledge(message, out);
        else
            acknowledge(q, out, message.id()); // the answer to the last block may have been lost
        return;
    }
    if (contents.block() > position.contentsExpected || !isFit(contents.records()))
        return;
    BlockReader reader(contents.records());
    if (!contents.is_last())
        NodeContext::acknowledge(message, out);
    ++position.contentsExpected;
    m_fillBytes += contents.records().size();
    auto* event = out.event().mutable_contents_arrived();
    event->set_position(q.value);
    event->set_block(contents.block());
    event->set_is_last(contents.is_last());
    event->set_snap(contents.snap());
    BlockEntry entry;
    while (reader.next(entry)) {
        if (entry.isOfRequests()) {
            takeRequest(position.results, entry, now);
            continue;
        }
        if (!m_store.apply(ParityStore::Change::Insert, q, entry.rank, entry.key, entry.length, entry.version, entry.bytes))
            disagree(q, entry.version);
        event->add_ranks(entry.rank.value);
        event->add_keys(entry.key.value);
    }
    if (position.ranges.empty())
        position.applied = contents.snap(); // all later changes came to us as Deltas and are held
    position.ranges.push_back({ Rank(contents.rank_last()), contents.snap() });
    position.level = contents.level();
    position.contentsLast = contents.snap();
    if (!contents.is_last())
        return;
    position.awaitsContents = false;
    if (LHRS_MUTANT(CreationMissesWrites) && !position.held.empty()) {
        position.applied = position.held.rbegin()->first;
        position.held.clear();
    }
    applyWhatFollows(q, now, out);
    // Says what is applied and answers the block, so that the data bucket surely hears it: it owes its word about the
    // epoch until then, and there may be no Delta any more whose resend would ask.
    acknowledge(q, out, message.id());
}

void ParityBucket::reportWhenFilled(Time now, Effects& out)
{
    if (!m_isFilling)
        return;
    // The last block may have overtaken Deltas for ranks of the blocks before it: until they are here, the parity of
    // those ranks is of an older time than the rest.
    const bool isFilled = std::none_of(m_positions.begin(), m_positions.end(),
        [](const PositionState& p) { return p.awaitsContents || p.applied < p.contentsLast; });
    if (!isFilled)
        return;
    m_isFilling = false;
    pb::Message done;
    done.set_incarnation(m_incarnation.value);
    auto* contentsDone = done.mutable_contents_done();
    contentsDone->set_group(m_group.value);
    contentsDone->set_column(m_column.value);
    contentsDone->set_records(m_store.recordGroups());
    m_context.tell(std::move(done), now, out);
    auto* event = out.event().mutable_parity_bucket_filled();
    event->set_records(m_store.recordGroups());
    event->set_bytes(m_fillBytes);
    m_fillTimes->sums(now, out).tell(*event);
    m_fillTimes.reset();
}

} // namespace lhrs
