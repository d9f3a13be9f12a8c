// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/walk/walk_client.h"

#include "node/machine/awaited_sample.h"
#include "node/machine/transfer/message_bounds.h"
#include "node/walk/walk_change.h"

#include <algorithm>
#include <utility>

namespace lhrs {

namespace {

constexpr Time kAskEvery = 50ms;

const char* nameOf(pb::WalkOperation operation)
{
    return operation == pb::WALK_PUT ? "put" : operation == pb::WALK_DELETE ? "delete" : "get";
}

pb::WalkOperation asQuery(pb::OperationKind kind)
{
    return kind == pb::DELETE ? pb::WALK_DELETE : isMutation(kind) ? pb::WALK_PUT : pb::WALK_GET;
}

} // namespace

WalkClient::WalkClient(WalkClientOptions options)
    : ClientOf(std::move(options.self), options.master), m_numbers(options.seed)
{
}

// ---- one operation

void WalkClient::begin(Operation& op, Time now, Effects& out)
{
    if (op.isSent || !isFirstOfKey(op))
        return; // its key is in use; it begins when that operation is done
    if (m_isRegistered && !m_entries.empty())
        send(op, now, out);
    else
        ask(now, out);
}

const pb::WalkNode* WalkClient::chooseEntry(const Operation& op)
{
    if (op.via.value != 0) {
        const auto via = std::find_if(m_entries.begin(), m_entries.end(),
            [&op](const pb::WalkNode& node) { return node.node() == op.via.value; });
        return via == m_entries.end() ? nullptr : &*via;
    }
    std::size_t place = std::size_t(m_numbers.below(m_entries.size()));
    if (m_entries[place].node() == op.entry.value)
        place = (place + 1) % m_entries.size(); // another entry than that of the last copy, which brought no answer
    return &m_entries[place];
}

void WalkClient::send(Operation& op, Time now, Effects& out)
{
    out.serve(op.id);
    op.place = m_ring.idOf(op.key);
    if (!std::exchange(op.isSent, true)) {
        if (pb::Event* told = out.operationEvent()) {
            auto* event = told->mutable_operation_started();
            event->set_kind(op.kind);
            event->set_key(op.key.value);
            event->set_length(std::uint32_t(op.value.size()));
        }
    }
    op.sent = now;
    op.due = now + m_times.interval(op.tries);
    m_times.lookAt(op.due, now);
    const pb::WalkNode* entry = m_entries.empty() ? nullptr : chooseEntry(op);
    if (entry == nullptr)
        return;
    op.entry = NodeId(entry->node());
    pb::WalkQuery* query
        = out.send(Address::from(entry->address()), Way::Auto, op.tries, op.entry).mutable_walk()->mutable_query();
    query->set_operation(asQuery(op.kind));
    query->unsafe_arena_set_allocated_request(out.share(op.id));
    query->set_done_below(lowestOpen());
    query->set_key(op.key.value);
    query->set_id(op.place.value);
    if (!op.value.empty())
        out.setValue(*query->mutable_value(), op.value);
    query->unsafe_arena_set_allocated_client(m_context.self.mutable_address()); // shared: it outlives the message
    query->set_copy(op.copies++);
}

void WalkClient::onAnswer(const pb::Message& message, Time now, Effects& out)
{
    const pb::WalkAnswer& answer = message.walk().answer();
    if (answer.request().client() != m_context.self.node())
        return;
    Operation* const op = m_operations.find(answer.request().number());
    if (op == nullptr || !op->isSent || !pb::ResultCode_IsValid(answer.result()))
        return; // answered before
    if (op->tries == 0)
        m_times.measured(now - op->sent);
    finish(*op, &answer, answer.result(), now, out);
}

void WalkClient::onAstray(const pb::Message& message, Time now, Effects& out)
{
    const pb::WalkAstray& astray = message.walk().astray();
    Operation* const op = m_operations.find(astray.request().number());
    ask(now, out); // the entries are out of date
    if (op == nullptr || astray.request().client() != m_context.self.node() || astray.copy() + 1 != op->copies)
        return; // a later copy is under way
    op->due = now;
    m_times.lookAt(op->due, now);
}

void WalkClient::finish(Operation& op, const pb::WalkAnswer* answer, pb::ResultCode result, Time now, Effects& out)
{
    static const std::string kNothing;
    out.serve(op.id);
    const std::uint32_t steps = answer ? answer->steps() : 0, resends = op.copies > 1 ? op.copies - 1 : 0;
    const std::string& value = answer ? answer->value() : kNothing;
    const Workload::Result outcome = settle(op, result, value, steps, resends, now);
    const std::int64_t time = (now - op.started).count();
    const auto tell = [&](auto& told) {
        told.set_key(op.key.value);
        told.set_result(result);
        told.set_forwards(steps);
        told.set_resends(resends);
        told.set_path(steps > 0 ? pb::FORWARDED : pb::DIRECT);
        told.set_time_ns(time);
    };
    if (pb::Event* told = out.operationEvent()) {
        told->mutable_operation_done()->set_kind(op.kind);
        tell(*told->mutable_operation_done());
    }
    if (op.isLookUp) {
        auto* found = out.reply(op.ticket).mutable_walk()->mutable_looked_up();
        found->set_result(result);
        found->set_value(value);
        found->set_owner(answer ? answer->owner() : 0);
        found->set_steps(steps);
        found->set_time_ns(time);
    } else if (op.ticket != 0) {
        auto* done = out.reply(op.ticket).mutable_operation();
        *done->mutable_operation() = op.id;
        tell(*done);
        done->set_value(value);
        done->set_value_is_right(isRight(op, outcome));
    } else if (m_workload) {
        m_workload->ended(outcome);
    }
    close(op, now, out);
}

// ---- the ring

void WalkClient::ask(Time now, Effects& out)
{
    if (now < m_nextAsk)
        return;
    m_nextAsk = now + kAskEvery;
    m_times.lookAt(m_nextAsk, now);
    out.send(m_context.coordinator).mutable_walk()->mutable_who_is_in();
}

void WalkClient::onWelcome(const pb::Message& message, Time now, Effects& out)
{
    const pb::WalkWelcome& welcome = message.walk().welcome();
    const unsigned bits = welcome.config().bits();
    if (bits < IdRing::kBitsMin || bits > IdRing::kBitsMax) {
        tellDropped(message, out.event());
        return;
    }
    m_context.acks.setTimers(welcome.timers());
    if (!m_isRegistered) {
        m_ring = IdRing(bits);
        registered(welcome.ordinal());
    }
    if (welcome.change() < m_change)
        return; // a newer ring has already arrived
    m_change = welcome.change();
    m_entries.assign(welcome.ring().begin(), welcome.ring().end());
    if (m_entries.empty())
        return;
    std::vector<std::uint64_t> queued;
    m_operations.forEach([&queued](const Operation& op) {
        if (!op.isSent)
            queued.push_back(op.id.number());
    });
    for (const std::uint64_t number : queued)
        begin(m_operations.at(number), now, out);
}

// ---- messages and time

void WalkClient::onMessage(const pb::Message& message, Time now, Effects& out)
{
    if (message.answers() != 0)
        m_context.acks.acknowledge(message.answers(), now);
    using B = pb::WalkMessage;
    switch (message.walk().body_case()) {
    case B::kAnswer: onAnswer(message, now, out); break;
    case B::kAstray: onAstray(message, now, out); break;
    case B::kWelcome: onWelcome(message, now, out); break;

    // Not for a client.
    case B::kQuery:
    case B::kWhoIsIn:
    case B::kAdmit:
    case B::kGive:
    case B::kKeys:
    case B::kYours:
    case B::kGiven:
    case B::kUndone:
    case B::kLink:
    case B::kOver:
    case B::kStop:
    case B::BODY_NOT_SET: break;
    }
    feed(now, out);
}

void WalkClient::onTime(Time now, Effects& out)
{
    beat(now, out);
    if (m_times.next() <= now) {
        m_times.clear();
        std::vector<std::uint64_t> due;
        m_operations.forEach([&](const Operation& op) {
            if (op.end <= now || (op.isSent && op.due <= now))
                due.push_back(op.id.number());
        });
        for (const std::uint64_t number : due) {
            Operation& op = m_operations.at(number);
            if (op.end <= now) {
                finish(op, nullptr, isMutation(op.kind) && op.copies > 0 ? pb::UNKNOWN_OUTCOME : pb::RETRY, now, out);
                continue;
            }
            if (++op.tries > 1)
                ask(now, out); // perhaps its entries are out of date
            send(op, now, out);
        }
        if (m_entries.empty() && !m_operations.empty())
            ask(now, out);
        m_operations.forEach(
            [&](const Operation& op) { m_times.lookAt(op.isSent ? std::min(op.due, op.end) : op.end, now); });
        if (m_entries.empty() && !m_operations.empty())
            m_times.lookAt(m_nextAsk, now);
    }
    feed(now, out);
}

void WalkClient::inspect(Time now, pb::NodeSample& out) const
{
    (void)now;
    add(m_context.acks, out);
    m_operations.forEach([&](const Operation& op) {
        if (!op.isSent)
            return; // none of its requests is under way
        const auto entry = std::find_if(m_entries.begin(), m_entries.end(),
            [&op](const pb::WalkNode& node) { return node.node() == op.entry.value; });
        const Address address = entry == m_entries.end() ? Address() : Address::from(entry->address());
        add({ op.id.number(), nameOf(asQuery(op.kind)), op.entry, address, op.sent, op.due, op.tries, 0 }, out);
    });
}

} // namespace lhrs
