// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of packets with keys share: keys, packets with any header, and those who should not be heard.
#pragma once

#include "common/kinds.h"
#include "tests/rigs/core/station.h"

#include <cstring>

namespace lhrs::test {

inline constexpr NodeId kServer { 3 }, kNeighbour { 4 }; // servers
inline constexpr NodeId kClient { kClientBit | 3 }, kOtherClient { kClientBit | 4 };
inline constexpr NodeId kFormer { 99 }, kFormerClient { kClientBit | 99 }; // nobody has these numbers any more
inline constexpr std::uint64_t kCluster = 1; // as that of a StreamEnd

inline KeyFile clusterKey(std::uint8_t secret = 7)
{
    KeyFile key;
    key.role = KeyRole::Cluster;
    key.secret.fill(secret);
    return key;
}

struct Rings {
    KeyRing server { clusterKey() }, client { clientKeyOf(clusterKey()) }, stranger { clusterKey(8) };
};
inline const Rings& rings()
{
    static const Rings rings;
    return rings;
}

// ---- packets

inline Envelope::To byAddress(NodeId number = NodeId()) { return { number, true, false }; }
inline Envelope::To toAll() { return { NodeId(), false, true }; }

// Offsets in the header.
inline constexpr std::size_t kVersionAt = 4, kTypeAt = 5, kFlagsAt = 6, kKeyIdAt = 8, kHeadAt = 10, kSenderAt = 24,
                             kReceiverAt = 32;

template <class Number> void put(std::string& packet, std::size_t at, Number number)
{
    std::memcpy(packet.data() + at, &number, sizeof number);
}

// Writes the tag anew, whatever the header says about the key.
inline void tagWith(const KeyBytes* key, std::string& packet)
{
    const std::size_t front = packet.size() - kTagBytes;
    put(packet, front, tagOf(key, std::string_view(packet).substr(0, front)));
}

inline std::string_view tagIn(std::string_view packet) { return packet.substr(packet.size() - kTagBytes); }
inline std::string textIn(const PacketTag& tag) { return { reinterpret_cast<const char*>(tag.data()), tag.size() }; }

inline const std::string kHandled = "handled", kForAddress = "only for the address", kForAll = "for all";

// What becomes of a packet, in words.
inline std::string fateOf(const std::variant<Envelope::Opened, Drop>& result)
{
    if (const Drop* wrong = std::get_if<Drop>(&result))
        return textOf(*wrong);
    const auto& opened = std::get<Envelope::Opened>(result);
    return opened.isForAddress ? kForAddress : opened.isForAll ? kForAll : kHandled;
}

inline std::string textOf(const std::optional<Drop>& wrong) { return wrong ? lhrs::textOf(*wrong) : "fine"; }

inline void flip(std::string& bytes, std::size_t bit) { bytes[bit / 8] ^= char(1u << (bit % 8)); }

// ---- messages

inline std::string bodyOf(std::initializer_list<pb::Message> messages)
{
    std::string body;
    for (const pb::Message& message : messages) {
        const std::size_t before = body.size();
        body.resize(before + sizeInBody(message));
        appendMessage(message, body.data() + before);
    }
    return body;
}

inline pb::Message signedBy(NodeId sender)
{
    pb::Message message;
    message.set_id(1);
    message.set_sender(sender.value);
    return message;
}

inline pb::Message ackOf(NodeId sender)
{
    pb::Message message = signedBy(sender);
    message.mutable_ack();
    return message;
}

inline pb::Message ofKind(const Kind& kind, NodeId sender)
{
    pb::Message message = signedBy(sender);
    google::protobuf::Message* at = &message;
    for (const int number : { kind.number / 1'000, kind.number % 1'000 })
        if (number != 0)
            at = at->GetReflection()->MutableMessage(at, at->GetDescriptor()->FindFieldByNumber(number));
    if (message.has_register_() || message.has_alive()) {
        pb::ProcessInfo& self = message.has_alive() ? *message.mutable_alive()->mutable_process()
                                                    : *message.mutable_register_()->mutable_process();
        self.set_node(sender.value);
        self.set_kind(isClientNumber(sender) ? pb::CLIENT : pb::NODE);
    }
    return message;
}

inline RuntimeOptions keyed()
{
    RuntimeOptions options;
    options.key = clusterKey();
    return options;
}

inline std::uint64_t drops(const Station& station, Drop reason) { return station.runtime->counters().of(reason); }

// A sender without threads, which sees every single datagram that comes back to it.
struct Witness {
    Witness(const Station& station, const KeyRing* keys, NodeId number)
        : to(station.udp()), envelope(Envelope::clusterOf(to), number, keys)
    {
    }

    pb::Message search() const
    {
        pb::Message message = signedBy(envelope.self());
        Address { kLoopback, udp.self().port, 0 }.to(*message.mutable_from());
        message.mutable_search()->set_value("alive?");
        return message;
    }
    void send(std::string_view packet) const
    {
        OutDatagram datagram { to, packet };
        if (udp.send({ &datagram, 1 }) > 0)
            qFatal("nothing was sent");
    }
    // What comes up to and including the first datagram with messages; nothing: none comes.
    std::vector<std::string> upToReply() const
    {
        std::vector<std::string> all;
        DatagramBatch batch;
        while (eventually([&] { return udp.buffered().bytes > 0; }) && udp.receive(batch))
            for (std::size_t i = 0; i < batch.size(); ++i) {
                all.emplace_back(batch[i]);
                const auto opened = envelope.open(batch[i]);
                const auto* packet = std::get_if<Envelope::Opened>(&opened);
                if (packet != nullptr && packet->type == PacketType::Messages)
                    return all;
            }
        return {};
    }

    Endpoint to;
    Envelope envelope;
    UdpSocket udp = std::move(*UdpSocket::open({ kLoopback, 0 }));
};

// ---- connections

// Two ends that agree on a link.
struct LinkedPair {
    LinkedPair(Envelope& from, Envelope& to, NodeId peer = NodeId())
        : connecting(from), accepting(to), begin(connecting.begin(peer)), refused(accepting.accept(begin, answer))
    {
        if (!refused)
            refused = connecting.finish(answer);
    }
    StreamLink connecting, accepting;
    std::string begin, answer;
    std::optional<Drop> refused;
};

// Somebody who makes the key of a connection from the clients' key, whatever the number that he writes as his own.
struct Forger {
    Forger(std::uint64_t cluster, NodeId number)
        : envelope(cluster, number, &rings().client), link(envelope), begin(link.begin(NodeId()))
    {
    }

    // A frame and the tag of the connection, for the first place. The receiver is not named: a client's key allows it.
    std::string frame(std::string_view answer, const std::string& body)
    {
        NodeId accepting = Envelope::senderOf(answer);
        std::string both = "link of a stream";
        both += begin.substr(kHeaderBytes, kKeyBytes);
        both += answer.substr(kHeaderBytes, kKeyBytes);
        for (const std::uint64_t number : { envelope.self().value, accepting.value })
            both.append(reinterpret_cast<const char*>(&number), sizeof number);
        const KeyBytes key = keyFrom(*rings().client.clientPackets(), both);
        const std::string packet = sealedPacket(envelope, body);
        const auto linkTag = [&key](std::string_view of, char place) {
            return textIn(tagOf(&key, std::string(of) + place + std::string(7, '\0')));
        };
        return linkTag(std::string(kTagBytes, '\0'), 1) + packet + linkTag(tagIn(packet), 2);
    }

    Envelope envelope;
    StreamLink link;
    std::string begin;
};

} // namespace lhrs::test
