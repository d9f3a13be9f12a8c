// SPDX-License-Identifier: GPL-3.0-or-later
// The commands to the master of a ring, and what the master reports about itself.
#include "node/walk/walk_master.h"

#include "node/machine/awaited_sample.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr int kTimeScaleMost = 100;

} // namespace

void WalkMaster::onCommand(const pb::Command& command, Time now, Effects& out)
{
    using W = pb::WalkCommand;
    switch (command.walk().body_case()) {
    case W::kDescribeRing: describe(*out.reply(command.ticket()).mutable_walk()->mutable_ring()); return;
    case W::kJoinRing: joinOrLeave(command, false, NodeId(command.walk().join_ring().node()), now, out); return;
    case W::kLeaveRing: joinOrLeave(command, true, NodeId(command.walk().leave_ring().node()), now, out); return;
    case W::kLookUp:
        out.refuse(command.ticket(), pb::WRONG_PROCESS, "no query passes the master; ask a client");
        return;
    case W::BODY_NOT_SET: break;
    }
    if (command.has_list_processes()) {
        pb::ProcessList& list = *out.reply(command.ticket()).mutable_processes();
        m_processes.list(list, now, [](const Known&, const pb::ProcessList::Entry&) {});
        *list.add_processes()->mutable_process() = m_self;
    } else if (command.has_set_time_scale()) {
        setTimeScale(command, out);
    } else if (command.has_await_rest()) {
        m_waiters.add(command, now);
        answerWaiters(now, out);
    } else if (command.has_describe_file()) {
        out.refuse(command.ticket(), pb::WRONG_PROCESS, "a ring has no file; ask for the ring");
    } else {
        out.refuse(
            command.ticket(), pb::WRONG_PROCESS, "the master of a ring does not do that; ask a node or a client");
    }
}

void WalkMaster::joinOrLeave(const pb::Command& command, bool isLeave, NodeId node, Time now, Effects& out)
{
    if (const std::string words = broken(); !words.empty()) {
        out.refuse(command.ticket(), pb::REFUSED, words);
        return;
    }
    const auto waits = std::find_if(m_wanted.begin(), m_wanted.end(),
        [node](const Wanted& wanted) { return !wanted.isLeave && wanted.node == node; });
    if (isLeave && waits != m_wanted.end() && !isIn(node)) { // the join that is waiting is dropped
        if (waits->ticket != 0)
            out.refuse(waits->ticket, pb::REFUSED, nameOf(node) + " was told to leave before it joined");
        m_wanted.erase(waits);
        out.reply(command.ticket()).mutable_walk()->mutable_change()->mutable_node()->set_node(node.value);
        return;
    }
    m_wanted.push_back({ isLeave, node, command.ticket() });
    startNext(now, out);
}

void WalkMaster::setTimeScale(const pb::Command& command, Effects& out)
{
    const double factor = command.set_time_scale().factor();
    if (!(factor >= 1 && factor <= kTimeScaleMost)) {
        out.refuse(command.ticket(), pb::BAD_ARGUMENT,
            "the factor of the time-outs must be from 1 to " + std::to_string(kTimeScaleMost));
        return;
    }
    if (!m_ring.empty() || m_change) {
        out.refuse(command.ticket(), pb::REFUSED,
            "there is a ring already, and all of its processes go by its time-outs; start a new one");
        return;
    }
    m_acks.setTimers(scaled(m_timers, factor));
    welcomeAll(out);
    *out.reply(command.ticket()).mutable_timers() = m_acks.timers();
}

void WalkMaster::describe(pb::RingDescription& out) const
{
    out.mutable_config()->set_bits(m_bits);
    for (const auto& [id, node] : m_ring)
        *out.add_ring() = node;
    for (const auto& [node, known] : m_processes)
        if (known.info.kind() == pb::NODE && !isIn(node))
            out.add_spares(node.value);
    out.set_change(m_lastChange);
    out.set_under_way(underWay());
    out.set_broken(broken());
    out.set_at_rest(isAtRest());
    for (const NodeId node : m_lost)
        out.add_lost(node.value);
    if (!m_change || m_ring.empty())
        return; // the first node has no keys to move
    pb::WalkChange& change = *out.mutable_now();
    change.set_change(m_change->number);
    change.set_is_leave(m_change->isLeave);
    *change.mutable_node() = m_change->node;
    change.set_from(m_change->predecessor.id());
    *change.mutable_successor() = m_change->successor;
}

void WalkMaster::answerWaiters(Time now, Effects& out)
{
    if (m_waiters.isEmpty())
        return;
    m_waiters.answer(
        isAtRest(), now, out, [this] { return underWay().empty() ? broken() : underWay(); },
        [this](pb::CommandReply& reply) { describe(*reply.mutable_walk()->mutable_ring()); });
}

void WalkMaster::snapshot(pb::Snapshot& out) const
{
    *out.mutable_info() = m_self;
    describe(*out.mutable_walk()->mutable_ring());
}

void WalkMaster::gauges(pb::Gauges& out) const { out.set_unacknowledged(m_acks.size()); }

void WalkMaster::inspect(Time now, pb::NodeSample& out) const
{
    (void)now;
    add(m_acks, out);
    out.set_under_way(underWay());
}

} // namespace lhrs
