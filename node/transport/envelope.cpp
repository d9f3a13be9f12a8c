// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/transport/envelope.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

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
    std::uint16_t reserved = 0;
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

constexpr std::array<std::uint32_t, 256> crcTable()
{
    std::array<std::uint32_t, 256> table {};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        table[i] = i;
        for (int bit = 0; bit < 8; ++bit)
            table[i] = (table[i] >> 1) ^ ((table[i] & 1) != 0 ? 0x82f63b78u : 0u);
    }
    return table;
}

std::uint32_t crcByTable(std::string_view bytes)
{
    static constexpr auto kTable = crcTable();
    std::uint32_t crc = ~0u;
    for (const char byte : bytes)
        crc = (crc >> 8) ^ kTable[(crc ^ std::uint8_t(byte)) & 0xff];
    return ~crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) std::uint32_t crcByInstruction(std::string_view bytes)
{
    std::uint64_t crc = ~0u;
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; at += 8, left -= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        crc = _mm_crc32_u64(crc, word);
    }
    for (; left > 0; ++at, --left)
        crc = _mm_crc32_u8(std::uint32_t(crc), std::uint8_t(*at));
    return ~std::uint32_t(crc);
}
#endif

} // namespace

std::uint32_t crc32c(std::string_view bytes)
{
#ifdef __x86_64__
    static const bool kHasInstruction = __builtin_cpu_supports("sse4.2") != 0;
    if (kHasInstruction)
        return crcByInstruction(bytes);
#endif
    return crcByTable(bytes);
}

std::uint64_t Envelope::clusterOf(std::uint32_t coordinatorIp, std::uint16_t coordinatorPort)
{
    // The finaliser of splitmix64: near addresses get numbers that are far apart.
    std::uint64_t x = (std::uint64_t(coordinatorIp) << 16 | coordinatorPort) + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

void Envelope::seal(char* packet, std::size_t bodyBytes, NodeId receiver)
{
    Header header;
    header.length = std::uint32_t(bodyBytes);
    header.cluster = m_cluster;
    header.sender = m_self.value;
    header.receiver = receiver.value;
    header.counter = m_counter.fetch_add(1, std::memory_order_relaxed) + 1;
    std::memcpy(packet, &header, sizeof header);
    Tag tag;
    tag.crc = crc32c({ packet, kHeaderBytes + bodyBytes });
    std::memcpy(packet + kHeaderBytes + bodyBytes, &tag, sizeof tag);
}

std::variant<std::string_view, Drop> Envelope::open(std::string_view packet) const
{
    if (packet.size() < kEnvelopeBytes)
        return Drop::TooShort;
    if (const auto wrong = checkBegin(packet.substr(0, kHeaderBytes)))
        return *wrong;
    if (packet.size() != packetBytes(packet))
        return Drop::WrongLength;
    const std::string_view sealed = packet.substr(0, packet.size() - kTagBytes);
    Tag expected;
    expected.crc = crc32c(sealed);
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
    if (header.version != kVersion || header.type != kTypeMessages || header.flags != 0 || header.keyId != 0
        || header.reserved != 0)
        return Drop::WrongVersion;
    if (header.length > kFrameMax)
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
    return kEnvelopeBytes + parsed.length;
}

NodeId Envelope::senderOf(std::string_view header)
{
    Header parsed;
    std::memcpy(&parsed, header.data(), sizeof parsed);
    return NodeId(parsed.sender);
}

} // namespace lhrs
