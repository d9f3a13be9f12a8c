// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/machine/event_stamp.h"

#include "common/kinds.h"

namespace lhrs {

namespace {

constexpr std::size_t kGatherMax = 1'024;

} // namespace

void EventStamper::setDetail(pb::Detail detail, std::uint32_t sample)
{
    m_detail = detail;
    if (sample > 0)
        m_sample = sample;
}

void EventStamper::prepare(Effects& effects, bool tellsAll)
{
    const bool keepsAll = m_detail == pb::FULL || m_detail == pb::OPERATIONS;
    effects.tellOperations(keepsAll || tellsAll ? 1 : m_detail == pb::SAMPLED ? m_sample : 0);
    effects.gatherChanges(m_detail == pb::RECORDS ? &m_changes : nullptr);
}

bool EventStamper::isSampled(const pb::RequestId& operation) const
{
    return operation.client() != 0 && operation.number() % m_sample == 0;
}

bool EventStamper::wantsMessages(const pb::RequestId& operation) const
{
    return m_detail == pb::FULL || (m_detail == pb::SAMPLED && isSampled(operation));
}

bool EventStamper::isWanted(const pb::Event& event) const
{
    if (m_detail == pb::FULL)
        return true;
    switch (int(keepOf(event))) {
    case pb::KEEP_OPERATION:
        return m_detail == pb::OPERATIONS || (m_detail == pb::SAMPLED && isSampled(event.operation()));
    case pb::KEEP_CHANGE:
        return m_detail == pb::OPERATIONS || m_detail == pb::RECORDS
            || (m_detail == pb::SAMPLED && isSampled(event.operation()));
    case pb::KEEP_MESSAGE: return wantsMessages(event.operation());
    default: break;
    }
    return true;
}

void EventStamper::received(
    const pb::Message& message, std::uint32_t bytes, pb::Transport transport, Effects& effects) const
{
    if (!wantsMessages(message.operation()))
        return;
    auto* received = effects.event().mutable_message_received();
    received->set_id(message.id());
    received->set_kind(nameOf(message));
    received->set_from(message.sender());
    received->set_bytes(bytes);
    received->set_transport(transport);
}

// Emitting a few at a time would cost as much as one event each, and watchers do not notice a delay of a few
// milliseconds.
void EventStamper::endGathering(Effects& effects, Time now, bool isLast)
{
    if (isLast || m_changes.size() >= kGatherMax || now >= gatheredAt())
        effects.tellGathered();
    if (m_changes.isEmpty())
        m_gatheredSince = now; // or later: every change still to come is at least this recent
}

void EventStamper::stamp(Effects& effects, Time now, std::int64_t wall, Time step)
{
    for (const Effects::Send& send : effects.sends()) {
        if (send.message->id() == 0)
            send.message->set_id(kUnacknowledged | ++m_messages);
        if (!wantsMessages(send.message->operation()))
            continue;
        pb::Event& event = effects.event();
        event.clear_operation();
        if (send.message->has_operation())
            *event.mutable_operation() = send.message->operation();
        auto* sent = event.mutable_message_sent();
        sent->set_id(send.message->id());
        sent->set_kind(nameOf(*send.message));
        sent->set_to(send.node.value);
        send.to.to(*sent->mutable_address());
        sent->set_bytes(std::uint32_t(send.message->ByteSizeLong() + (send.block ? send.block->size() : 0)));
        sent->set_transport(send.way != Way::Auto ? pb::STREAM : pb::UDP);
        sent->set_tries(send.tries);
    }
    auto& events = effects.events();
    std::size_t kept = 0;
    for (pb::Event* event : events) {
        if (!isWanted(*event))
            continue;
        if (event->has_gauges() && (m_detail == pb::COUNTS || m_detail == pb::SAMPLED))
            event->mutable_gauges()->set_without_changes(true);
        event->set_sequence(++m_sequence);
        event->set_time_ns(now.count());
        event->set_wall_ns(wall);
        events[kept++] = event;
    }
    events.resize(kept);
    if (kept > 0)
        events[kept - 1]->set_step_ns(std::uint32_t(step.count()));
    for (const Effects::Multicast& multicast : effects.multicasts())
        multicast.message->set_id(kUnacknowledged | ++m_messages);
    for (const Effects::Send& send : effects.sends())
        send.message->set_cause(m_sequence);
    for (const Effects::Multicast& multicast : effects.multicasts())
        multicast.message->set_cause(m_sequence);
}

void EventStamper::sign(Effects& effects) const
{
    const auto sign = [this](pb::Message& message) {
        message.set_sender(m_process.value);
        m_self.to(*message.mutable_from());
    };
    for (const Effects::Send& send : effects.sends())
        sign(*send.message);
    for (const Effects::Multicast& multicast : effects.multicasts())
        sign(*multicast.message);
}

} // namespace lhrs
