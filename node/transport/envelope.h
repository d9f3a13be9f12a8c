// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
#include "common/wire.h"
#include "node/transport/counters.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace lhrs {

inline constexpr std::size_t kHeaderBytes = 48;
inline constexpr std::size_t kLengthAt = 12; // offset of the length in the header
inline constexpr std::size_t kHeadMax = 0xffff; // longest body that is followed by a block
inline constexpr std::size_t kTagBytes = 16;
inline constexpr std::size_t kEnvelopeBytes = kHeaderBytes + kTagBytes;

// The envelope of datagrams and of stream frames: a header of 48 bytes {magic 4, version 1, type 1, flags 2, key id 2,
// head 2, length 4, cluster 8, sender 8, receiver 8, counter 8}, little-endian, then the body, then a tag of 16 bytes
// over both. In a frame the body may be a message of `head` bytes followed by its record block (common/wire.h);
// otherwise head is 0. The block and the rest of the packet are kept in separate memory here, so a block is never
// copied. Sealing is the last step before a packet is sent, and opening comes before anything is parsed; an invalid
// packet is refused without an answer. Without a key, which is allowed on loopback only, the tag is a CRC32C in its
// first 4 bytes followed by zeros, and key id is 0. The cluster number separates two clusters on one computer. Receiver
// is 0 if the sender does not know the process number. Thread-safe.
class Envelope {
public:
    Envelope(std::uint64_t cluster, NodeId self) : m_cluster(cluster), m_self(self) { }

    // The process number with which packets are sealed.
    NodeId self() const { return m_self; }

    // Number of the cluster whose coordinator listens at this address, which all its processes know from the start.
    static std::uint64_t clusterOf(std::uint32_t coordinatorIp, std::uint16_t coordinatorPort);

    // `packet` has kHeaderBytes unused bytes, then the body, then kTagBytes unused bytes. Writes the header and the
    // tag. The block travels between body and tag.
    void seal(char* packet, std::size_t bodyBytes, NodeId receiver, std::string_view block = {});
    // The body of a whole packet, without its block, or the reason for refusing it.
    std::variant<std::string_view, Drop> open(std::string_view packet, std::string_view block = {}) const;

    // For a packet that arrives piece by piece from a stream: checks as much of the header as has arrived. Nothing: no
    // error so far.
    std::optional<Drop> checkBegin(std::string_view begin) const;
    // Size in bytes of the whole packet without its block, and of the block; the header must have passed checkBegin().
    static std::size_t packetBytes(std::string_view header);
    static std::size_t blockBytes(std::string_view header);
    // Process number of the sender that sealed the packet with this header.
    static NodeId senderOf(std::string_view header);

private:
    const std::uint64_t m_cluster;
    const NodeId m_self;
    std::atomic<std::uint64_t> m_counter = 0;
};

} // namespace lhrs
