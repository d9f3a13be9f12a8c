// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/effects.h"
#include "node/transport/counters.h"
#include "node/transport/envelope.h"
#include "node/transport/fault_shim.h"
#include "node/transport/introductions.h"
#include "node/transport/tcp_streams.h"
#include "node/transport/udp_socket.h"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace lhrs {

// The longest message that travels as a datagram, so that networks pass it unfragmented. With the envelope and the
// headers of IPv6, which are 20 bytes longer, it fits into the 1,500 bytes of a frame of Ethernet, too.
inline constexpr std::size_t kUdpMax = 1400;
inline constexpr std::size_t kUdpMax6 = 1380;
inline constexpr std::size_t kLoopbackMax = 16'000; // bytes of messages that share a datagram on loopback

// The only way out: turns the messages of Effects into datagrams of many messages each, or into frames of streams.
// Messages to one receiver stay in order. Belongs to one working thread; the sockets behind it are shared.
class Sender {
public:
    struct Ways {
        Envelope& envelope;
        const UdpSocket& udp;
        TcpStreams& streams;
        Counters& counters;
        Endpoint coordinator; // determines the multicast groups
        FaultShim* faults = nullptr;
        Introductions* introductions = nullptr; // with keys
    };
    explicit Sender(const Ways& ways);

    // Marks messages that do not fit in a datagram as Way::Stream, so that the event of their sending shows the
    // transport, and takes long record blocks out of their messages. Call it before the messages are stamped, and
    // always before add().
    static void chooseWays(Effects& effects, Ip self);

    // Takes the messages of a step and copies them. Redundant fields are left out of each body.
    void add(Effects& effects);
    // Sends what add() has taken, with all datagrams in one system call. Error: a multicast could not be sent. Failures
    // that concern single receivers are only counted, like lost datagrams.
    Result<void> flush();

private:
    struct Packet {
        Endpoint to;
        NodeId node;
        bool isMulticast = false;
        int kind = 0; // kind of its only message, while faults are armed
        std::size_t used = 0; // bytes of the body
        std::array<char, kEnvelopeBytes + kLoopbackMax> bytes;
    };

    bool mayReach(Endpoint to) const;
    Envelope::To receiverOf(const Packet& packet) const;
    void addStream(const Effects::Send& send);
    // `size`: the result of a preceding call of sizeInBody(); together with kSignature at most kUdpMax.
    void addToPacket(Endpoint to, NodeId node, pb::Message& message, std::size_t size, bool isMulticast);
    Packet* openPacket(Endpoint to, NodeId node);
    void sign(pb::Message& message) const;
    bool areFaultsArmed() const { return m_ways.faults != nullptr && m_ways.faults->touches(FaultBook::Traffic); }

    const Ways m_ways;
    pb::Address m_self;
    const std::size_t m_udpMax;
    const std::size_t m_signature;
    std::vector<std::unique_ptr<Packet>> m_packets; // packets whose memory is reused
    std::size_t m_count = 0; // number of packets in use
    std::vector<OutDatagram> m_datagrams;
};

} // namespace lhrs
