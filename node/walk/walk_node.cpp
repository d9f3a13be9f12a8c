// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/walk/walk_node.h"

#include "common/failpoints.h"
#include "node/machine/awaited_sample.h"
#include "node/machine/requests/ledger.h"
#include "node/machine/transfer/message_bounds.h"

#include <algorithm>
#include <utility>

namespace lhrs {

namespace {

constexpr int kIdsShown = 4'096; // largest number of keys listed in a snapshot and in events about a range

// Begins an unacknowledged message: to a node, or to the client of a query.
pb::WalkMessage& say(const pb::WalkNode& to, Effects& out)
{
    return *out.send(Address::from(to.address()), Way::Auto, 0, NodeId(to.node())).mutable_walk();
}
pb::WalkMessage& say(const pb::WalkQuery& to, Effects& out)
{
    return *out.send(Address::from(to.client()), Way::Auto, 0, NodeId(to.request().client())).mutable_walk();
}

bool isChange(pb::WalkOperation operation) { return operation == pb::WALK_PUT || operation == pb::WALK_DELETE; }

} // namespace

WalkNode::WalkNode(WalkNodeOptions options)
    : m_context { std::move(options.self), options.master, AckList(pb::Timers()), 0 }
{
}

pb::WalkState WalkNode::state() const
{
    if (m_giver && m_giver->isLeave())
        return pb::WALK_LEAVING;
    return m_isIn ? pb::WALK_IN : m_openChange != 0 ? pb::WALK_JOINING : pb::WALK_SPARE;
}

bool WalkNode::answersFor(RingId id) const
{
    return m_isIn && (m_ring.inRight(id, m_from, m_id) || (LHRS_MUTANT(WalkInclusiveFrom) && id == m_from));
}

// ---- queries

void WalkNode::onQuery(const pb::Message& message, Time now, Effects& out)
{
    const pb::WalkQuery& query = message.walk().query();
    const pb::RequestId& request = query.request();
    const bool isSound = isNamed(request) && query.value().size() <= kValueBytesMax
        && pb::WalkOperation_IsValid(query.operation()) && query.operation() != pb::WALK_UNKNOWN
        && m_ring.wrap(query.id()).value == query.id();
    if (!isSound) {
        tellDropped(message, out.event());
        return;
    }
    out.serve(request);
    route(query, NodeId(message.sender()), now, out);
}

void WalkNode::route(const pb::WalkQuery& query, NodeId from, Time now, Effects& out)
{
    const RingId id(query.id());
    if (m_taker && m_taker->isComplete() && m_taker->contains(id)) {
        hold(query); // the giver may have given the range away already, but its message has not arrived
    } else if (!answersFor(id)) {
        passOn(query, from, out);
    } else if (m_giver && m_giver->holdsChanges() && m_giver->contains(id) && isChange(query.operation())
        && !LHRS_MUTANT(WalkChangesWhileGiven)) {
        hold(query); // the receiver may have all keys as they are now
    } else {
        serve(query, now, out);
    }
}

void WalkNode::hold(const pb::WalkQuery& query)
{
    if (m_held.size() >= m_context.acks.timers().held_max())
        return; // the client will resend it
    m_held.push_back(query);
    m_heldMost = std::max(m_heldMost, m_held.size());
}

void WalkNode::releaseHeld(Time now, Effects& out)
{
    for (const pb::WalkQuery& query : std::exchange(m_held, {})) {
        out.serve(query.request());
        route(query, NodeId(), now, out);
    }
    out.serve({});
}

void WalkNode::passOn(const pb::WalkQuery& query, NodeId from, Effects& out) const
{
    const bool isGiven = m_giver && m_giver->isDecided() && m_giver->contains(RingId(query.id()));
    // A query that comes from the receiver: the receiver has given that part of the range away since then, and this
    // node's Over is late.
    const bool isPassedBack = isGiven && m_giver->receiver().node() == from.value;
    const pb::WalkNode& next = isGiven && !isPassedBack ? m_giver->receiver() : m_successor;
    if (next.node() == 0 || next.node() == m_context.self.node()) { // the node is not in a ring
        auto* astray = say(query, out).mutable_astray();
        *astray->mutable_request() = query.request();
        astray->set_copy(query.copy());
        return;
    }
    if (query.steps() >= kStepsMax) {
        auto* adrift = out.event().mutable_walk()->mutable_query_adrift();
        adrift->set_key(query.key());
        adrift->set_id(query.id());
        adrift->set_steps(query.steps());
        return;
    }
    pb::WalkQuery* passed = say(next, out).mutable_query();
    passed->set_operation(query.operation());
    *passed->mutable_request() = query.request();
    passed->set_done_below(query.done_below());
    passed->set_key(query.key());
    passed->set_id(query.id());
    if (!query.value().empty())
        out.setValue(*passed->mutable_value(), query.value());
    *passed->mutable_client() = query.client();
    passed->set_steps(query.steps() + 1);
    passed->set_copy(query.copy());
    if (pb::Event* told = out.operationEvent()) {
        auto* event = told->mutable_walk()->mutable_query_passed();
        event->set_key(query.key());
        event->set_id(query.id());
        event->set_to(next.node());
        event->set_steps(query.steps() + 1);
    }
}

void WalkNode::serve(const pb::WalkQuery& query, Time now, Effects& out)
{
    if (query.id() != m_ring.idOf(Key(query.key())).value)
        return; // a wrong id: no search would look for the key here
    ++m_operations;
    if (isChange(query.operation())) {
        carryOut(query, now, out);
        return;
    }
    const std::string* value = m_store.find({ RingId(query.id()), Key(query.key()) });
    if (pb::Event* told = out.operationEvent()) {
        auto* event = told->mutable_walk()->mutable_key_read();
        event->set_key(query.key());
        event->set_id(query.id());
        event->set_is_found(value != nullptr);
    }
    answer(query, value != nullptr ? pb::OK : pb::NOT_FOUND, value, out);
}

void WalkNode::carryOut(const pb::WalkQuery& query, Time now, Effects& out)
{
    const pb::RequestId& request = query.request();
    m_results.forget(request.client(), query.done_below(), now);
    if (m_results.isBygone(request)) {
        ++m_bygone; // a late copy: the client already has its answer
        return;
    }
    if (const ResultTable::Entry* kept = m_results.find(request)) {
        answer(query, kept->result, nullptr, out);
        return;
    }
    const KeyPlace place { RingId(query.id()), Key(query.key()) };
    pb::ResultCode result = pb::OK;
    if (query.operation() == pb::WALK_PUT) {
        const bool isNewKey = m_store.put(place, query.value());
        if (pb::Event* told = out.operationEvent()) {
            auto* event = told->mutable_walk()->mutable_key_stored();
            event->set_key(query.key());
            event->set_id(query.id());
            event->set_length(std::uint32_t(query.value().size()));
            event->set_is_new(isNewKey);
        }
    } else if (m_store.remove(place)) {
        if (pb::Event* told = out.operationEvent()) {
            told->mutable_walk()->mutable_key_removed()->set_key(query.key());
            told->mutable_walk()->mutable_key_removed()->set_id(query.id());
        }
    } else {
        result = pb::NOT_FOUND;
    }
    if (m_giver)
        m_giver->changed(place);
    m_results.keep(request.client(), { request.number(), place.key, place.id.value, result }, now);
    answer(query, result, nullptr, out);
}

void WalkNode::answer(const pb::WalkQuery& query, pb::ResultCode result, const std::string* value, Effects& out) const
{
    pb::WalkAnswer* answer = say(query, out).mutable_answer();
    *answer->mutable_request() = query.request();
    answer->set_result(result);
    if (value != nullptr && !value->empty())
        out.setValue(*answer->mutable_value(), *value);
    answer->set_owner(m_context.self.node());
    answer->set_steps(query.steps());
    answer->set_copy(query.copy());
}

// ---- changes of the ring

bool WalkNode::isNew(
    std::uint64_t change, std::uint64_t newest, std::uint64_t node, const pb::Message& message, Effects& out) const
{
    if (node != m_context.self.node()) {
        auto* dropped = out.event().mutable_message_dropped();
        dropped->set_reason("an order for another process at this address");
        dropped->set_from(message.sender());
        dropped->set_count(1);
        return false;
    }
    if (change > newest)
        return true;
    NodeContext::acknowledge(message, out);
    return false;
}

void WalkNode::open(std::uint64_t change, Time now, Effects& out)
{
    close(now, out);
    m_lastChange = m_openChange = change;
}

void WalkNode::openAsGiver(std::uint64_t change, Time now, Effects& out)
{
    const bool isFirst = m_openChange != 0 && m_successor.node() == m_context.self.node();
    m_isIn = m_isIn || isFirst; // the Over of the join is late
    open(change, now, out);
}

void WalkNode::close(Time now, Effects& out)
{
    if (m_giver)
        m_giver->forget();
    m_giver.reset();
    m_taker.reset();
    m_openChange = 0;
    releaseHeld(now, out);
}

void WalkNode::refuse(const pb::Message& order, std::uint64_t change, const std::string& reason, Effects& out)
{
    m_undone = change;
    m_undoneBecause = reason;
    pb::Message& answer = out.send(Address::from(order.from()), Way::Auto, 0, NodeId(order.sender()));
    answer.set_answers(order.id());
    answer.mutable_walk()->mutable_undone()->set_change(change);
    answer.mutable_walk()->mutable_undone()->set_reason(reason);
}

void WalkNode::setSuccessor(std::uint64_t change, const pb::WalkNode& successor, Effects& out)
{
    m_lastLink = std::max(m_lastLink, change);
    m_successor = successor;
    auto* event = out.event().mutable_walk()->mutable_successor_changed();
    event->set_change(change);
    *event->mutable_successor() = successor;
    event->set_id(m_id.value);
}

void WalkNode::onAdmit(const pb::Message& message, Time now, Effects& out)
{
    const pb::WalkAdmit& order = message.walk().admit();
    if (!isNew(order.change(), m_lastChange, order.node(), message, out) || m_isIn)
        return;
    NodeContext::acknowledge(message, out);
    open(order.change(), now, out);
    m_store.clear();
    m_results = ResultTable();
    m_id = m_ring.wrap(order.id());
    m_from = m_ring.wrap(order.from());
    setSuccessor(order.change(), order.successor(), out);
    if (order.successor().node() != m_context.self.node()) // else the first node, which will own the whole ring
        m_taker.emplace(order.change(), m_from, m_id, NodeId(order.successor().node()), m_ring);
}

void WalkNode::onGive(const pb::Message& message, Time now, Effects& out)
{
    const pb::WalkGive& order = message.walk().give();
    if (order.change() == m_undone && order.node() == m_context.self.node()) {
        refuse(message, order.change(), m_undoneBecause, out); // again, because the first answer may be lost
        return;
    }
    if (!isNew(order.change(), m_lastChange, order.node(), message, out))
        return;
    openAsGiver(order.change(), now, out);
    const RingId from(order.from()), to(order.to());
    const bool isMine = m_isIn && from == m_from && to == m_ring.wrap(to.value)
        && (order.is_leave() ? to == m_id : m_ring.inOpen(to, m_from, m_id));
    if (!isMine || order.receiver().node() == m_context.self.node()) {
        refuse(message, order.change(), "the giver does not own this range", out);
        return;
    }
    NodeContext::acknowledge(message, out);
    m_giver.emplace(order, m_ring, m_context);
    m_giver->sendBlock(m_store, m_results, now, out);
}

void WalkNode::onKeys(const pb::Message& message, Time now, Effects& out)
{
    const pb::WalkKeys& keys = message.walk().keys();
    // The receiver of a leave learns of the change here first: the range ends where its own begins.
    const RingId from = m_ring.wrap(keys.from());
    if (keys.change() > m_lastChange && m_isIn && RingId(keys.to()) == m_from && from != m_from) {
        open(keys.change(), now, out);
        m_taker.emplace(keys.change(), from, m_from, NodeId(message.sender()), m_ring);
    }
    if (!m_taker || m_taker->change() != keys.change()) {
        if (keys.change() <= m_lastChange)
            NodeContext::acknowledge(message, out); // a late copy
        return;
    }
    if (!m_taker->take(keys))
        return;
    NodeContext::acknowledge(message, out);
    if (LHRS_MUTANT(WalkServesBeforeYours) && m_taker->isComplete())
        takeRange(now, out);
}

void WalkNode::onYours(const pb::Message& message, Time now, Effects& out)
{
    const std::uint64_t change = message.walk().yours().change();
    if (m_taker && m_taker->change() == change && m_taker->isComplete())
        takeRange(now, out);
    else if (change > m_lastChange)
        return; // it is for another process at this address
    NodeContext::acknowledge(message, out);
}

void WalkNode::takeRange(Time now, Effects& out)
{
    auto* event = out.event().mutable_walk()->mutable_range_taken();
    event->set_change(m_taker->change());
    event->set_from(m_taker->from().value);
    event->set_to(m_taker->to().value);
    event->set_giver(m_taker->giver().value);
    for (const auto& [place, value] : m_taker->staged().entries()) {
        if (event->ids_size() >= kIdsShown)
            break;
        event->add_ids(place.id.value);
    }
    event->set_keys(std::uint32_t(m_taker->install(m_store, m_results, now)));
    m_from = m_taker->from();
    m_isIn = true;
    m_taker.reset();
    releaseHeld(now, out);
}

void WalkNode::onAcknowledged(std::uint64_t id, Time now, Effects& out)
{
    const auto entry = m_context.acks.acknowledge(id, now);
    if (!entry || !m_giver)
        return;
    const RingId from = m_giver->from(), to = m_giver->to();
    switch (m_giver->onAcknowledged(*entry, m_store, m_results, now, out)) {
    case RangeGiver::Step::Nothing: break;
    case RangeGiver::Step::Decided: {
        std::uint32_t keys = 0;
        for (auto place = m_store.next(from, to, std::nullopt); place; place = m_store.next(from, to, place))
            ++keys;
        auto* event = out.event().mutable_walk()->mutable_keys_given();
        event->set_change(m_giver->change());
        event->set_from(from.value);
        event->set_to(to.value);
        event->set_receiver(m_giver->receiver().node());
        event->set_keys(keys);
        event->set_is_leave(m_giver->isLeave());
        if (m_giver->isLeave())
            m_isIn = false;
        else
            m_from = to;
        releaseHeld(now, out); // to the receiver, which now owns the range
        break;
    }
    case RangeGiver::Step::Given: {
        pb::Message given;
        given.mutable_walk()->mutable_given()->set_change(m_giver->change());
        given.mutable_walk()->mutable_given()->set_keys(std::uint32_t(m_store.removeRange(from, to)));
        m_results.take([this](Key key) { return m_giver->contains(m_ring.idOf(key)); },
            [](std::uint64_t, const ResultTable::Entry&) {});
        m_context.tell(std::move(given), now, out);
        break;
    }
    }
}

void WalkNode::onStop(const pb::Message& message, Time now, Effects& out)
{
    const pb::WalkStop& stop = message.walk().stop();
    const bool isKnown = stop.change() <= m_lastChange;
    if (!isKnown && !isNew(stop.change(), m_lastChange, stop.node(), message, out))
        return;
    const bool isOpen = m_giver && m_giver->change() == stop.change() && !m_giver->isDecided();
    if (!isKnown || isOpen) { // Stop came before Give, or before the decision
        if (isOpen)
            say(m_giver->receiver(), out).mutable_undone()->set_change(stop.change());
        openAsGiver(stop.change(), now, out);
        refuse(message, stop.change(), "the receiver is silent", out);
    } else if (stop.change() == m_undone) {
        refuse(message, stop.change(), m_undoneBecause, out);
    } else {
        NodeContext::acknowledge(message, out); // decided: the change will be completed
    }
}

void WalkNode::onUndone(const pb::Message& message, Time now, Effects& out)
{
    if (m_taker && m_taker->change() == message.walk().undone().change())
        close(now, out);
}

void WalkNode::onLink(const pb::Message& message, Effects& out)
{
    const pb::WalkLink& order = message.walk().link();
    if (!isNew(order.change(), m_lastLink, order.node(), message, out))
        return;
    NodeContext::acknowledge(message, out);
    setSuccessor(order.change(), order.successor(), out);
}

void WalkNode::onOver(const pb::Message& message, Time now, Effects& out)
{
    const pb::WalkOver& order = message.walk().over();
    // The change itself may be the newest one, because Over ends it; a repeated copy has no further effect.
    if (!isNew(order.change() + 1, m_lastChange, order.node(), message, out))
        return;
    NodeContext::acknowledge(message, out);
    const bool isFirst = m_openChange == order.change() && m_successor.node() == m_context.self.node();
    m_isIn = order.is_in() && (m_isIn || isFirst);
    m_lastChange = order.change();
    close(now, out);
}

void WalkNode::onWelcome(const pb::Message& message, Effects& out)
{
    const pb::WalkWelcome& welcome = message.walk().welcome();
    const unsigned bits = welcome.config().bits();
    if (bits < IdRing::kBitsMin || bits > IdRing::kBitsMax) {
        tellDropped(message, out.event());
        return;
    }
    m_context.acks.setTimers(welcome.timers());
    if (std::exchange(m_isRegistered, true))
        return;
    m_ring = IdRing(bits);
    m_store = WalkStore(m_ring);
}

// ---- messages, commands and time

void WalkNode::onMessage(const pb::Message& message, Time now, Effects& out)
{
    if (message.answers() != 0)
        onAcknowledged(message.answers(), now, out);
    if (!message.has_walk())
        return; // an acknowledgement, or not a message of this system
    if (!m_isRegistered && !message.walk().has_welcome())
        return; // the size of the ring is not known yet; the sender will try again
    using B = pb::WalkMessage;
    switch (message.walk().body_case()) {
    case B::kQuery: onQuery(message, now, out); break;
    case B::kWelcome: onWelcome(message, out); break;
    case B::kAdmit: onAdmit(message, now, out); break;
    case B::kGive: onGive(message, now, out); break;
    case B::kKeys: onKeys(message, now, out); break;
    case B::kYours: onYours(message, now, out); break;
    case B::kUndone: onUndone(message, now, out); break;
    case B::kLink: onLink(message, out); break;
    case B::kOver: onOver(message, now, out); break;
    case B::kStop: onStop(message, now, out); break;

    // Not for a node.
    case B::kAnswer:
    case B::kAstray:
    case B::kWhoIsIn:
    case B::kGiven:
    case B::BODY_NOT_SET: break;
    }
}

void WalkNode::onCommand(const pb::Command& command, Time, Effects& out)
{
    out.refuse(command.ticket(), pb::WRONG_PROCESS, "a node of a ring does not do that; ask the master or a client");
}

void WalkNode::onTime(Time now, Effects& out)
{
    if (!m_isStarted) {
        m_isStarted = true;
        m_context.enter(now, out);
        m_nextAlive = now;
    }
    m_context.acks.onTime(now, out, [](const AckList::Entry&) {});
    if (m_nextAlive > now)
        return;
    m_nextAlive = now + m_context.ms(m_context.acks.timers().alive_ms());
    m_context.sayAlive(out).set_number(std::uint32_t(m_openChange)); // so that the master repeats its Over
    if (now > ResultTable::kClientSilence)
        m_results.expire(now - ResultTable::kClientSilence);
}

Time WalkNode::deadline() const { return m_isStarted ? std::min(m_context.acks.deadline(), m_nextAlive) : Time(); }

void WalkNode::snapshot(pb::Snapshot& out) const
{
    *out.mutable_info() = m_context.self;
    pb::WalkSnapshot& shown = *out.mutable_walk();
    shown.set_id(m_id.value);
    shown.set_from(m_from.value);
    *shown.mutable_successor() = m_successor;
    shown.set_state(state());
    // Keys that were given away belong to another node already, although they are freed only when that node has
    // acknowledged them.
    const bool hasGiven = m_giver && m_giver->isDecided();
    std::size_t given = 0;
    for (const auto& [place, value] : m_store.entries()) {
        if (hasGiven && m_giver->contains(place.id))
            ++given;
        else if (shown.ids_size() < kIdsShown)
            shown.add_ids(place.id.value);
        else if (!hasGiven)
            break;
    }
    shown.set_keys(std::uint32_t(m_store.size() - given));
    if (hasGiven)
        shown.set_given(m_giver->change());
    if (!m_giver && !m_taker && m_isIn)
        shown.set_taken(m_openChange);
}

void WalkNode::gauges(pb::Gauges& out) const
{
    out.set_records(std::uint32_t(m_store.size()));
    out.set_held(std::uint32_t(m_held.size()));
    out.set_unacknowledged(m_context.acks.size());
    out.set_operations(m_operations);
    out.set_store_bytes(m_store.bytes());
}

void WalkNode::inspect(Time now, pb::NodeSample& out) const
{
    (void)now;
    add(m_context.acks, out);
    if (m_giver)
        out.set_under_way(m_giver->isDecided() ? "hands its range over" : "gives a range");
    else if (m_taker)
        out.set_under_way(m_taker->isComplete() ? "has a range and waits for the giver's word" : "takes a range");
}

} // namespace lhrs
