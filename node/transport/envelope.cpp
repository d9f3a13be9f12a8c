// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/transport/envelope.h"

#include "node/transport/crc32c.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace lhrs {

namespace {

static_assert(std::endian::native == std::endian::little, "the header is copied as it stands in memory");

constexpr std::uint32_t kMagic = 0x5352484c; // "LHRS"
constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kTypeMessages = 1; // the body is a sequence of messages

struct Header {
    std::uint32_t magic = kMagic;
    std::uint8_t version = kVersion;
    std::uint8_t type = kTypeMessages;
    std::uint16_t flags = 0;
    std::uint16_t keyId = 0;
    std::uint16_t head = 0;
    std::uint32_t length = 0;
    std::uint64_t cluster = 0;
    std::uint64_t sender = 0;
    std::uint64_t receiver = 0;
    std::uint64_t counter = 0;
};
static_assert(sizeof(Header) == kHeaderBytes && offsetof(Header, length) == kLengthAt);

struct Tag {
    std::uint32_t crc = 0;
    std::array<std::uint8_t, kTagBytes - 4> zeros {};
};
static_assert(sizeof(Tag) == kTagBytes);

} // namespace

std::uint64_t Envelope::clusterOf(std::uint32_t coordinatorIp, std::uint16_t coordinatorPort)
{
    // The finalizer of splitmix64 maps neighbouring addresses to distant numbers.
    std::uint64_t x = (std::uint64_t(coordinatorIp) << 16 | coordinatorPort) + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

void Envelope::seal(char* packet, std::size_t bodyBytes, NodeId receiver, std::string_view block)
{
    LHRS_CHECK(block.empty() || bodyBytes <= kHeadMax);
    Header header;
    header.head = block.empty() ? std::uint16_t(0) : std::uint16_t(bodyBytes);
    header.length = std::uint32_t(bodyBytes + block.size());
    header.cluster = m_cluster;
    header.sender = m_self.value;
    header.receiver = receiver.value;
    header.counter = m_counter.fetch_add(1, std::memory_order_relaxed) + 1;
    std::memcpy(packet, &header, sizeof header);
    Tag tag;
    tag.crc = crc32c(block, crc32c({ packet, kHeaderBytes + bodyBytes }));
    std::memcpy(packet + kHeaderBytes + bodyBytes, &tag, sizeof tag);
}

std::variant<std::string_view, Drop> Envelope::open(std::string_view packet, std::string_view block) const
{
    if (packet.size() < kEnvelopeBytes)
        return Drop::TooShort;
    if (const auto wrong = checkBegin(packet.substr(0, kHeaderBytes)))
        return *wrong;
    if (packet.size() != packetBytes(packet) || block.size() != blockBytes(packet))
        return Drop::WrongLength;
    const std::string_view sealed = packet.substr(0, packet.size() - kTagBytes);
    Tag expected;
    expected.crc = crc32c(block, crc32c(sealed));
    if (std::memcmp(packet.data() + sealed.size(), &expected, sizeof expected) != 0)
        return Drop::WrongTag;
    return sealed.substr(kHeaderBytes);
}

std::optional<Drop> Envelope::checkBegin(std::string_view begin) const
{
    if (begin.substr(0, 4) != std::string_view("LHRS").substr(0, begin.size()))
        return Drop::WrongMagic;
    if (begin.size() < kHeaderBytes)
        return std::nullopt;
    Header header;
    std::memcpy(&header, begin.data(), sizeof header);
    if (header.version != kVersion || header.type != kTypeMessages || header.flags != 0 || header.keyId != 0)
        return Drop::WrongVersion;
    if (header.length > kFrameMax || header.head > header.length)
        return Drop::WrongLength;
    if (header.cluster != m_cluster)
        return Drop::OtherCluster;
    if (header.receiver != 0 && header.receiver != m_self.value)
        return Drop::OtherReceiver;
    return std::nullopt;
}

std::size_t Envelope::packetBytes(std::string_view header)
{
    Header parsed;
    std::memcpy(&parsed, header.data(), sizeof parsed);
    return kEnvelopeBytes + (parsed.head != 0 ? parsed.head : parsed.length);
}

std::size_t Envelope::blockBytes(std::string_view header)
{
    Header parsed;
    std::memcpy(&parsed, header.data(), sizeof parsed);
    return parsed.head != 0 ? parsed.length - parsed.head : 0;
}

NodeId Envelope::senderOf(std::string_view header)
{
    Header parsed;
    std::memcpy(&parsed, header.data(), sizeof parsed);
    return NodeId(parsed.sender);
}

} // namespace lhrs
