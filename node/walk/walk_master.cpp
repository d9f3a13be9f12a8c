// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/walk/walk_master.h"

#include "common/failpoints.h"
#include "common/ip.h"
#include "node/machine/node_context.h"
#include "node/machine/transfer/message_bounds.h"
#include "node/walk/walk_change.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr std::uint32_t kSilentAfter = 3; // number of missed Alive messages after which a process counts as silent
constexpr std::uint32_t kForgetAfter = 20; // and the number after which a silent process outside the ring is forgotten

// The name whose hash is a node's id. A simulated process has no port, but it has a name of its own.
std::string ringName(const pb::ProcessInfo& process)
{
    if (process.is_simulated())
        return process.name();
    return udpText(process.address());
}

} // namespace

WalkMaster::WalkMaster(WalkMasterOptions options)
    : m_self(std::move(options.self)), m_ids(options.bits), m_bits(options.bits), m_nodes(options.nodes),
      m_timers(options.timers), m_acks(options.timers)
{
}

// ---- which processes are there

WalkMaster::Known& WalkMaster::learn(const pb::ProcessInfo& process, Time now)
{
    const auto [known, isNew] = m_processes.learn(process, now);
    if (isNew && process.kind() == pb::NODE && m_joinedByThemselves < m_nodes) {
        ++m_joinedByThemselves;
        m_wanted.push_back({ false, NodeId(process.node()), 0 });
    }
    return known;
}

void WalkMaster::onRegister(const pb::Message& message, Time now, Effects& out)
{
    welcome(learn(message.register_().process(), now), message.id(), out);
}

void WalkMaster::onAlive(const pb::Message& message, Time now, Effects& out)
{
    const pb::Alive& alive = message.alive();
    Known& known = learn(alive.process(), now);
    const NodeId node(alive.process().node());
    known.isSilent = false;
    if (m_lost.erase(node) > 0)
        *out.event().mutable_walk()->mutable_ring_node_back()->mutable_node() = asRingNode(known.info);
    if (known.info.kind() == pb::CLIENT && alive.number() != std::uint32_t(m_lastChange) && !m_change)
        welcome(known, 0, out); // it has not heard of the last change
    // The node still takes part in a change that is over: the master stopped resending to it while it was silent.
    const bool isStuck = known.info.kind() == pb::NODE && alive.number() != 0
        && (!m_change || m_change->number != alive.number());
    const auto isSaid = [node](const AckList::Entry& entry) {
        return entry.node == node && entry.message.walk().has_over();
    };
    if (isStuck && !m_acks.any(isSaid))
        sayOver(alive.number(), asRingNode(known.info), now, out);
}

void WalkMaster::onWhoIsIn(const pb::Message& message, Effects& out)
{
    if (const Known* known = m_processes.find(NodeId(message.sender())))
        welcome(*known, message.id(), out);
}

void WalkMaster::welcome(const Known& known, std::uint64_t answers, Effects& out) const
{
    pb::Message& message = out.send(Address::from(known.info.address()), Way::Auto, 0, NodeId(known.info.node()));
    message.set_answers(answers);
    pb::WalkWelcome& welcome = *message.mutable_walk()->mutable_welcome();
    welcome.mutable_config()->set_bits(m_bits);
    *welcome.mutable_timers() = m_acks.timers();
    if (known.info.kind() != pb::CLIENT)
        return;
    welcome.set_ordinal(known.ordinal);
    welcome.set_change(m_change ? m_change->number - 1 : m_lastChange);
    for (const auto& [id, node] : m_ring)
        *welcome.add_ring() = node;
}

void WalkMaster::welcomeAll(Effects& out) const
{
    for (const auto& [node, known] : m_processes)
        welcome(known, 0, out);
}

void WalkMaster::lookAtSilence(Time now, Effects& out)
{
    const Time alive = std::chrono::milliseconds(m_acks.timers().alive_ms());
    // If this process was stopped for a while, it could receive nothing, so the silence of others means nothing.
    if (const Time slept = now - m_nextLook; slept >= alive)
        m_processes.excuse(slept);
    m_nextLook = now + alive;
    for (auto& [node, known] : m_processes) {
        if (known.isSilent || now - known.heard < kSilentAfter * alive)
            continue;
        known.isSilent = true;
        const bool isToAnswer = m_change && m_change->isDecided && m_change->receiver().node() == node.value;
        if (isIn(node) || isToAnswer)
            lose(known, out);
    }
    if (m_change && !m_change->isStopped && m_change->phase != Phase::Linking) {
        const Known* receiver = m_processes.find(NodeId(m_change->receiver().node()));
        if (!receiver || receiver->isSilent)
            stop(now, out);
    }
    const NodeId joins(m_change && !m_change->isLeave ? m_change->node.node() : 0);
    m_processes.eraseIf([&](NodeId node, const Known& known) {
        if (now - known.heard < kForgetAfter * alive || isIn(node) || node == joins)
            return false;
        m_acks.forgetIf([node](const AckList::Entry& entry) { return entry.node == node; });
        return true;
    });
}

void WalkMaster::lose(const Known& known, Effects& out)
{
    if (!m_lost.insert(NodeId(known.info.node())).second)
        return;
    const pb::WalkNode node = asRingNode(known.info);
    auto* event = out.event().mutable_walk()->mutable_ring_node_lost();
    *event->mutable_node() = node;
    event->set_from(before(RingId(node.id())).id());
}

pb::WalkNode WalkMaster::asRingNode(const pb::ProcessInfo& process) const
{
    pb::WalkNode node;
    node.set_node(process.node());
    node.set_id(m_ids.idOf(ringName(process)).value);
    *node.mutable_address() = process.address();
    return node;
}

// ---- changes of the ring

bool WalkMaster::isIn(NodeId node) const
{
    return std::any_of(
        m_ring.begin(), m_ring.end(), [node](const auto& item) { return item.second.node() == node.value; });
}

bool WalkMaster::isWanted(NodeId node) const
{
    return std::any_of(m_wanted.begin(), m_wanted.end(),
        [node](const Wanted& wanted) { return !wanted.isLeave && wanted.node == node; });
}

std::string WalkMaster::nameOf(NodeId node) const
{
    const Known* known = m_processes.find(node);
    return known && !known->info.name().empty() ? known->info.name() : "process " + std::to_string(node.value);
}

const pb::WalkNode& WalkMaster::atOrAfter(RingId id) const
{
    const auto found = m_ring.lower_bound(id);
    return found == m_ring.end() ? m_ring.begin()->second : found->second;
}

const pb::WalkNode& WalkMaster::before(RingId id) const
{
    const auto found = m_ring.lower_bound(id);
    return found == m_ring.begin() ? m_ring.rbegin()->second : std::prev(found)->second;
}

std::string WalkMaster::broken() const
{
    if (m_lost.empty())
        return {};
    return "the ring is broken at " + nameOf(*m_lost.begin())
        + ", which is silent: its keys cannot be reached, and they are lost if it has ended";
}

std::string WalkMaster::underWay() const
{
    std::string words;
    if (m_change)
        words = nameOf(NodeId(m_change->node.node())) + (m_change->isLeave ? " leaves" : " joins");
    if (!m_wanted.empty())
        words += (words.empty() ? "" : ", ") + std::to_string(m_wanted.size())
            + (m_wanted.size() == 1 ? " change waits" : " changes wait");
    if (words.empty() && m_joinedByThemselves < m_nodes)
        words = "the ring waits for " + std::to_string(m_nodes - m_joinedByThemselves) + " more nodes";
    return words;
}

std::string WalkMaster::refusal(Wanted& wanted) const
{
    if (const std::string words = broken(); !words.empty())
        return words;
    if (wanted.isLeave) {
        if (!isIn(wanted.node))
            return nameOf(wanted.node) + " is not in the ring";
        return m_ring.size() == 1 ? "the last node of a ring cannot leave it" : "";
    }
    if (wanted.node.value == 0) {
        for (const auto& [node, known] : m_processes)
            if (known.info.kind() == pb::NODE && !known.isSilent && !isIn(node) && !isWanted(node)) {
                wanted.node = node;
                break;
            }
        if (wanted.node.value == 0)
            return "no node waits outside the ring";
    }
    const Known* known = m_processes.find(wanted.node);
    if (!known || known->info.kind() != pb::NODE)
        return "there is no such node";
    if (isIn(wanted.node))
        return nameOf(wanted.node) + " is in the ring already";
    if (known->isSilent)
        return nameOf(wanted.node) + " is silent";
    const RingId id = m_ids.idOf(ringName(known->info));
    if (const auto other = m_ring.find(id); other != m_ring.end())
        return "the id " + std::to_string(id.value) + " is taken by " + nameOf(NodeId(other->second.node()));
    return {};
}

void WalkMaster::startNext(Time now, Effects& out)
{
    while (!m_change && !m_wanted.empty()) {
        Wanted wanted = m_wanted.front();
        m_wanted.pop_front();
        if (const std::string words = refusal(wanted); words.empty())
            start(wanted, now, out);
        else if (wanted.ticket != 0)
            out.refuse(wanted.ticket, pb::REFUSED, words);
        else
            out.event().mutable_walk()->mutable_change_undone()->set_reason(words); // a change not begun has no number
    }
}

void WalkMaster::start(const Wanted& wanted, Time now, Effects& out)
{
    Change& change = m_change.emplace();
    change.number = ++m_lastChange;
    change.isLeave = wanted.isLeave;
    change.ticket = wanted.ticket;
    change.node = asRingNode(m_processes.find(wanted.node)->info);
    if (m_ring.empty()) {
        change.predecessor = change.successor = change.node;
        admit(now, out);
        return;
    }
    const RingId id(change.node.id());
    change.predecessor = before(id);
    change.successor = wanted.isLeave ? atOrAfter(m_ids.wrap(id.value + 1)) : atOrAfter(id);
    const auto tell = [&change](auto& event) {
        event.set_change(change.number);
        *event.mutable_node() = change.node;
        event.set_from(change.predecessor.id());
        *event.mutable_successor() = change.successor;
    };
    if (wanted.isLeave) {
        tell(*out.event().mutable_walk()->mutable_leave_ordered());
        give(now, out);
    } else {
        tell(*out.event().mutable_walk()->mutable_join_ordered());
        admit(now, out);
    }
}

std::uint64_t WalkMaster::order(pb::Message message, const pb::WalkNode& to, Time now, Effects& out)
{
    return m_acks.send(std::move(message), Address::from(to.address()), NodeId(to.node()), Way::Auto,
        AckList::Patience::KeepTrying, WalkPlain, now, out);
}

void WalkMaster::admit(Time now, Effects& out)
{
    pb::Message message;
    pb::WalkAdmit& admit = *message.mutable_walk()->mutable_admit();
    admit.set_change(m_change->number);
    admit.set_node(m_change->node.node());
    admit.set_id(m_change->node.id());
    admit.set_from(m_change->predecessor.id());
    *admit.mutable_successor() = m_change->successor;
    m_change->phase = Phase::Admitting;
    m_change->waitsFor = order(std::move(message), m_change->node, now, out);
}

void WalkMaster::give(Time now, Effects& out)
{
    pb::Message message;
    pb::WalkGive& give = *message.mutable_walk()->mutable_give();
    give.set_change(m_change->number);
    give.set_node(m_change->giver().node());
    give.set_from(m_change->predecessor.id());
    give.set_to(m_change->node.id());
    *give.mutable_receiver() = m_change->receiver();
    give.set_is_leave(m_change->isLeave);
    m_change->phase = Phase::Giving;
    m_change->waitsFor = order(std::move(message), m_change->giver(), now, out);
    if (LHRS_MUTANT(WalkLinkFirst))
        link(now, out);
}

void WalkMaster::link(Time now, Effects& out)
{
    pb::Message message;
    pb::WalkLink& link = *message.mutable_walk()->mutable_link();
    link.set_change(m_change->number);
    link.set_node(m_change->predecessor.node());
    *link.mutable_successor() = m_change->receiver();
    const std::uint64_t id = order(std::move(message), m_change->predecessor, now, out);
    if (m_change->phase == Phase::Linking)
        m_change->waitsFor = id;
}

void WalkMaster::stop(Time now, Effects& out)
{
    m_change->isStopped = true;
    m_acks.forget(m_change->waitsFor);
    if (m_change->phase == Phase::Admitting) { // no other process knows of it
        end(nameOf(NodeId(m_change->node.node())) + " is silent", now, out);
        return;
    }
    pb::Message message;
    message.mutable_walk()->mutable_stop()->set_change(m_change->number);
    message.mutable_walk()->mutable_stop()->set_node(m_change->giver().node());
    m_change->waitsFor = order(std::move(message), m_change->giver(), now, out);
}

void WalkMaster::onAcknowledged(std::uint64_t id, Time now, Effects& out)
{
    const auto entry = m_acks.acknowledge(id, now);
    if (!entry || !m_change || m_change->waitsFor != id)
        return;
    m_change->waitsFor = 0;
    if (m_change->phase == Phase::Linking) {
        end({}, now, out);
    } else if (m_change->phase == Phase::Admitting && m_change->giver().node() == m_change->node.node()) {
        m_ring[RingId(m_change->node.id())] = m_change->node; // the first node
        auto* event = out.event().mutable_walk()->mutable_ring_begun();
        event->set_bits(m_bits);
        *event->mutable_node() = m_change->node;
        end({}, now, out);
    } else if (m_change->phase == Phase::Admitting) {
        give(now, out);
    } else if (entry->message.walk().has_stop()) {
        m_change->isDecided = true; // it can only be finished
        const Known* receiver = m_processes.find(NodeId(m_change->receiver().node()));
        if (receiver && receiver->isSilent)
            lose(*receiver, out);
    }
}

void WalkMaster::onGiven(const pb::Message& message, Time now, Effects& out)
{
    pb::Message& ack = out.send(Address::from(message.from()), Way::Auto, 0, NodeId(message.sender()));
    ack.set_answers(message.id());
    ack.mutable_ack();
    const pb::WalkGiven& given = message.walk().given();
    if (!m_change || given.change() != m_change->number || m_change->phase != Phase::Giving)
        return; // a late copy
    m_acks.forget(m_change->waitsFor);
    m_change->keys = given.keys();
    if (m_change->isLeave)
        m_ring.erase(RingId(m_change->node.id()));
    else
        m_ring[RingId(m_change->node.id())] = m_change->node;
    m_change->phase = Phase::Linking;
    link(now, out);
}

void WalkMaster::onUndone(const pb::Message& message, Time now, Effects& out)
{
    const pb::WalkUndone& undone = message.walk().undone();
    if (m_change && undone.change() == m_change->number && m_change->phase == Phase::Giving && !m_change->isDecided)
        end(undone.reason(), now, out);
}

void WalkMaster::sayOver(std::uint64_t change, const pb::WalkNode& node, Time now, Effects& out)
{
    pb::Message message;
    pb::WalkOver& over = *message.mutable_walk()->mutable_over();
    over.set_change(change);
    over.set_node(node.node());
    over.set_is_in(isIn(NodeId(node.node())));
    order(std::move(message), node, now, out);
}

void WalkMaster::end(const std::string& undoneBecause, Time now, Effects& out)
{
    const Change change = *m_change;
    m_acks.forget(change.waitsFor);
    m_change.reset();
    const bool isFirst = change.giver().node() == change.receiver().node();
    if (!undoneBecause.empty()) {
        ++m_undone;
        auto* event = out.event().mutable_walk()->mutable_change_undone();
        event->set_change(change.number);
        event->set_reason(undoneBecause);
    } else if (change.isLeave) {
        auto* event = out.event().mutable_walk()->mutable_node_left();
        event->set_change(change.number);
        *event->mutable_node() = change.node;
        event->set_keys(change.keys);
        m_lost.erase(NodeId(change.node.node()));
    } else if (!isFirst) {
        auto* event = out.event().mutable_walk()->mutable_node_joined();
        event->set_change(change.number);
        *event->mutable_node() = change.node;
        event->set_from(change.predecessor.id());
        event->set_keys(change.keys);
    }
    sayOver(change.number, change.receiver(), now, out);
    if (!isFirst)
        sayOver(change.number, change.giver(), now, out);
    if (change.ticket != 0) {
        auto* result = out.reply(change.ticket).mutable_walk()->mutable_change();
        result->set_change(change.number);
        *result->mutable_node() = change.node;
        result->set_keys(change.keys);
        result->set_undone(undoneBecause);
    }
    for (const auto& [node, known] : m_processes)
        if (known.info.kind() == pb::CLIENT)
            welcome(known, 0, out);
}

// ---- messages and time

void WalkMaster::onMessage(const pb::Message& message, Time now, Effects& out)
{
    if (!hasSoundEntry(message)) {
        tellDropped(message, out.event());
        return;
    }
    if (const pb::ProcessInfo* process = introducedIn(message); process && !m_processes.hasRoomFor(*process)) {
        turnAway(message, out);
        return;
    }
    if (message.walk().has_undone())
        // Handled before the acknowledgement that the message carries, which would mean that the giver has decided.
        onUndone(message, now, out);
    if (message.answers() != 0)
        onAcknowledged(message.answers(), now, out);
    if (message.has_register_())
        onRegister(message, now, out);
    else if (message.has_alive())
        onAlive(message, now, out);
    using B = pb::WalkMessage;
    switch (message.walk().body_case()) {
    case B::kWhoIsIn: onWhoIsIn(message, out); break;
    case B::kGiven: onGiven(message, now, out); break;
    case B::kUndone:
        break; // handled above

    // Not for the master.
    case B::kQuery:
    case B::kAnswer:
    case B::kAstray:
    case B::kWelcome:
    case B::kAdmit:
    case B::kGive:
    case B::kKeys:
    case B::kYours:
    case B::kLink:
    case B::kOver:
    case B::kStop:
    case B::BODY_NOT_SET: break;
    }
    startNext(now, out);
    answerWaiters(now, out);
}

void WalkMaster::onTime(Time now, Effects& out)
{
    if (!m_isStarted) {
        m_isStarted = true;
        *out.event().mutable_process_started()->mutable_process() = m_self;
        m_nextLook = now;
    }
    m_acks.onTime(now, out, [](const AckList::Entry&) {});
    if (m_nextLook <= now)
        lookAtSilence(now, out);
    startNext(now, out);
    answerWaiters(now, out);
}

Time WalkMaster::deadline() const
{
    if (!m_isStarted)
        return Time();
    return std::min({ m_acks.deadline(), m_nextLook, m_waiters.deadline() });
}

} // namespace lhrs
