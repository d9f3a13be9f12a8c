// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/data/data_bucket.h"

#include "common/failpoints.h"
#include "common/lhrs/failpoint_list.h"
#include "common/field/galois.h"
#include "common/lhrs/linear_hash.h"
#include "node/lhrs/group/told_changes.h"

#include <algorithm>
#include <cstring>

namespace lhrs {

namespace {

constexpr std::size_t kValueMax = 65535; // bytes

// In a bulk insert no reply is wanted, except for a client whose image is out of date.
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

const pb::KeyRequest& keyRequestOf(const pb::Message& message)
{
    if (message.has_insert())
        return message.insert();
    if (message.has_update())
        return message.update();
    if (message.has_delete_())
        return message.delete_();
    return message.search();
}

void sayDisplaced(const Address& to, const pb::RequestId& request, std::uint32_t bucket, std::uint64_t incarnation,
    std::uint32_t copy, Effects& out)
{
    auto* displaced = out.send(to).mutable_displaced();
    *displaced->mutable_request() = request;
    displaced->set_bucket(bucket);
    displaced->set_incarnation(incarnation);
    displaced->set_copy(copy);
}

DataBucket::DataBucket(ServerContext& context, const pb::Confirm& confirm, Time now, Effects& out)
    : m_config(confirm.config()), m_level(confirm.level()), m_state(confirm.state()), m_creation(confirm.split()),
      m_createdLevel(confirm.level()), m_lastSplit(confirm.last_split()), m_view(confirm.view()),
      m_link(context, groupOf(BucketNumber(confirm.number()), confirm.config().m()),
          positionOf(BucketNumber(confirm.number()), confirm.config().m()), Incarnation(confirm.incarnation())),
      m_parts { context, m_store, m_link, m_results, m_config, BucketNumber(confirm.number()),
          groupOf(BucketNumber(confirm.number()), m_config.m()),
          positionOf(BucketNumber(confirm.number()), m_config.m()), Incarnation(confirm.incarnation()) }
{
    m_link.setView(m_view, now, out);
    takeView(now);
}

void DataBucket::onInsert(const pb::Message& message, Time now, Effects& out)
{
    onRequest(Kind::Insert, message.insert(), now, out);
}
void DataBucket::onUpdate(const pb::Message& message, Time now, Effects& out)
{
    onRequest(Kind::Update, message.update(), now, out);
}
void DataBucket::onDelete(const pb::Message& message, Time now, Effects& out)
{
    onRequest(Kind::Delete, message.delete_(), now, out);
}
void DataBucket::onSearch(const pb::Message& message, Time now, Effects& out)
{
    onRequest(Kind::Search, message.search(), now, out);
}

void DataBucket::onRequest(Kind kind, const pb::KeyRequest& request, Time now, Effects& out)
{
    out.serve(request.request());
    if (m_isGone || request.target() != number().value
        || (request.incarnation() != 0 && request.incarnation() != incarnation().value)) {
        displace(request, out);
        return;
    }
    if (request.value().size() > kValueMax) { // no input may end a process
        reply(request, pb::INVALID, Rank(), out);
        return;
    }
    if (m_state == pb::INIT || m_state == pb::RECOVERING) {
        hold(kind, request, out);
        return;
    }
    // Every bucket checks the address (A1), because the client's image may be out of date.
    const BucketNumber right = forwardTo(number(), m_level, addressed(Key(request.key()), m_config));
    if (right != number()) {
        // A merge is about to be decided; either way the key will be in one of the two buckets afterwards.
        if (m_merge && m_merge->isPrepared() && right.value == m_merge->order().source())
            hold(kind, request, out);
        else
            forward(kind, request, right, now, out);
        return;
    }
    if (kind != Kind::Search) {
        change(kind, request, now, out);
        return;
    }
    const Rank rank = m_store.find(Key(request.key()));
    answerRead(request, rank, now, out);
}

void DataBucket::onScan(const pb::Message& message, Time now, Effects& out)
{
    const pb::Scan& scan = message.scan();
    out.serve(scan.request());
    if (!m_isGone && scan.target() == number().value
        && (scan.incarnation() == 0 || scan.incarnation() == incarnation().value))
        this->scan(scan, now, out);
    else
        sayDisplaced(Address::from(scan.client()), scan.request(), scan.target(), scan.incarnation(), 0, out);
}

void DataBucket::scan(const pb::Scan& scan, Time now, Effects& out)
{
    if (m_state == pb::INIT || m_state == pb::RECOVERING
        || (m_merge && m_merge->isPrepared() && !m_merge->isCommitted())) {
        m_scans.hold(m_parts, scan, out);
        return;
    }
    m_scans.take(m_parts, m_level, scan, out);
    m_scans.forward(m_parts, m_level, scan, now, out);
    askForScans(now, out);
    progress(now, out);
}

void DataBucket::change(Kind kind, const pb::KeyRequest& request, Time now, Effects& out)
{
    const pb::RequestId& id = request.request();
    m_results.forget(id.client(), request.done_below(), now);
    if (m_results.isBygone(id))
        return;
    if (const ResultTable::Entry* kept = LHRS_MUTANT(ResultsForgotten) ? nullptr : m_results.find(id)) {
        if (!kept->isInWork) // otherwise it will be answered when done
            reply(request, kept->result, Rank(std::uint32_t(kept->note)), out);
        return;
    }
    if (m_view.state() == pb::GROUP_LOST) {
        reply(request, pb::LOST, Rank(), out);
        return;
    }
    if (m_state == pb::SPLITTING || m_state == pb::MERGING || m_view.state() == pb::GROUP_FROZEN) {
        hold(kind, request, out);
        return;
    }
    if (out.fires(Failpoint::RetryThoughReady)) {
        reply(request, pb::RETRY, Rank(), out);
        return;
    }
    const Key key(request.key());
    const Rank rank = m_store.find(key);
    if (kind == Kind::Insert) {
        if (rank.value) {
            changeNothing(request, pb::EXISTS, rank, now, out);
            return;
        }
        if (m_store.count() >= 4 * m_config.b()) { // the hard limit: refused before any effect
            reply(request, pb::RETRY, Rank(), out);
            return;
        }
        const bool isNewRank = m_source && m_source->keepsRanks();
        if (isNewRank && m_store.rankMax() >= rankLimit(m_config)) { // parity buckets accept no higher rank
            reply(request, pb::RETRY, Rank(), out);
            return;
        }
        if (isRefused(request, m_store.growthOfInsert(std::uint32_t(request.value().size()), isNewRank),
                m_store.growthBesides(isNewRank), out))
            return;
        const Rank taken = m_store.insert(key, request.value(), m_link.sequence() + 1, isNewRank);
        tell(out,
            RecordChange { pb::CHANGE_INSERT, key, taken, std::uint32_t(request.value().size()), m_link.sequence() + 1,
                m_store.count() });
        sendDelta(request, pb::CHANGE_INSERT, taken, {}, request.value(), pb::OK, now, out);
        reportOverload(now, out);
        return;
    }
    if (!rank.value) {
        changeNothing(request, pb::NOT_FOUND, rank, now, out);
        return;
    }
    const std::string_view after = kind == Kind::Update ? std::string_view(request.value()) : std::string_view();
    if (kind == Kind::Update && isRefused(request, m_store.growthOfUpdate(rank, std::uint32_t(after.size())), 0, out))
        return;
    difference(m_delta, m_store.at(rank).value, after);
    if (kind == Kind::Update) {
        m_store.update(rank, after, m_link.sequence() + 1);
        tell(out,
            RecordChange {
                pb::CHANGE_UPDATE, key, rank, std::uint32_t(after.size()), m_link.sequence() + 1, m_store.count() });
        sendDelta(request, pb::CHANGE_UPDATE, rank, m_delta, after, pb::OK, now, out);
    } else {
        m_store.remove(rank, m_link.sequence() + 1);
        if (LHRS_MUTANT(RankReusedEarly))
            m_store.release(rank);
        tell(out, RecordChange { pb::CHANGE_DELETE, key, rank, 0, m_link.sequence() + 1, m_store.count() });
        if (m_store.count() <= m_config.b() && !m_source)
            rearmOverload(m_config.b());
        sendDelta(request, pb::CHANGE_DELETE, rank, m_delta, after, pb::OK, now, out);
        reportUnderflow(now, out);
    }
}

void DataBucket::sendDelta(const pb::KeyRequest& request, pb::ChangeKind kind, Rank rank, std::string_view delta,
    std::string_view after, pb::ResultCode result, Time now, Effects& out)
{
    const pb::RequestId& id = request.request();
    ++m_operations;
    std::unique_ptr<ParityLink::Change> change = m_link.begin();
    change->kind = kind;
    change->rank = rank;
    change->key = Key(request.key());
    change->length = std::uint32_t(after.size());
    change->delta.assign(kind == pb::CHANGE_INSERT ? after : delta); // an insert changes a zero record
    change->request = id;
    change->doneBelow = request.done_below();
    change->client = Address::from(request.client());
    change->isSilent = isSilent(request);
    auto& reply = change->reply;
    reply.set_result(result);
    reply.set_forwards(request.forwards());
    reply.set_bucket(number().value);
    reply.set_rank(rank.value);
    reply.set_image_adjustment(request.forwards() > 0);
    sayWhere(request, reply);
    reply.set_iam_bucket(LHRS_MUTANT(AdjustedByAcceptor) ? number().value : request.forwarder());
    reply.set_iam_level(LHRS_MUTANT(AdjustedByAcceptor) ? m_level : request.forwarder_level());
    m_results.keep(id.client(), { id.number(), change->key, rank.value, result, true }, now);
    if (m_source && kind != pb::CHANGE_NOTHING)
        m_source->onChange(m_parts, change->key, rank);
    m_link.send(std::move(change), now, out);
    progress(now, out);
}

void DataBucket::changeNothing(const pb::KeyRequest& request, pb::ResultCode result, Rank rank, Time now, Effects& out)
{
    if (!hasLease(now) && !LHRS_MUTANT(NoLease) && !LHRS_MUTANT(ExistsWithoutLease)) {
        reply(request, pb::RETRY, Rank(), out);
        return;
    }
    if (LHRS_MUTANT(NothingKept)) {
        m_results.keep(
            request.request().client(), { request.request().number(), Key(request.key()), rank.value, result }, now);
        reply(request, result, rank, out);
        return;
    }
    // The result tells what the bucket holds, and no later copy of the request may do what this one did not. So it
    // takes its place among the changes and is answered like them. See "Results without effect" in
    // node/lhrs/PROTOCOL.md.
    auto* event = out.event().mutable_result_kept();
    event->set_sequence(m_link.sequence() + 1);
    event->set_key(request.key());
    event->set_result(result);
    sendDelta(request, pb::CHANGE_NOTHING, rank, {}, {}, result, now, out);
}

void DataBucket::answerRead(const pb::KeyRequest& request, Rank rank, Time now, Effects& out)
{
    // No client may see a value that could still be lost with this bucket.
    Sequence underWay = rank.value ? m_store.at(rank).version : 0;
    if (!rank.value)
        m_link.isBeingDeleted(Key(request.key()), underWay);
    if (underWay > m_link.heldByAll() && !LHRS_MUTANT(ReadShowsChangeUnderWay)) {
        if (isWaiting(request))
            return;
        if (held() >= m_parts.context.acks.timers().held_max())
            reply(request, pb::RETRY, Rank(), out);
        else
            m_waitingReads.emplace(underWay, Held { Kind::Search, request });
        return;
    }
    if (!hasLease(now) && !LHRS_MUTANT(NoLease)) { // another may hold this place by now
        reply(request, pb::RETRY, Rank(), out);
        return;
    }
    ++m_operations;
    if (pb::Event* told = out.operationEvent()) {
        auto* event = told->mutable_record_read();
        event->set_key(request.key());
        event->set_rank(rank.value);
    }
    reply(request, rank.value ? pb::OK : pb::NOT_FOUND, rank, out);
}

// A client that addressed this bucket by its incarnation knows its location already.
void DataBucket::sayWhere(const pb::KeyRequest& request, pb::Reply& reply) const
{
    if (request.incarnation() != incarnation().value || request.forwards() > 0)
        HolderInfo { Address::from(m_parts.context.self.address()), NodeId(m_parts.context.self.node()), incarnation() }
            .to(*reply.mutable_holder());
}

pb::Reply* DataBucket::reply(const pb::KeyRequest& request, pb::ResultCode result, Rank rank, Effects& out)
{
    if (isSilent(request))
        return nullptr;
    out.serve(request.request());
    auto* reply = out.send(Address::from(request.client())).mutable_reply();
    reply->unsafe_arena_set_allocated_request(out.share(request.request()));
    reply->set_result(result);
    reply->set_bucket(number().value);
    reply->set_rank(rank.value);
    reply->set_forwards(request.forwards());
    sayWhere(request, *reply);
    if (result == pb::RETRY) {
        reply->set_retry_after_ms(kRetryAfterMs);
        reply->set_copy(request.copy());
    }
    if (result == pb::INVALID)
        reply->set_text("value: 65,535 bytes at most");
    if (request.forwards() > 0 && !out.fires(Failpoint::AdjustmentLeftOut)) { // that of the last forwarder
        reply->set_image_adjustment(true);
        reply->set_iam_bucket(LHRS_MUTANT(AdjustedByAcceptor) ? number().value : request.forwarder());
        reply->set_iam_level(LHRS_MUTANT(AdjustedByAcceptor) ? m_level : request.forwarder_level());
    }
    if (result == pb::OK && m_store.has(rank) && m_store.at(rank).key == Key(request.key()))
        out.setValue(*reply->mutable_value(), m_store.at(rank).value);
    return reply;
}

void DataBucket::answer(const ParityLink::Change& change, Time now, Effects& out)
{
    if (change.split != 0)
        return;
    if (change.kind == pb::CHANGE_DELETE && !LHRS_MUTANT(RankReusedEarly)
        && !(m_source && m_source->keepRank(change.rank)))
        m_store.release(change.rank); // all parity buckets have applied the delete
    m_results.keep(change.request.client(),
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
    pb::Reply& reply = *out.send(change.client).mutable_reply();
    reply = change.reply;
    reply.unsafe_arena_set_allocated_request(out.share(change.request));
    if (out.fires(Failpoint::ReplyLeftOut))
        out.takeBackSend();
}

bool DataBucket::hold(Kind kind, const pb::KeyRequest& request, Effects& out)
{
    if (isWaiting(request))
        return true;
    const MemoryRoom& memory = m_parts.context.memory;
    const bool isScarce = memory.hasLimit() && memory.left(storedBytes()) < memory.reserve() / 2;
    if ((held() >= m_parts.context.acks.timers().held_max() && !LHRS_MUTANT(QueueWithoutBound)) || isScarce
        || out.fires(Failpoint::HoldQueueOfNone)) {
        reply(request, pb::RETRY, Rank(), out);
        return false;
    }
    m_held.push_back({ kind, request });
    return true;
}

bool DataBucket::isWaiting(const pb::KeyRequest& request) const
{
    const auto isSame = [&request](const Held& h) {
        return h.request.request().client() == request.request().client()
            && h.request.request().number() == request.request().number();
    };
    const auto isSameOf = [&isSame](const auto& item) { return isSame(item.second); };
    return std::any_of(m_held.begin(), m_held.end(), isSame)
        || std::any_of(m_waitingReads.begin(), m_waitingReads.end(), isSameOf)
        || std::any_of(m_parked.begin(), m_parked.end(), isSameOf);
}

void DataBucket::forward(Kind kind, const pb::KeyRequest& request, BucketNumber to, Time now, Effects& out)
{
    const auto known = m_parts.context.locations.find(to);
    if (known == m_parts.context.locations.end()) {
        if (isWaiting(request))
            return;
        if (held() >= m_parts.context.acks.timers().held_max()) {
            reply(request, pb::RETRY, Rank(), out);
            return;
        }
        m_parked.emplace(to, Held { kind, request });
        if (m_asked.emplace(to, now + 100ms).second)
            out.send(m_parts.context.coordinator).mutable_where_is()->set_bucket(to.value);
        return;
    }
    pb::Message& message = out.send(known->second.address, Way::Auto, 0, known->second.node);
    pb::KeyRequest* passed = kind == Kind::Insert ? message.mutable_insert()
        : kind == Kind::Update                    ? message.mutable_update()
        : kind == Kind::Delete                    ? message.mutable_delete_()
                                                  : message.mutable_search();
    *passed = request;
    passed->set_target(to.value);
    passed->set_incarnation(known->second.incarnation.value);
    passed->set_forwards(request.forwards() + 1);
    passed->set_forwarder(number().value);
    passed->set_forwarder_level(m_level);
    auto* event = out.event().mutable_operation_forwarded();
    event->set_kind(kind == Kind::Insert ? pb::INSERT
            : kind == Kind::Update       ? pb::UPDATE
            : kind == Kind::Delete       ? pb::DELETE
                                         : pb::SEARCH);
    event->set_key(request.key());
    event->set_from(number().value);
    event->set_to(to.value);
}

void DataBucket::reportOverload(Time now, Effects& out)
{
    if (m_source) // a split takes half of it; checked again after that
        return;
    if (m_store.count() <= m_overloadAbove || m_isOverloadSent || out.fires(Failpoint::OverloadLate))
        return;
    // Demo paper, section 2: a bucket that overflows alerts the coordinator; once per overload, not per insert (2003
    // report).
    m_isOverloadSent = true;
    pb::Message message;
    message.set_incarnation(incarnation().value);
    auto* overload = message.mutable_overload();
    overload->set_bucket(number().value);
    overload->set_level(m_level);
    overload->set_count(m_store.count());
    if (out.fires(Failpoint::OverloadTwice))
        m_parts.context.tell(message, now, out);
    m_parts.context.tell(std::move(message), now, out);
    auto* event = out.event().mutable_bucket_overflowed();
    event->set_count(m_store.count());
    event->set_level(m_level);
}

void DataBucket::reportUnderflow(Time now, Effects& out)
{
    if (!m_config.merges() || m_state != pb::UP)
        return;
    if (m_store.count() >= underflow())
        m_underflowBelow = underflow();
    if (m_store.count() >= m_underflowBelow)
        return;
    // Not reported for each delete. But the coordinator may have found the file as a whole full enough, so a bucket
    // that keeps emptying reports again.
    m_underflowBelow = m_store.count() / 2;
    pb::Message message;
    message.set_incarnation(incarnation().value);
    auto* few = message.mutable_underflow();
    few->set_bucket(number().value);
    few->set_level(m_level);
    few->set_count(m_store.count());
    m_parts.context.tell(std::move(message), now, out);
    auto* event = out.event().mutable_bucket_underflowed();
    event->set_count(m_store.count());
    event->set_level(m_level);
}

void DataBucket::onDeltaAck(const pb::Message& message, Time now, Effects& out)
{
    m_link.onDeltaAck(message.delta_ack(), Incarnation(message.incarnation()), now);
    progress(now, out);
}

void DataBucket::onDeltaNak(const pb::Message& message, Time now, Effects& out)
{
    m_link.onDeltaNak(message.delta_nak(), now, out);
}

void DataBucket::onLocation(const pb::Message& message, Time now, Effects& out)
{
    const pb::Location& location = message.location();
    const BucketNumber a(location.bucket());
    m_asked.erase(a);
    if (!location.exists())
        return; // not there yet: onTime asks again while something waits for it
    m_parts.context.locations[a] = HolderInfo::from(location.holder());
    m_scans.onLocation(m_parts, a, now, out);
    std::vector<Held> parked;
    for (auto [it, end] = m_parked.equal_range(a); it != end; ++it)
        parked.push_back(std::move(it->second));
    m_parked.erase(a);
    for (const Held& h : parked)
        onRequest(h.kind, h.request, now, out);
}

void DataBucket::progress(Time now, Effects& out)
{
    m_link.takeDone([&](const ParityLink::Change& change) { answer(change, now, out); });
    const Sequence held = m_link.heldByAll();
    while (!m_waitingReads.empty() && m_waitingReads.begin()->first <= held) {
        const Held read = std::move(m_waitingReads.begin()->second);
        m_waitingReads.erase(m_waitingReads.begin());
        onRequest(read.kind, read.request, now, out); // it looks at the record again
    }
    m_scans.progress(m_parts, hasLease(now), now, out);
    if (m_source && !m_source->isClosed())
        copyAhead(now, out);
    if (m_merge && !m_merge->isCommitted())
        m_merge->progress(m_parts, now, out);
    if (m_merge && m_merge->isCommitted() && m_link.isIdle())
        endMerge(now, out);
    if (m_source && m_source->isCommitted() && m_state == pb::SPLITTING && m_link.isIdle()) {
        become(pb::UP, "all parity buckets have the split", out);
        workOff(now, out);
    }
    if (m_owedFinish && m_state == pb::UP && m_source->isCommitted()) {
        NodeContext::acknowledge(*m_owedFinish, out);
        m_owedFinish.reset();
        m_source.reset();
        rearmOverload(m_config.b());
        reportOverload(now, out);
    }
    if (m_owedEpochAck)
        acknowledgeEpoch(now, out);
    check();
}

void DataBucket::workOff(Time now, Effects& out)
{
    std::deque<Held> held = std::move(m_held);
    m_held.clear();
    for (const Held& h : held)
        onRequest(h.kind, h.request, now, out);
    for (const pb::Scan& scan : m_scans.takeHeld())
        this->scan(scan, now, out);
}

void DataBucket::become(pb::MemberState state, const char* reason, Effects& out)
{
    if (state == m_state)
        return;
    m_state = state;
    auto* event = out.event().mutable_state_changed();
    event->set_state(state);
    event->set_reason(reason);
    event->set_level(m_level);
}

void DataBucket::onAck(const AckList::Entry& entry, Time now, Effects& out)
{
    if (m_source)
        m_source->onAck(m_parts, entry, now, out);
    if (m_target)
        m_target->onAck(m_parts, entry, now, out);
    if (m_merge)
        m_merge->onAck(m_parts, entry, now, out);
    m_scans.onAck(m_parts, entry, now, out);
    for (auto& [asker, sender] : m_contents) {
        if (sender->onAck(entry, now) && !sender->isDone())
            sender->sendBlocks({ m_parts.group, m_parts.position, incarnation(), m_level }, m_store, m_results,
                m_link.sequence(), now, out);
    }
    progress(now, out);
}

void DataBucket::onTime(Time now, Effects& out)
{
    m_link.onTime(now, out);
    for (auto& [asker, sender] : m_contents) {
        if (sender->isMissed(now))
            m_link.alarm(asker, "contents", now, out);
    }
    renewLease(now, out);
    for (auto& [bucket, next] : m_asked) {
        if (next <= now) {
            next = now + 100ms;
            out.send(m_parts.context.coordinator).mutable_where_is()->set_bucket(bucket.value);
        }
    }
    for (const auto& [bucket, held] : m_parked) {
        if (m_asked.emplace(bucket, now + 100ms).second)
            out.send(m_parts.context.coordinator).mutable_where_is()->set_bucket(bucket.value);
    }
    askForScans(now, out);
    if (now > ResultTable::kClientSilence)
        m_results.expire(now - ResultTable::kClientSilence);
}

void DataBucket::askForScans(Time now, Effects& out)
{
    for (const BucketNumber bucket : m_scans.wanted()) {
        if (m_asked.emplace(bucket, now + 100ms).second)
            out.send(m_parts.context.coordinator).mutable_where_is()->set_bucket(bucket.value);
    }
}

Time DataBucket::deadline() const
{
    Time earliest = m_link.deadline();
    for (const auto& [bucket, next] : m_asked)
        earliest = std::min(earliest, next);
    if (m_config.recovery() != pb::RECOVERY_OFF && m_state != pb::RECOVERING)
        earliest = std::min({ earliest, m_lease.deadline(), m_grants.deadline() });
    return earliest;
}

void DataBucket::check() const
{
    LHRS_CHECK(m_store.count() + m_store.freeRanks().size() <= m_store.rankMax().value);
    LHRS_CHECK(m_link.heldByAll() <= m_link.sequence());
    LHRS_CHECK(m_state != pb::SPLITTING || m_source);
    LHRS_CHECK(m_state != pb::MERGING || m_source || m_merge);
}

} // namespace lhrs
