// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/data/key_operations.h"

#include "common/failpoints.h"
#include "common/lhrs/failpoint_list.h"
#include "common/field/galois.h"
#include "common/lhrs/linear_hash.h"
#include "node/lhrs/group/key_request.h"
#include "node/lhrs/group/told_changes.h"

namespace lhrs {

namespace {

constexpr std::size_t kValueMax = 65535; // bytes

// In a bulk insert no reply is wanted, except by a client whose image is out of date.
bool isSilent(const pb::KeyRequest& request) { return request.unanswered() && request.forwards() == 0; }

// D = old ^ new, as long as the longer of both.
void difference(std::string& out, std::string_view before, std::string_view after)
{
    const std::string_view longer = before.size() > after.size() ? before : after;
    const std::string_view shorter = before.size() > after.size() ? after : before;
    out.assign(longer);
    Field::xorInto(
        reinterpret_cast<std::byte*>(out.data()), reinterpret_cast<const std::byte*>(shorter.data()), shorter.size());
}

} // namespace

pb::ChangeKind KeyOperations::execute(pb::OperationKind kind, const pb::KeyRequest& request, Time now, Effects& out)
{
    out.serve(request.request());
    if (m_bucket.status.isGone || request.target() != m_bucket.number.value
        || (request.incarnation() != 0 && request.incarnation() != m_bucket.incarnation.value)) {
        displace(request, out);
        return pb::CHANGE_UNKNOWN;
    }
    if (request.value().size() > kValueMax) { // no input may end a process
        reply(request, pb::INVALID, Rank(), out);
        return pb::CHANGE_UNKNOWN;
    }
    if (!m_bucket.status.isComplete()) {
        hold(kind, request, out);
        return pb::CHANGE_UNKNOWN;
    }
    // Every bucket checks the address (A1), because the client's image may be out of date.
    const BucketNumber right = forwardTo(
        m_bucket.number, m_bucket.status.level, addressed(Key(request.key()), m_bucket.config));
    if (right != m_bucket.number) {
        if (m_moving.isUndecided(right))
            hold(kind, request, out);
        else
            forward(kind, request, right, now, out);
        return pb::CHANGE_UNKNOWN;
    }
    if (kind != pb::SEARCH)
        return change(kind, request, now, out);
    read(request, now, out);
    return pb::CHANGE_UNKNOWN;
}

// ---- changes

pb::ChangeKind KeyOperations::change(pb::OperationKind kind, const pb::KeyRequest& request, Time now, Effects& out)
{
    const pb::RequestId& id = request.request();
    ResultTable& results = m_bucket.results;
    results.forget(id.client(), request.done_below(), now);
    if (results.isBygone(id))
        return pb::CHANGE_UNKNOWN;
    if (const ResultTable::Entry* kept = LHRS_MUTANT(ResultsForgotten) ? nullptr : results.find(id)) {
        if (!kept->isInWork) // otherwise it will be answered when the change is done
            reply(request, kept->result, Rank(std::uint32_t(kept->note)), out);
        return pb::CHANGE_UNKNOWN;
    }
    const BucketStatus& status = m_bucket.status;
    if (status.view.state() == pb::GROUP_LOST) {
        reply(request, pb::LOST, Rank(), out);
        return pb::CHANGE_UNKNOWN;
    }
    if (status.state == pb::SPLITTING || status.state == pb::MERGING || status.view.state() == pb::GROUP_FROZEN) {
        hold(kind, request, out);
        return pb::CHANGE_UNKNOWN;
    }
    if (out.fires(Failpoint::RetryThoughReady)) {
        reply(request, pb::RETRY, Rank(), out);
        return pb::CHANGE_UNKNOWN;
    }
    const Rank rank = m_bucket.store.find(Key(request.key()));
    if (kind == pb::INSERT)
        return rank.value ? changeNothing(request, pb::EXISTS, rank, now, out) : insert(request, now, out);
    if (!rank.value)
        return changeNothing(request, pb::NOT_FOUND, rank, now, out);
    return kind == pb::UPDATE ? update(request, rank, now, out) : remove(request, rank, now, out);
}

pb::ChangeKind KeyOperations::insert(const pb::KeyRequest& request, Time now, Effects& out)
{
    RecordStore& store = m_bucket.store;
    const std::string& value = request.value();
    const bool isNewRank = m_moving.keepsRanks();
    // The hard limit: the request is refused before it has any effect. Parity buckets also accept no higher rank.
    if (store.count() >= 4 * m_bucket.config.b() || (isNewRank && store.rankMax() >= rankLimit(m_bucket.config))) {
        reply(request, pb::RETRY, Rank(), out);
        return pb::CHANGE_UNKNOWN;
    }
    if (isRefused(
            request, store.growthOfInsert(std::uint32_t(value.size()), isNewRank), store.growthBesides(isNewRank), out))
        return pb::CHANGE_UNKNOWN;
    const Key key(request.key());
    const Rank rank = store.insert(key, value, next(), isNewRank);
    tell(out, RecordChange { pb::CHANGE_INSERT, key, rank, std::uint32_t(value.size()), next(), store.count() });
    return sendDelta(request, pb::CHANGE_INSERT, rank, value, value.size(), pb::OK, now, out); // of a zero record
}

pb::ChangeKind KeyOperations::update(const pb::KeyRequest& request, Rank rank, Time now, Effects& out)
{
    RecordStore& store = m_bucket.store;
    const std::string& value = request.value();
    if (isRefused(request, store.growthOfUpdate(rank, std::uint32_t(value.size())), 0, out))
        return pb::CHANGE_UNKNOWN;
    difference(m_delta, store.at(rank).value, value);
    store.update(rank, value, next());
    tell(out,
        RecordChange {
            pb::CHANGE_UPDATE, Key(request.key()), rank, std::uint32_t(value.size()), next(), store.count() });
    return sendDelta(request, pb::CHANGE_UPDATE, rank, m_delta, value.size(), pb::OK, now, out);
}

pb::ChangeKind KeyOperations::remove(const pb::KeyRequest& request, Rank rank, Time now, Effects& out)
{
    RecordStore& store = m_bucket.store;
    m_delta.assign(store.at(rank).value);
    store.remove(rank, next());
    if (LHRS_MUTANT(RankReusedEarly))
        store.release(rank);
    tell(out, RecordChange { pb::CHANGE_DELETE, Key(request.key()), rank, 0, next(), store.count() });
    return sendDelta(request, pb::CHANGE_DELETE, rank, m_delta, 0, pb::OK, now, out);
}

pb::ChangeKind KeyOperations::changeNothing(
    const pb::KeyRequest& request, pb::ResultCode result, Rank rank, Time now, Effects& out)
{
    if (!m_leases.isHeld(now) && !LHRS_MUTANT(NoLease) && !LHRS_MUTANT(ExistsWithoutLease)) {
        reply(request, pb::RETRY, Rank(), out);
        return pb::CHANGE_UNKNOWN;
    }
    if (LHRS_MUTANT(NothingKept)) {
        m_bucket.results.keep(
            request.request().client(), { request.request().number(), Key(request.key()), rank.value, result }, now);
        reply(request, result, rank, out);
        return pb::CHANGE_UNKNOWN;
    }
    // The result reveals what the bucket holds, and no later copy of the request may have an effect that this one did
    // not have. So it takes its place among the changes and is answered like them. See "Results without effect" in
    // node/lhrs/PROTOCOL.md.
    auto* event = out.event().mutable_result_kept();
    event->set_sequence(next());
    event->set_key(request.key());
    event->set_result(result);
    return sendDelta(request, pb::CHANGE_NOTHING, rank, {}, 0, result, now, out);
}

pb::ChangeKind KeyOperations::sendDelta(const pb::KeyRequest& request, pb::ChangeKind kind, Rank rank,
    std::string_view delta, std::size_t length, pb::ResultCode result, Time now, Effects& out)
{
    ++m_count;
    std::unique_ptr<ParityLink::Change> change = m_bucket.link.begin();
    change->kind = kind;
    change->rank = rank;
    change->key = Key(request.key());
    change->length = std::uint32_t(length);
    change->delta.assign(delta);
    change->request = request.request();
    change->doneBelow = request.done_below();
    change->client = Address::from(request.client());
    change->isSilent = isSilent(request);
    fillIn(request, result, rank, change->reply);
    m_bucket.results.keep(
        request.request().client(), { request.request().number(), change->key, rank.value, result, true }, now);
    if (kind != pb::CHANGE_NOTHING)
        m_moving.onChange(change->key, rank);
    m_bucket.link.send(std::move(change), now, out);
    return kind;
}

bool KeyOperations::isRefused(const pb::KeyRequest& request, std::uint64_t growth, std::uint64_t besides, Effects& out)
{
    const std::optional<pb::FullServer> full = m_memory.reserve(growth, besides);
    if (!full)
        return false;
    if (pb::Reply* const reply = this->reply(request, pb::RETRY, Rank(), out)) {
        reply->set_retry_after_ms(kRetryWhenFullMs);
        *reply->mutable_full() = *full;
    }
    return true;
}

void KeyOperations::answer(const ParityLink::Change& change, Time now, Effects& out)
{
    if (change.split != 0)
        return;
    if (change.kind == pb::CHANGE_DELETE && !LHRS_MUTANT(RankReusedEarly) && !m_moving.keepRank(change.rank))
        m_bucket.store.release(change.rank); // all parity buckets have applied the delete
    m_bucket.results.keep(change.request.client(),
        { change.request.number(), change.key, change.rank.value, change.reply.result() }, now);
    out.serve(change.request);
    if (pb::Event* told = out.operationEvent()) {
        auto* event = told->mutable_change_acknowledged();
        event->set_sequence(change.sequence);
        event->set_key(change.key.value);
        event->set_rank(change.rank.value);
    }
    if (change.isSilent)
        return;
    pb::Reply& reply = *out.send(change.client, Way::Auto, 0, NodeId(change.request.client())).mutable_reply();
    reply = change.reply;
    reply.unsafe_arena_set_allocated_request(out.share(change.request));
    if (out.fires(Failpoint::ReplyLeftOut))
        out.takeBackSend();
}

// ---- reads

void KeyOperations::read(const pb::KeyRequest& request, Time now, Effects& out)
{
    const Rank rank = m_bucket.store.find(Key(request.key()));
    // No client may see a value that could still be lost with this bucket.
    Sequence underWay = rank.value ? m_bucket.store.at(rank).version : 0;
    if (!rank.value)
        m_bucket.link.isBeingDeleted(Key(request.key()), underWay);
    if (underWay > m_bucket.link.heldByAll() && !LHRS_MUTANT(ReadShowsChangeUnderWay)) {
        if (!m_waiting.waitForChange(underWay, request))
            reply(request, pb::RETRY, Rank(), out);
        return;
    }
    if (!m_leases.isHeld(now) && !LHRS_MUTANT(NoLease)) { // another process may hold this place by now
        reply(request, pb::RETRY, Rank(), out);
        return;
    }
    ++m_count;
    if (pb::Event* told = out.operationEvent()) {
        auto* event = told->mutable_record_read();
        event->set_key(request.key());
        event->set_rank(rank.value);
    }
    reply(request, rank.value ? pb::OK : pb::NOT_FOUND, rank, out);
}

// ---- answers

void KeyOperations::fillIn(const pb::KeyRequest& request, pb::ResultCode result, Rank rank, pb::Reply& reply) const
{
    reply.set_result(result);
    reply.set_bucket(m_bucket.number.value);
    reply.set_rank(rank.value);
    reply.set_forwards(request.forwards());
    // A client that addressed this bucket by its incarnation knows its location already.
    if (request.incarnation() != m_bucket.incarnation.value || request.forwards() > 0)
        selfOf(m_bucket).to(*reply.mutable_holder());
    if (request.forwards() == 0)
        return;
    reply.set_image_adjustment(true); // the adjustment of the last forwarder
    reply.set_iam_bucket(LHRS_MUTANT(AdjustedByAcceptor) ? m_bucket.number.value : request.forwarder());
    reply.set_iam_level(LHRS_MUTANT(AdjustedByAcceptor) ? m_bucket.status.level : request.forwarder_level());
}

pb::Reply* KeyOperations::reply(const pb::KeyRequest& request, pb::ResultCode result, Rank rank, Effects& out)
{
    if (isSilent(request))
        return nullptr;
    out.serve(request.request());
    auto* reply = out.send(Address::from(request.client()), Way::Auto, 0, NodeId(request.request().client()))
                      .mutable_reply();
    reply->unsafe_arena_set_allocated_request(out.share(request.request()));
    fillIn(request, result, rank, *reply);
    if (result == pb::RETRY) {
        reply->set_retry_after_ms(kRetryAfterMs);
        reply->set_copy(request.copy());
    }
    if (result == pb::INVALID)
        reply->set_text("value: 65,535 bytes at most");
    if (request.forwards() > 0 && out.fires(Failpoint::AdjustmentLeftOut)) {
        reply->clear_image_adjustment();
        reply->clear_iam_bucket();
        reply->clear_iam_level();
    }
    if (result == pb::OK && m_bucket.store.has(rank) && m_bucket.store.at(rank).key == Key(request.key()))
        out.setValue(*reply->mutable_value(), m_bucket.store.at(rank).value);
    return reply;
}

// ---- requests that cannot be executed here or now

void KeyOperations::hold(pb::OperationKind kind, const pb::KeyRequest& request, Effects& out)
{
    if (!m_waiting.hold(kind, request, m_memory.isScarce(), out))
        reply(request, pb::RETRY, Rank(), out);
}

void KeyOperations::forward(
    pb::OperationKind kind, const pb::KeyRequest& request, BucketNumber to, Time now, Effects& out)
{
    const auto known = m_bucket.context.locations.find(to);
    if (known == m_bucket.context.locations.end()) {
        if (!m_waiting.waitForLocation(to, kind, request, now, out))
            reply(request, pb::RETRY, Rank(), out);
        return;
    }
    pb::KeyRequest& passed = keyRequestIn(out.send(known->second.address, Way::Auto, 0, known->second.node), kind);
    passed = request;
    passed.set_target(to.value);
    passed.set_incarnation(known->second.incarnation.value);
    passed.set_forwards(request.forwards() + 1);
    passed.set_forwarder(m_bucket.number.value);
    passed.set_forwarder_level(m_bucket.status.level);
    auto* event = out.event().mutable_operation_forwarded();
    event->set_kind(kind);
    event->set_key(request.key());
    event->set_from(m_bucket.number.value);
    event->set_to(to.value);
}

void KeyOperations::displace(const pb::KeyRequest& request, Effects& out) const
{
    sayDisplaced(Address::from(request.client()), NodeId(request.request().client()), request, out);
    const auto forwarder = m_bucket.context.locations.find(BucketNumber(request.forwarder()));
    if (request.forwards() > 0 && forwarder != m_bucket.context.locations.end())
        sayDisplaced(forwarder->second.address, forwarder->second.node, request, out);
}

} // namespace lhrs
