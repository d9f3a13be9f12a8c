// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/machine/transfer/connection_handshake.h"

#include "common/kinds.h"
#include "node/machine/event_stamp.h"

#include <algorithm>
#include <vector>

namespace lhrs {

namespace {

constexpr std::uint32_t kAskedMax = 8; // after that, the message is given up, as when a stream cannot connect
constexpr Time kLongestPause = 500ms;

} // namespace

void ConnectionHandshake::carry(Time now, Effects& out)
{
    if (!m_isOn)
        return;
    std::vector<Effects::Send> taken;
    std::erase_if(out.sends(), [&](const Effects::Send& send) {
        if (send.way == Way::Stream)
            taken.push_back(send);
        return send.way == Way::Stream;
    });
    for (const Effects::Send& send : taken) {
        const bool isWaiting = std::any_of(m_waiting.begin(), m_waiting.end(), [&](const auto& item) {
            const Waiting& w = item.second;
            return w.to == send.to && w.message.id() == send.message->id()
                && w.message.answers() == send.message->answers();
        });
        if (isWaiting)
            continue; // the long message was resent while its receiver is still being asked
        const std::uint64_t connection = ++m_lastConnection;
        Waiting& waiting = m_waiting[connection];
        waiting = { send.to, send.node, send.tries, *send.message, send.block, 0, {} };
        ask(connection, waiting, now, out);
    }
}

void ConnectionHandshake::ask(std::uint64_t connection, Waiting& waiting, Time now, Effects& out) const
{
    out.send(waiting.to, Way::Auto, waiting.asked, waiting.node).mutable_open_connection()->set_connection(connection);
    waiting.due = now
        + std::min(
            m_context.ms(m_context.acks.timers().resend_ms()) * (1 << std::min(waiting.asked, 6u)), kLongestPause);
    ++waiting.asked;
}

void ConnectionHandshake::onOpenConnection(const pb::Message& message, Effects& out)
{
    // Our listener is always open; in SDDS-2000 the receiver would create it now.
    pb::Message& answer = out.send(Address::from(message.from()), Way::Auto, 0, NodeId(message.sender()));
    answer.mutable_connection_ready()->set_connection(message.open_connection().connection());
}

void ConnectionHandshake::onConnectionReady(const pb::Message& message, Effects& out)
{
    const auto found = m_waiting.find(message.connection_ready().connection());
    if (found == m_waiting.end() || (found->second.node.value != 0 && found->second.node != NodeId(message.sender())))
        return; // a duplicate ConnectionReady
    const Waiting& waiting = found->second;
    out.send(waiting.to, Way::OwnStream, waiting.tries, waiting.node) = waiting.message;
    out.sends().back().block = waiting.block;
    m_waiting.erase(found);
}

void ConnectionHandshake::onTime(Time now, Effects& out)
{
    for (auto it = m_waiting.begin(); it != m_waiting.end();) {
        Waiting& waiting = it->second;
        if (waiting.due > now) {
            ++it;
        } else if (waiting.asked < kAskedMax) {
            ask(it->first, waiting, now, out);
            ++it;
        } else {
            auto* event = out.event().mutable_message_given_up();
            event->set_id(waiting.message.id());
            event->set_kind(nameOf(waiting.message));
            event->set_to(waiting.node.value);
            waiting.to.to(*event->mutable_address());
            event->set_tries(waiting.asked);
            it = m_waiting.erase(it);
        }
    }
}

Time ConnectionHandshake::deadline() const
{
    Time earliest = Time::max();
    for (const auto& [connection, waiting] : m_waiting)
        earliest = std::min(earliest, waiting.due);
    return earliest;
}

} // namespace lhrs
