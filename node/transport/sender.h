// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/effects.h"
#include "node/transport/counters.h"
#include "node/transport/envelope.h"
#include "node/transport/fault_shim.h"
#include "node/transport/tcp_streams.h"
#include "node/transport/udp_socket.h"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace lhrs {

inline constexpr std::size_t kUdpMax = 1400; // udpMax: bytes of the longest message that travels as a datagram, so that a network passes it whole
inline constexpr std::size_t kLoopbackMax = 16'000; // bytes of messages that share a datagram where no network is in between

// The one way out: the messages of some Effects become datagrams, many messages each, or frames of streams. Messages
// to one receiver keep their order. Belongs to one working thread; the sockets behind it are shared.
class Sender {
public:
    struct Ways {
        Envelope& envelope;
        const UdpSocket& udp;
        TcpStreams& streams;
        Counters& counters;
        std::uint16_t coordinatorPort = 0; // names the multicast groups
        FaultShim* faults = nullptr;
    };
    explicit Sender(const Ways& ways);

    // Marks as Way::Stream what will not fit a datagram, so that the event of its sending says how it went, and takes long
    // record blocks out of their messages. Before the messages are stamped, and always before add().
    static void chooseWays(Effects& effects);

    // Takes the messages of a step; they are copied. What a body need not say twice is taken out of them.
    void add(Effects& effects);
    // Sends what add() took, all datagrams in one system call. An Error: a multicast could not be sent; all that
    // concerns single receivers is only counted, as a lost datagram would be.
    Result<void> flush();

private:
    struct Packet {
        Endpoint to;
        NodeId node;
        bool isMulticast = false;
        int kind = 0;         // of its only message, while faults are armed
        std::size_t used = 0; // of the body
        std::array<char, kEnvelopeBytes + kLoopbackMax> bytes;
    };

    bool mayReach(Endpoint to) const;
    void addStream(const Effects::Send& send);
    // `size`: in a body, as sizeInBody() said just now; with kSignature no more than kUdpMax.
    void addToPacket(Endpoint to, NodeId node, pb::Message& message, std::size_t size, bool isMulticast);
    Packet* openPacket(Endpoint to, NodeId node);
    void sign(pb::Message& message) const;
    bool areFaultsArmed() const { return m_ways.faults != nullptr && m_ways.faults->touches(FaultBook::Traffic); }

    const Ways m_ways;
    pb::Address m_self;
    std::vector<std::unique_ptr<Packet>> m_packets; // used again and again
    std::size_t m_count = 0;                        // of them in use
    std::vector<OutDatagram> m_datagrams;
};

} // namespace lhrs
