// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/transport/envelope.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace lhrs {

namespace {

static_assert(std::endian::native == std::endian::little, "the header is copied as it stands in memory");

constexpr std::uint32_t kMagic = 0x5352484c; // "LHRS"

// Flags; without keys there are none.
constexpr std::uint16_t kByAddress = 1; // the receiver was looked up by address, or is not known
constexpr std::uint16_t kToAll = 2; // a multicast
constexpr std::uint16_t kInStream = 4; // a frame

// Key ids.
constexpr std::uint16_t kNoKey = 0, kServersKey = 1, kClientsKey = 2;

struct Header {
    std::uint32_t magic = kMagic;
    std::uint8_t version = kProtocolVersion;
    std::uint8_t type = std::uint8_t(PacketType::Messages);
    std::uint16_t flags = 0;
    std::uint16_t keyId = 0;
    std::uint16_t head = 0;
    std::uint32_t length = 0;
    std::uint64_t cluster = 0;
    std::uint64_t sender = 0;
    std::uint64_t receiver = 0;
    std::uint64_t counter = 0;
};
static_assert(
    sizeof(Header) == kHeaderBytes && offsetof(Header, length) == kLengthAt && offsetof(Header, cluster) == kClusterAt);

Header headerOf(std::string_view packet)
{
    Header header;
    std::memcpy(&header, packet.data(), sizeof header);
    return header;
}

} // namespace

NodeId Envelope::receiverOf(std::string_view packet) { return NodeId(headerOf(packet).receiver); }

std::uint64_t Envelope::clusterOf(Endpoint coordinator)
{
    // The finalizer of splitmix64 maps neighbouring addresses to distant numbers.
    const auto mix = [](std::uint64_t x) {
        x += 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return x ^ (x >> 31);
    };
    const Ip ip = coordinator.ip;
    return ip.isV6() ? mix(mix(mix(ip.high()) ^ ip.low()) ^ coordinator.port)
                     : mix(std::uint64_t(ip.number()) << 16 | coordinator.port);
}

Envelope::Envelope(std::uint64_t cluster, NodeId self, const KeyRing* keys)
    : m_cluster(cluster), m_self(self), m_keys(keys)
{
}

// A client has only the clients' key. A server that does not know which process is at an address takes that key too,
// because both a server and a client can check it; no server handles the content of such a packet.
std::uint16_t Envelope::keyIdFor(NodeId process) const
{
    if (m_keys == nullptr)
        return kNoKey;
    return isClientNumber(m_self) || isClientNumber(process) || process.value == 0 ? kClientsKey : kServersKey;
}

const KeyBytes* Envelope::keyOf(std::uint16_t id) const
{
    if (m_keys == nullptr || id == kNoKey)
        return nullptr;
    return id == kServersKey ? m_keys->serverPackets() : m_keys->clientPackets();
}

const KeyBytes* Envelope::keyFor(NodeId process) const { return keyOf(keyIdFor(process)); }

void Envelope::seal(char* packet, std::size_t bodyBytes, To to, std::string_view block, PacketType type)
{
    LHRS_CHECK(block.empty() || bodyBytes <= kHeadMax);
    Header header;
    header.type = std::uint8_t(type);
    header.head = block.empty() ? std::uint16_t(0) : std::uint16_t(bodyBytes);
    header.length = std::uint32_t(bodyBytes + block.size());
    header.cluster = m_cluster;
    header.sender = m_self.value;
    header.receiver = to.process.value;
    header.counter = m_counter.fetch_add(1, std::memory_order_relaxed) + 1;
    if (m_keys != nullptr) {
        header.flags = std::uint16_t(
            (to.isByAddress ? kByAddress : 0) | (to.isToAll ? kToAll : 0) | (to.isInStream ? kInStream : 0));
        // Only servers are in the group of a multicast.
        header.keyId = to.isToAll && m_keys->serverPackets() != nullptr ? kServersKey : keyIdFor(to.process);
    }
    std::memcpy(packet, &header, sizeof header);
    const PacketTag tag = tagOf(keyOf(header.keyId), { packet, kHeaderBytes + bodyBytes }, block);
    std::memcpy(packet + kHeaderBytes + bodyBytes, tag.data(), tag.size());
}

void Envelope::sealAgain(std::string& packet, std::optional<To> to)
{
    if (m_keys == nullptr || packet.size() < kEnvelopeBytes)
        return;
    const Header header = headerOf(packet);
    const std::string_view sealed = std::string_view(packet).substr(0, packet.size() - kTagBytes);
    if (!isSameTag(tagOf(keyOf(header.keyId), sealed), std::string_view(packet).substr(sealed.size())))
        return;
    const To same(NodeId(header.receiver), (header.flags & kByAddress) != 0, (header.flags & kToAll) != 0);
    seal(packet.data(), packet.size() - kEnvelopeBytes, to.value_or(same), {}, PacketType(header.type));
}

std::variant<Envelope::Opened, Drop> Envelope::open(std::string_view packet, std::string_view block) const
{
    if (packet.size() < kEnvelopeBytes)
        return Drop::TooShort;
    if (const auto wrong = checkBegin(packet.substr(0, kHeaderBytes)))
        return *wrong;
    if (packet.size() != packetBytes(packet) || block.size() != blockBytes(packet))
        return Drop::WrongLength;
    const Header header = headerOf(packet);
    const std::string_view sealed = packet.substr(0, packet.size() - kTagBytes);
    if (!isSameTag(tagOf(keyOf(header.keyId), sealed, block), packet.substr(sealed.size())))
        return Drop::WrongTag;
    Opened opened;
    opened.body = sealed.substr(kHeaderBytes);
    opened.sender = NodeId(header.sender);
    opened.type = PacketType(header.type);
    opened.counter = header.counter;
    opened.isForAll = (header.flags & kToAll) != 0;
    opened.isOfStream = (header.flags & kInStream) != 0;
    opened.isForAddress = m_keys != nullptr && !opened.isForAll && header.receiver != m_self.value;
    return opened;
}

std::optional<Drop> Envelope::checkBegin(std::string_view begin) const
{
    if (begin.substr(0, 4) != std::string_view("LHRS").substr(0, begin.size()))
        return Drop::WrongMagic;
    if (begin.size() < kHeaderBytes)
        return std::nullopt;
    const Header header = headerOf(begin);
    const bool isKnownType = header.type == std::uint8_t(PacketType::Messages)
        || (m_keys != nullptr && header.type >= 1 && header.type <= std::uint8_t(PacketType::StreamBegin));
    if (header.version != kProtocolVersion)
        return Drop::OtherVersion;
    if (!isKnownType)
        return Drop::WrongType;
    if (m_keys == nullptr ? header.keyId != kNoKey : header.keyId == kNoKey || keyOf(header.keyId) == nullptr)
        return Drop::OtherKey;
    if ((header.flags & ~(m_keys != nullptr ? kByAddress | kToAll | kInStream : 0)) != 0 || header.keyId > kClientsKey)
        return Drop::WrongType;
    if (header.length > kFrameMax || header.head > header.length)
        return Drop::WrongLength;
    if (header.cluster != m_cluster)
        return Drop::OtherCluster;
    const bool isToSelf = header.receiver == m_self.value || header.receiver == 0;
    if (!isToSelf && (header.flags & kByAddress) == 0)
        return Drop::OtherReceiver;
    if (m_keys == nullptr)
        return std::nullopt;
    // Reflected to its sender; or sealed as nobody of that number seals what this process may handle.
    const NodeId sender(header.sender);
    if (sender == m_self)
        return Drop::OtherReceiver;
    // No process has this number. As that of a sender it would count as unknown, for which the clients' key is enough.
    if (sender.value == 0)
        return Drop::OtherKey;
    const bool isKnownToSender = header.receiver == m_self.value || (header.flags & kToAll) != 0;
    const std::uint16_t expected = isClientNumber(m_self) || isClientNumber(sender) || !isKnownToSender ? kClientsKey
                                                                                                        : kServersKey;
    return header.keyId == expected || (!isKnownToSender && header.keyId == kServersKey)
        ? std::nullopt
        : std::optional(Drop::OtherKey);
}

std::size_t Envelope::packetBytes(std::string_view header)
{
    const Header parsed = headerOf(header);
    return kEnvelopeBytes + (parsed.head != 0 ? parsed.head : parsed.length);
}

std::size_t Envelope::blockBytes(std::string_view header)
{
    const Header parsed = headerOf(header);
    return parsed.head != 0 ? parsed.length - parsed.head : 0;
}

std::optional<std::uint8_t> Envelope::otherVersionIn(std::string_view packet)
{
    if (packet.size() < kHeaderBytes)
        return std::nullopt;
    const Header header = headerOf(packet);
    return header.magic == kMagic && header.version != kProtocolVersion ? std::optional(header.version) : std::nullopt;
}

bool Envelope::isVersionNotice(std::string_view packet)
{
    return packet.size() >= kHeaderBytes && headerOf(packet).type == std::uint8_t(PacketType::VersionNotice);
}

void Envelope::writeVersionNotice(char* packet)
{
    Header header;
    header.type = std::uint8_t(PacketType::VersionNotice);
    std::memset(packet, 0, kEnvelopeBytes);
    std::memcpy(packet, &header, sizeof header);
}

NodeId Envelope::senderOf(std::string_view header) { return NodeId(headerOf(header).sender); }

} // namespace lhrs
