// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/transport/sender.h"

namespace lhrs {

namespace {

// What the stamper will still add to a message, with its length in the body: sender, from, cause.
constexpr std::size_t kStillToCome = 40;
// All of a message of single operations but its value: its longest numbers, addresses and ids.
constexpr std::size_t kBesideValue = 400;

// Whether a message surely fits a datagram, without its size being counted: of those that each operation takes.
bool isSurelyShort(const pb::Message& message)
{
    std::size_t value = 0;
    if (message.has_search())
        value = message.search().value().size();
    else if (message.has_reply())
        value = message.reply().value().size() + message.reply().text().size();
    else if (message.has_insert())
        value = message.insert().value().size();
    else if (message.has_update())
        value = message.update().value().size();
    else if (message.has_delta())
        value = message.delta().delta().size();
    else if (!message.has_delta_ack())
        return false;
    return value + kBesideValue <= kUdpMax;
}

} // namespace

void Sender::chooseWays(Effects& effects)
{
    for (Effects::Send& send : effects.sends())
        if (send.way == Way::Auto && !isSurelyShort(*send.message) && send.message->ByteSizeLong() + kStillToCome > kUdpMax)
            send.way = Way::Stream;
}

void Sender::add(Effects& effects)
{
    for (const Effects::Send& send : effects.sends()) {
        const std::size_t size = sizeInBody(*send.message);
        const bool isStream = send.way != Way::Auto || size > kUdpMax;
        const Endpoint to { send.to.ip, isStream ? send.to.tcpPort : send.to.udpPort };
        if (!mayReach(to)) {
            m_ways.counters.dropped(Drop::NotSent);
            continue;
        }
        if (isStream) {
            addStream(send, size);
            continue;
        }
        Packet& packet = packetFor(to, send.node, *send.message, size);
        appendMessage(*send.message, packet.bytes.data() + kHeaderBytes + packet.used);
        packet.used += size;
    }
    for (const Effects::Multicast& multicast : effects.multicasts()) {
        const std::size_t size = sizeInBody(*multicast.message);
        if (size > kUdpMax) {
            m_ways.counters.dropped(Drop::NotSent);
            continue;
        }
        const Endpoint group = multicastGroup(multicast.pool, m_ways.coordinatorPort);
        Packet& packet = packetFor(group, NodeId(), *multicast.message, size);
        packet.isMulticast = true;
        appendMessage(*multicast.message, packet.bytes.data() + kHeaderBytes + packet.used);
        packet.used += size;
    }
    m_ways.counters.sent(effects.sends().size() + effects.multicasts().size());
}

Result<void> Sender::flush()
{
    if (m_count == 0)
        return {};
    m_datagrams.clear();
    for (std::size_t i = 0; i < m_count; ++i) {
        Packet& packet = *m_packets[i];
        m_ways.envelope.seal(packet.bytes.data(), packet.used, packet.node);
        const std::string_view bytes { packet.bytes.data(), kEnvelopeBytes + packet.used };
        if (areFaultsArmed() && !m_ways.faults->letOut({ packet.to, packet.node, packet.isMulticast, packet.kind }, bytes))
            continue;
        m_datagrams.push_back({ packet.to, bytes });
    }
    m_count = 0;
    const std::size_t failed = m_ways.udp.send(m_datagrams);
    if (failed == 0)
        return {};
    m_ways.counters.dropped(Drop::NotSent, failed);
    for (const OutDatagram& datagram : m_datagrams)
        if (isMulticast(datagram.to) && datagram.error != 0)
            return systemError("cannot send to multicast group " + textOf(datagram.to), datagram.error);
    return {};
}

// A process on loopback talks to loopback only, whatever address a message of somebody's claims to come from.
bool Sender::mayReach(Endpoint to) const
{
    return to.port != 0 && (isLoopback(to.ip) || !isLoopback(m_ways.udp.self().ip));
}

void Sender::addStream(const Effects::Send& send, std::size_t size)
{
    if (size > kFrameMax) {
        m_ways.counters.dropped(Drop::NotSent);
        return;
    }
    std::string packet(kEnvelopeBytes + size, '\0');
    appendMessage(*send.message, packet.data() + kHeaderBytes);
    m_ways.envelope.seal(packet.data(), size, send.node);
    const Endpoint to { send.to.ip, send.to.tcpPort };
    std::size_t cutAfter = 0;
    if (areFaultsArmed()
        && !m_ways.faults->letOut({ to, send.node, false, int(send.message->body_case()) }, packet, cutAfter))
        return;
    if (!m_ways.streams.send(to, std::move(packet), cutAfter, send.way == Way::OwnStream))
        m_ways.counters.dropped(Drop::StreamQueueFull);
}

// The last open datagram to this receiver if there is room, else a new one, so that messages keep their order. A fault
// hits messages one by one, so each travels alone then.
Sender::Packet& Sender::packetFor(Endpoint to, NodeId node, const pb::Message& message, std::size_t size)
{
    const bool isAlone = areFaultsArmed();
    for (std::size_t i = m_count; i-- > 0 && !isAlone;) {
        Packet& packet = *m_packets[i];
        if (packet.to != to || packet.node != node)
            continue;
        if (packet.used + size <= (isLoopback(to.ip) ? kLoopbackMax : kUdpMax))
            return packet;
        break;
    }
    if (m_count == m_packets.size())
        m_packets.push_back(std::make_unique_for_overwrite<Packet>());
    Packet& packet = *m_packets[m_count++];
    packet.to = to;
    packet.node = node;
    packet.isMulticast = false;
    packet.kind = isAlone ? int(message.body_case()) : 0;
    packet.used = 0;
    return packet;
}

} // namespace lhrs
