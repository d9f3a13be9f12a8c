// SPDX-License-Identifier: GPL-3.0-or-later
// The commands to a client of the ring: single operations, look-ups, workloads and holds.
#include "node/walk/walk_client.h"

#include <algorithm>

namespace lhrs {

namespace {

void refuse(const pb::Command& command, pb::Refusal refusal, const std::string& text, Effects& out)
{
    pb::CommandReply& reply = out.reply(command.ticket());
    reply.set_refusal(refusal);
    reply.set_text(text);
}

} // namespace

void WalkClient::feedWorkload(Time now, Effects& out)
{
    if (m_isFeeding || !m_workload || !m_isRegistered)
        return; // the keys of a workload depend on this client's ordinal
    m_isFeeding = true; // an operation that ends at once must not feed recursively
    const Time held = m_hold.sum(now) - m_heldBefore;
    while (!m_hold.isOn() && m_workload->wantsMore(now, held)) {
        const Time due = m_workload->isOpenLoop() ? m_workload->due(held) : now;
        const auto step = m_workload->next(m_ledger, m_nextKey);
        if (!step) {
            m_workload->endEarly();
            break;
        }
        m_workload->begun(now - due);
        Operation& op = create(step->kind, step->key, now);
        op.counted = due;
        if (step->kind == pb::INSERT || step->kind == pb::UPDATE) {
            makeValue(m_context.self.node(), op.key, op.id.number(), m_workload->order().length(), op.value);
            op.isGenerated = true;
        }
        begin(op, now, out);
    }
    m_isFeeding = false;
    if (m_workload->isOver()) {
        reportWorkload(*out.reply(m_workload->ticket()).mutable_workload(), now);
        m_workload.reset();
    }
}

void WalkClient::reportWorkload(pb::WorkloadResult& out, Time now) const
{
    if (!m_workload)
        return;
    const Time held = m_hold.sum(now) - m_heldBefore;
    m_workload->report(out, now - held, {});
    out.set_held_ns(held.count());
}

void WalkClient::operate(const pb::Command& command, Time now, Effects& out)
{
    const pb::Operate& order = command.operate();
    const bool isKind = order.kind() >= pb::INSERT && order.kind() <= pb::SEARCH;
    if (!isKind || order.value().size() > kValueMost || order.length() > kValueMost) {
        auto* answer = out.reply(command.ticket()).mutable_operation();
        answer->set_key(order.key());
        answer->set_result(pb::INVALID); // nothing was sent
        answer->set_text(isKind ? "value: 65,535 bytes at most" : "kind: insert, update, delete or search is wanted");
        return;
    }
    Operation& op = create(order.kind(), Key(order.key()), now);
    op.ticket = command.ticket();
    op.isGenerated = order.generate_value();
    if (order.kind() == pb::INSERT || order.kind() == pb::UPDATE)
        op.value
            = op.isGenerated ? makeValue(m_context.self.node(), op.key, op.id.number(), order.length()) : order.value();
    if (order.kind() == pb::INSERT && order.key() >= m_nextKey && order.key() - m_nextKey < (std::uint64_t(1) << 31))
        m_nextKey = order.key() + 1; // so that "next" stays unused
    begin(op, now, out);
}

void WalkClient::lookUp(const pb::Command& command, Time now, Effects& out)
{
    const pb::LookUp& order = command.walk().look_up();
    const auto isVia = [&order](const pb::WalkNode& node) { return node.node() == order.via(); };
    if (order.via() != 0 && std::none_of(m_entries.begin(), m_entries.end(), isVia)) {
        refuse(command, pb::BAD_ARGUMENT, "via: no node of the ring, as this client knows it", out);
        return;
    }
    Operation& op = create(pb::SEARCH, Key(order.key()), now);
    op.ticket = command.ticket();
    op.isLookUp = true;
    op.via = NodeId(order.via());
    begin(op, now, out);
}

void WalkClient::runWorkload(const pb::Command& command, const pb::RunWorkload& order, Time now, Effects& out)
{
    const char* words = whatIsWrong(order);
    if (m_workload)
        refuse(command, pb::REFUSED, "a workload is running; stop it or wait for its end", out);
    else if (!m_isRegistered)
        refuse(command, pb::REFUSED, "the master has not answered yet", out);
    else if (words != nullptr)
        refuse(command, pb::BAD_ARGUMENT, words, out);
    else if (order.without_acknowledgement())
        refuse(command, pb::BAD_ARGUMENT, "without_acknowledgement: a ring answers every query", out);
    else if (order.batch() > 1 && order.rate() > 0)
        refuse(command, pb::BAD_ARGUMENT, "batch: with a rate, no operation waits for others", out);
    else
        m_workload = std::make_unique<Workload>(order, command.ticket(), now);
    m_heldBefore = m_workload && m_workload->ticket() == command.ticket() ? m_hold.sum(now) : m_heldBefore;
    feedWorkload(now, out);
}

void WalkClient::verify(const pb::Command& command, Time now, Effects& out)
{
    if (command.verify().only_bucket()) {
        refuse(command, pb::BAD_ARGUMENT, "only_bucket: a ring has no buckets", out);
        return;
    }
    pb::RunWorkload order;
    order.set_kind(pb::SEARCH);
    order.set_keys(pb::LISTED);
    order.set_window(std::max(1u, command.verify().window()));
    for (const Key key : m_ledger.keys())
        order.add_key_list(key.value);
    order.set_count(std::uint64_t(order.key_list_size()));
    runWorkload(command, order, now, out);
}

void WalkClient::holdWorkload(const pb::Command& command, Time now, Effects& out)
{
    if (!command.hold_workload().is_held()) {
        if (m_hold.isOn())
            endHold("released", now, out);
    } else if (m_hold.hold(command.hold_workload().lease_ms(), now)) {
        auto* event = out.event().mutable_workload_held();
        event->set_is_held(true);
        event->set_reason("somebody holds the workload");
    }
    describe(*out.reply(command.ticket()).mutable_client());
}

void WalkClient::endHold(const std::string& reason, Time now, Effects& out)
{
    out.event().mutable_workload_held()->set_reason(reason);
    for (const pb::Command& command : m_hold.end(now))
        onCommand(command, now, out);
    feedWorkload(now, out);
}

void WalkClient::onCommand(const pb::Command& command, Time now, Effects& out)
{
    if (m_hold.isOn() && (command.has_operate() || command.walk().has_look_up())) {
        if (!m_hold.keep(command))
            refuse(command, pb::REFUSED, "the workload is held and too many commands wait already; end the hold", out);
        return;
    }
    using W = pb::WalkCommand;
    switch (command.walk().body_case()) {
    case W::kLookUp: lookUp(command, now, out); return;
    case W::kDescribeRing:
    case W::kJoinRing:
    case W::kLeaveRing: refuse(command, pb::WRONG_PROCESS, "the master knows the ring; ask it", out); return;
    case W::BODY_NOT_SET: break;
    }
    if (command.has_operate()) {
        operate(command, now, out);
    } else if (command.has_run_workload()) {
        runWorkload(command, command.run_workload(), now, out);
    } else if (command.has_verify()) {
        verify(command, now, out);
    } else if (command.has_stop_workload()) {
        if (m_workload)
            m_workload->stop();
        describe(*out.reply(command.ticket()).mutable_client());
        feedWorkload(now, out);
    } else if (command.has_workload_progress()) {
        reportWorkload(*out.reply(command.ticket()).mutable_workload(), now);
    } else if (command.has_hold_workload()) {
        holdWorkload(command, now, out);
    } else if (command.has_describe_client()) {
        describe(*out.reply(command.ticket()).mutable_client());
    } else {
        refuse(command, pb::WRONG_PROCESS, "a client of a ring does not do that; ask the master or a node", out);
    }
}

void WalkClient::describe(pb::ClientDescription& out) const
{
    out.set_operations(m_done);
    out.set_forwards(m_steps);
    out.set_resends(m_resends);
    out.set_keys_known(m_ledger.keys().size());
    out.set_next_key(m_nextKey);
    out.set_under_way(m_operations.size());
    out.set_is_held(m_hold.isOn());
    out.set_waiting(m_hold.waiting());
}

} // namespace lhrs
