// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/machine/effects.h"

#include "common/protobuf_arena.h"
#include "common/wire.h"
#include "node/machine/arena_block.h"

namespace lhrs {

namespace {

constexpr std::size_t kBlock = std::size_t(16) << 10;

} // namespace

Effects::OwnArena::OwnArena() : block(new char[kBlock]), arena(arenaIn(block.get(), kBlock)) { }

Effects::Effects() : m_ownArena(std::make_unique<OwnArena>()), m_arena(m_ownArena->arena) { }

Address Address::from(const pb::Address& a)
{
    return { Ip::from(a), std::uint16_t(a.udp_port()), std::uint16_t(a.tcp_port()) };
}

void Address::to(pb::Address& out) const
{
    ip.to(out);
    out.set_udp_port(udpPort);
    out.set_tcp_port(tcpPort);
}

void Effects::clear()
{
    if (m_strings != nullptr) {
        for (const Send& send : m_sends)
            takeBackValue(*send.message, *m_strings);
    }
    m_sends.clear();
    m_multicasts.clear();
    m_events.clear();
    m_replies.clear();
    m_leave = pb::NO_ROLE;
    m_join = pb::NO_ROLE;
    m_operation = nullptr;
    m_changes = nullptr;
    m_place.Clear();
    m_preparation = {};
    m_moreFollow = false;
    m_arrived = nullptr;
    if (m_ownArena)
        m_ownArena->arena.Reset();
}

void Effects::begin(const pb::Message* cause)
{
    m_operation = nullptr;
    m_causeProcess = cause ? cause->sender() : 0;
    m_causeSequence = cause ? cause->cause() : 0;
    if (cause && cause->has_operation())
        serve(cause->operation());
}

void Effects::serve(const pb::RequestId& operation)
{
    m_operation = operation.client() != 0 ? share(operation) : nullptr;
}

pb::RequestId* Effects::share(const pb::RequestId& operation)
{
    if (m_operation != nullptr && m_operation->client() == operation.client()
        && m_operation->number() == operation.number())
        return m_operation;
    auto* const shared = createIn<pb::RequestId>(m_arena);
    shared->set_client(operation.client());
    shared->set_number(operation.number());
    return shared;
}

void Effects::at(pb::Role role, std::uint32_t number, std::uint32_t column)
{
    if (m_place.role() != role || m_place.number() != number || m_place.column() != column)
        tellGathered();
    m_place.set_role(role);
    m_place.set_number(number);
    m_place.set_column(column);
}

pb::Message& Effects::send(const Address& to, Way way, std::uint32_t tries, NodeId node)
{
    auto* message = createIn<pb::Message>(m_arena);
    if (m_operation != nullptr)
        message->unsafe_arena_set_allocated_operation(m_operation);
    m_sends.push_back({ to, way, tries, node, message, {} });
    return *message;
}

void Effects::joinBlocks()
{
    for (Send& send : m_sends)
        if (const Block block = std::exchange(send.block, nullptr))
            *blockIn(*send.message) = *block;
}

pb::Message& Effects::multicast(pb::Role pool)
{
    auto* message = createIn<pb::Message>(m_arena);
    m_multicasts.push_back({ pool, message });
    return *message;
}

pb::Event& Effects::addEvent()
{
    auto* event = createIn<pb::Event>(m_arena);
    if (m_place.role() != pb::NO_ROLE)
        *event->mutable_place() = m_place;
    m_events.push_back(event);
    return *event;
}

pb::Event& Effects::event()
{
    tellGathered();
    pb::Event& event = addEvent();
    if (m_operation != nullptr)
        event.unsafe_arena_set_allocated_operation(m_operation);
    event.set_cause_process(m_causeProcess);
    event.set_cause_sequence(m_causeSequence);
    return event;
}

// The changes have several causes and operations, so the event names none.
void Effects::tellGathered()
{
    if (m_changes != nullptr && !m_changes->isEmpty())
        m_changes->moveTo(addEvent());
}

pb::CommandReply& Effects::reply(std::uint64_t ticket)
{
    auto* reply = createIn<pb::CommandReply>(m_arena);
    reply->set_ticket(ticket);
    m_replies.push_back(reply);
    return *reply;
}

void Effects::refuse(std::uint64_t ticket, pb::Refusal refusal, const std::string& text)
{
    pb::CommandReply& refused = reply(ticket);
    refused.set_refusal(refusal);
    refused.set_text(text);
}

} // namespace lhrs
