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
inline constexpr std::size_t kLengthAt = 12; // where the header says it
inline constexpr std::size_t kHeadMax = 0xffff; // of a body whose block comes behind it
inline constexpr std::size_t kTagBytes = 16;
inline constexpr std::size_t kEnvelopeBytes = kHeaderBytes + kTagBytes;

// The envelope of datagrams and of frames of a stream: a header of 48 bytes {magic 4, version 1, type 1, flags 2,
// key id 2, head 2, length 4, cluster 8, sender 8, receiver 8, counter 8}, little-endian, then the body, then a tag
// of 16 bytes over both. In a frame a body may be a message of `head` bytes and the record block that belongs into it
// (common/wire.h); else head is 0. Block and the rest of the packet are never in one piece here, so nobody copies a block. Sealed last, opened first, before anything is parsed; whatever is wrong with it is refused
// without an answer. Without a key, which is for loopback only, the tag is CRC32C in its first 4 bytes and zeros, and
// key id is 0. The cluster number keeps two clusters on one machine apart; receiver is 0 where the sender does not know
// the process number. Thread-safe.
class Envelope {
public:
    Envelope(std::uint64_t cluster, NodeId self) : m_cluster(cluster), m_self(self) {}

    // The process number that packets are sealed with.
    NodeId self() const { return m_self; }

    // Number of the cluster whose coordinator listens there: all its processes know that address from their start.
    static std::uint64_t clusterOf(std::uint32_t coordinatorIp, std::uint16_t coordinatorPort);

    // `packet` has kHeaderBytes free, then the body, then kTagBytes free: writes header and tag. The block travels between
    // body and tag.
    void seal(char* packet, std::size_t bodyBytes, NodeId receiver, std::string_view block = {});
    // The body of a whole packet, without its block, or why it is refused.
    std::variant<std::string_view, Drop> open(std::string_view packet, std::string_view block = {}) const;

    // A stream brings a packet piece by piece. Nothing: not wrong so far. Looks at the header, as much as is there.
    std::optional<Drop> checkBegin(std::string_view begin) const;
    // Bytes of the whole packet without its block, and of the block; the header has passed checkBegin().
    static std::size_t packetBytes(std::string_view header);
    static std::size_t blockBytes(std::string_view header);
    // Process number of who sealed the packet with this header.
    static NodeId senderOf(std::string_view header);

private:
    const std::uint64_t m_cluster;
    const NodeId m_self;
    std::atomic<std::uint64_t> m_counter = 0;
};

} // namespace lhrs
