// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
#include "common/keys/key_ring.h"
#include "common/network/endpoint.h"
#include "common/wire.h"
#include "node/transport/client_number.h"
#include "node/transport/counters.h"
#include "node/transport/packet_tag.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace lhrs {

inline constexpr std::size_t kHeaderBytes = 48;
inline constexpr std::size_t kLengthAt = 12; // offset of the length in the header
inline constexpr std::size_t kClusterAt = 16; // offset of the cluster
inline constexpr std::size_t kHeadMax = 0xffff; // longest body that is followed by a block
inline constexpr std::size_t kEnvelopeBytes = kHeaderBytes + kTagBytes;

// The version of the envelope and of what is in it; a change that a process of an earlier version would not understand
// takes the next number. In every version the first six bytes are the magic, the version and the type.
inline constexpr std::uint8_t kProtocolVersion = 1;

// What a packet is for.
enum class PacketType : std::uint8_t {
    Messages = 1, // the body is a sequence of messages
    Introduction = 2, // a datagram without a body: the sender's address is that of this process number
    StreamBegin = 3, // the first packet in each direction of a connection with keys (stream_link.h)
    VersionNotice = 4, // says which version is spoken here; neither sealed nor answered (other_versions.h)
};

// The envelope of datagrams and of stream frames: a header of 48 bytes {magic 4, version 1, type 1, flags 2, key id 2,
// head 2, length 4, cluster 8, sender 8, receiver 8, counter 8}, little-endian, then the body, then a tag of 16 bytes
// over both. In a frame the body may be a message of `head` bytes followed by its record block (common/wire.h);
// otherwise head is 0. The block and the rest of the packet are kept in separate memory here, so a block is never
// copied. Sealing is the last step before a packet is sent, and opening comes before anything is parsed; an invalid
// packet is refused without an answer. The cluster number separates two clusters on one computer.
//
// With keys, the tag is a keyed BLAKE2b: of the servers' key between servers (key id 1), of the clients' key from and
// to clients (key id 2). Without keys, which is allowed on loopback only, it is a CRC32C and key id is 0. A process
// with keys refuses packets without, and the reverse. Receiver is 0 if the sender does not know the process number;
// with keys, such a datagram is not handled but answered by an introduction (introductions.h), so that a former
// datagram cannot be sent again to a process that starts later. Thread-safe.
class Envelope {
public:
    // `keys` (null: none) must outlive the envelope.
    Envelope(std::uint64_t cluster, NodeId self, const KeyRing* keys = nullptr);

    // The process number with which packets are sealed.
    NodeId self() const { return m_self; }
    std::uint64_t cluster() const { return m_cluster; }
    bool hasKeys() const { return m_keys != nullptr; }

    // Number of the cluster whose coordinator listens at this address, which all its processes know from the start.
    static std::uint64_t clusterOf(Endpoint coordinator);

    // To whom a packet goes.
    struct To {
        NodeId process; // 0: unknown
        bool isByAddress = false; // the process number was looked up by address, or is unknown; with keys only
        bool isToAll = false; // a multicast
        bool isInStream = false; // a frame, which as a datagram is refused
        To(NodeId number) : process(number) { }
        To(NodeId number, bool byAddress, bool toAll) : process(number), isByAddress(byAddress), isToAll(toAll) { }
    };
    // `packet` has kHeaderBytes unused bytes, then the body, then kTagBytes unused bytes. Writes the header and the
    // tag. The block travels between body and tag.
    void seal(char* packet, std::size_t bodyBytes, To to, std::string_view block = {},
        PacketType type = PacketType::Messages);
    // Seals a packet of this process again, with a new counter and for this receiver, unless it was damaged on purpose.
    void sealAgain(std::string& packet, std::optional<To> to = {});

    // For whom a sealed packet is; 0: for whichever process is at the address.
    static NodeId receiverOf(std::string_view packet);

    // What an opened packet has said. `process` numbers are certain only with keys.
    struct Opened {
        std::string_view body; // without its block
        NodeId sender;
        PacketType type = PacketType::Messages;
        std::uint64_t counter = 0;
        // It was sent to this process's address under another process number, or under none: handle no content of it.
        bool isForAddress = false;
        bool isForAll = false;
        bool isOfStream = false; // with keys: it was sealed to be a frame
    };
    // A whole packet, or the reason for refusing it.
    std::variant<Opened, Drop> open(std::string_view packet, std::string_view block = {}) const;

    // The version of a packet that has another one than ours; nothing if it is no packet of any version.
    static std::optional<std::uint8_t> otherVersionIn(std::string_view packet);
    static bool isVersionNotice(std::string_view packet);
    // Writes kEnvelopeBytes.
    static void writeVersionNotice(char* packet);

    // For a packet that arrives piece by piece from a stream: checks as much of the header as has arrived. Nothing: no
    // error so far.
    std::optional<Drop> checkBegin(std::string_view begin) const;
    // Size in bytes of the whole packet without its block, and of the block; the header must have passed checkBegin().
    static std::size_t packetBytes(std::string_view header);
    static std::size_t blockBytes(std::string_view header);
    // Process number of the sender that sealed the packet with this header.
    static NodeId senderOf(std::string_view header);

    // The key between this process and that one; null: there are no keys, or none for it.
    const KeyBytes* keyFor(NodeId process) const;

private:
    std::uint16_t keyIdFor(NodeId process) const;
    const KeyBytes* keyOf(std::uint16_t id) const;

    const std::uint64_t m_cluster;
    const NodeId m_self;
    const KeyRing* const m_keys;
    std::atomic<std::uint64_t> m_counter = 0;
};

} // namespace lhrs
