// SPDX-License-Identifier: GPL-3.0-or-later
// What each machine shows to who watches it: messages in wait for the acknowledgement, sequences, leases.
#include "node/core/client.h"
#include "node/core/coordinator.h"
#include "node/core/event_stamp.h"
#include "node/core/node_machine.h"

namespace lhrs {

namespace {

constexpr int kAwaitedShown = 64;

struct Wait {
    std::uint64_t id = 0;
    std::string kind;
    NodeId to;
    Address address;
    Time sent {}, due {};
    std::uint32_t tries = 0, triesMax = 0;
};

void add(const Wait& wait, pb::NodeSample& out)
{
    out.set_awaited_count(out.awaited_count() + 1);
    if (out.awaited_size() >= kAwaitedShown)
        return;
    auto& shown = *out.add_awaited();
    shown.set_id(wait.id);
    shown.set_kind(wait.kind);
    shown.set_to(wait.to.value);
    wait.address.to(*shown.mutable_address());
    shown.set_sent_ns(wait.sent.count());
    shown.set_due_ns(wait.due.count());
    shown.set_tries(wait.tries);
    shown.set_tries_max(wait.triesMax);
}

void add(const AckList& acks, pb::NodeSample& out)
{
    for (const auto& [id, entry] : acks.pending()) {
        const std::uint32_t most = entry.patience == AckList::Patience::GiveUp ? acks.timers().resends_max() : 0;
        add({ id, kindOf(entry.message), entry.node, entry.to, entry.sent, entry.due, entry.tries, most }, out);
    }
}

std::string nameOf(pb::OperationKind kind)
{
    switch (static_cast<int>(kind)) {
    case pb::INSERT: return "insert";
    case pb::UPDATE: return "update";
    case pb::DELETE: return "delete";
    case pb::SEARCH: return "search";
    default: return "operation";
    }
}

} // namespace

void DataBucket::inspect(Time now, pb::NodeSample& out) const
{
    out.set_epoch(m_view.epoch());
    // To each column all that is not acknowledged goes again together: one line for the oldest.
    for (const auto& [column, known] : m_link.columns()) {
        auto& shown = *out.add_columns();
        shown.set_role(pb::PARITY);
        shown.set_index(column.value);
        shown.set_sequence(known.acknowledged);
        shown.set_waiting(std::uint32_t(m_link.sequence() - std::min(m_link.sequence(), known.acknowledged)));
        shown.set_tries(known.tries);
        shown.set_is_up(known.isUp);
        if (const auto* change = m_link.pendingChange(known.acknowledged + 1); change && known.due != Time::max())
            add({ change->sequence, "delta", known.holder.node, known.holder.address, change->sent, known.due, known.tries, 0 }, out);
    }
    if (m_config.recovery() != pb::RECOVERY_OFF && m_lease.needed() > 0) {
        out.set_grants_needed(m_lease.needed());
        out.set_grants_held(m_lease.held(now));
        out.set_lease_left_ns(std::max(Time(), m_lease.heldUntil() - now).count());
    }
    const std::uint32_t last = m_store.rankMax().value;
    out.set_rank_free(last - std::min(last, m_store.count()));
}

void ParityBucket::inspect(Time now, pb::NodeSample& out) const
{
    (void)now;
    out.set_epoch(m_view.epoch());
    for (std::size_t q = 0; q < m_positions.size(); ++q) {
        const PositionState& position = m_positions[q];
        if (position.incarnation.value == 0)
            continue;
        auto& shown = *out.add_columns();
        shown.set_role(pb::DATA);
        shown.set_index(std::uint32_t(q));
        shown.set_sequence(position.applied);
        shown.set_waiting(std::uint32_t(position.held.size()));
        shown.set_is_up(!position.hasFailed);
    }
}

void NodeMachine::inspect(Time now, pb::NodeSample& out) const
{
    add(m_context.acks, out);
    if (m_data) {
        out.set_state(m_data->state());
        out.set_incarnation(m_data->incarnation().value);
        m_data->inspect(now, out);
    } else if (m_parity) {
        out.set_state(m_parity->state());
        out.set_incarnation(m_parity->incarnation().value);
        m_parity->inspect(now, out);
    }
}

void Coordinator::inspect(Time now, pb::NodeSample& out) const
{
    (void)now;
    add(m_acks, out);
    out.set_under_way(underWay());
}

void Client::inspect(Time now, pb::NodeSample& out) const
{
    (void)now;
    add(m_context.acks, out);
    const std::uint32_t most = m_context.acks.timers().client_resends_max();
    m_operations.forEach([&](const Operation& op) {
        if (op.stage == Stage::Queued)
            return; // nothing of it is on its way
        Wait wait { op.id.number(), nameOf(op.kind), {}, {}, op.sent, op.due, op.tries, most };
        if (op.stage == Stage::Sent) {
            if (const auto known = m_context.locations.find(op.target); known != m_context.locations.end()) {
                wait.to = known->second.node;
                wait.address = known->second.address;
            }
        } else if (op.stage == Stage::Asking) {
            wait.address = m_context.coordinator;
            const auto asked = m_asked.find(op.target);
            wait.due = asked != m_asked.end() ? asked->second : op.end;
            wait.triesMax = 0;
        }
        add(wait, out);
    });
}

} // namespace lhrs
