// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/transport/sender.h"

#include "common/kinds.h"
#include "common/wire.h"

#include <utility>

namespace lhrs {

namespace {

// What the first message of a body has in addition to the others: sender, from, and a longer length field.
constexpr std::size_t kSignature = 27;
constexpr std::size_t kSignature6 = kSignature + 13; // two fields of 9 bytes in place of one of 5
constexpr std::size_t kStamp = 2 + 20; // the length field in the body, and what the stamper will add: id and cause

constexpr std::size_t udpMaxOf(Ip self) { return self.isV6() ? kUdpMax6 : kUdpMax; }
constexpr std::size_t signatureOf(Ip self) { return self.isV6() ? kSignature6 : kSignature; }

} // namespace

void Sender::chooseWays(Effects& effects, Ip self)
{
    const std::size_t udpMax = udpMaxOf(self);
    for (Effects::Send& send : effects.sends()) {
        if (isSurelyWithin(*send.message, udpMax))
            continue; // with unknown fields it may be too long after all; then its event still says datagram
        std::string* const own = blockIn(*send.message);
        if (!send.block && own && own->size() >= kBlockApart)
            send.block = std::make_shared<const std::string>(std::exchange(*own, {}));
        else if (send.block && send.block->size() < kBlockApart)
            *own = *std::exchange(send.block, nullptr);
        if (send.way == Way::Auto && (send.block || send.message->ByteSizeLong() + signatureOf(self) + kStamp > udpMax))
            send.way = Way::Stream;
    }
}

Sender::Sender(const Ways& ways)
    : m_ways(ways), m_udpMax(udpMaxOf(ways.udp.self().ip)), m_signature(signatureOf(ways.udp.self().ip))
{
    const Endpoint udp = ways.udp.self();
    Address { udp.ip, udp.port, ways.streams.self().port }.to(m_self);
}

void Sender::add(Effects& effects)
{
    for (const Effects::Send& send : effects.sends()) {
        leaveOut(*send.message, m_self);
        const std::size_t size = sizeInBody(*send.message);
        const bool isStream = send.way != Way::Auto || size + m_signature > m_udpMax;
        const Endpoint to { send.to.ip, isStream ? send.to.tcpPort : send.to.udpPort };
        if (!mayReach(to))
            m_ways.counters.dropped(Drop::NotSent);
        else if (isStream)
            addStream(send);
        else
            addToPacket(to, send.node, *send.message, size, false);
    }
    for (const Effects::Multicast& multicast : effects.multicasts()) {
        const std::size_t size = sizeInBody(*multicast.message);
        if (size + m_signature > m_udpMax)
            m_ways.counters.dropped(Drop::NotSent);
        else
            addToPacket(multicastGroup(multicast.pool, m_ways.coordinator), NodeId(), *multicast.message, size, true);
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
        const Envelope::To to = receiverOf(packet);
        m_ways.envelope.seal(packet.bytes.data(), packet.used, to);
        const std::string_view bytes { packet.bytes.data(), kEnvelopeBytes + packet.used };
        if (areFaultsArmed()
            && !m_ways.faults->letOut({ packet.to, packet.node, packet.isMulticast, packet.kind }, bytes))
            continue;
        if (to.isByAddress && to.process.value == 0)
            m_ways.introductions->keep(packet.to, bytes);
        m_datagrams.push_back({ packet.to, bytes });
    }
    m_count = 0;
    const std::size_t failed = m_ways.udp.send(m_datagrams);
    if (failed == 0)
        return {};
    m_ways.counters.dropped(Drop::NotSent, failed);
    for (const OutDatagram& datagram : m_datagrams)
        if (datagram.to.ip.isMulticast() && datagram.error != 0)
            return systemError("cannot send to multicast group " + textOf(datagram.to), datagram.error);
    return {};
}

Envelope::To Sender::receiverOf(const Packet& packet) const
{
    if (packet.isMulticast)
        return { NodeId(), false, true };
    return m_ways.introductions != nullptr ? m_ways.introductions->receiverAt(packet.to, packet.node) : packet.node;
}

// A process on loopback sends only to loopback, and one with IPv4 only to IPv4, whatever address a message claims to
// come from.
bool Sender::mayReach(Endpoint to) const
{
    const Ip self = m_ways.udp.self().ip;
    return to.port != 0 && to.ip.isV6() == self.isV6() && (to.ip.isLoopback() || !self.isLoopback());
}

void Sender::sign(pb::Message& message) const
{
    message.set_sender(m_ways.envelope.self().value);
    *message.mutable_from() = m_self;
}

void Sender::addStream(const Effects::Send& send)
{
    const bool isArmed = areFaultsArmed();
    TcpStreams::Frame frame { {}, send.block };
    if (isArmed && frame.block) // a fault acts on a packet in one piece
        *blockIn(*send.message) = *std::exchange(frame.block, nullptr);
    sign(*send.message);
    const std::size_t size = sizeInBody(*send.message);
    if (size + (frame.block ? frame.block->size() : 0) > kFrameMax || (frame.block && size > kHeadMax)) {
        m_ways.counters.dropped(Drop::NotSent);
        return;
    }
    frame.packet.resize(kEnvelopeBytes + size);
    appendMessage(*send.message, frame.packet.data() + kHeaderBytes);
    Envelope::To receiver(send.node);
    receiver.isInStream = true;
    m_ways.envelope.seal(
        frame.packet.data(), size, receiver, frame.block ? std::string_view(*frame.block) : std::string_view());
    const Endpoint to { send.to.ip, send.to.tcpPort };
    std::size_t cutAfter = 0;
    if (isArmed && !m_ways.faults->letOut({ to, send.node, false, kindOf(*send.message) }, frame.packet, cutAfter))
        return;
    if (!m_ways.streams.send(to, std::move(frame), cutAfter, send.way == Way::OwnStream))
        m_ways.counters.dropped(Drop::StreamQueueFull);
}

// Appends the message to the last datagram for this receiver if there is room, otherwise to a new one, so that messages
// stay in order. The first message of each datagram names the sender.
void Sender::addToPacket(Endpoint to, NodeId node, pb::Message& message, std::size_t size, bool isMulticast)
{
    Packet* packet = openPacket(to, node);
    if (!packet || packet->used + size > (to.ip.isLoopback() ? kLoopbackMax : m_udpMax)) {
        if (m_count == m_packets.size())
            m_packets.push_back(std::make_unique_for_overwrite<Packet>());
        packet = m_packets[m_count++].get();
        packet->to = to;
        packet->node = node;
        packet->isMulticast = isMulticast;
        packet->kind = areFaultsArmed() ? kindOf(message) : 0;
        packet->used = 0;
        sign(message);
        size = sizeInBody(message);
        LHRS_CHECK(size <= m_udpMax);
    }
    appendMessage(message, packet->bytes.data() + kHeaderBytes + packet->used);
    packet->used += size;
}

// A fault acts on single messages, so while one is armed each message travels alone.
Sender::Packet* Sender::openPacket(Endpoint to, NodeId node)
{
    if (areFaultsArmed())
        return nullptr;
    for (std::size_t i = m_count; i-- > 0;) {
        if (m_packets[i]->to == to && m_packets[i]->node == node)
            return m_packets[i].get();
    }
    return nullptr;
}

} // namespace lhrs
