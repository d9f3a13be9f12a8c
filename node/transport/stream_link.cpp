// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/transport/stream_link.h"

#include <cstring>

namespace lhrs {

namespace {

std::string_view textOf(const KeyBytes& bytes) { return { reinterpret_cast<const char*>(bytes.data()), bytes.size() }; }

template <class Number> void append(std::string& text, Number number)
{
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    text.append(bytes, sizeof bytes);
}

} // namespace

std::string StreamLink::begin(NodeId peer)
{
    fillRandomly(m_own);
    std::string packet(kBeginBytes, '\0');
    std::memcpy(packet.data() + kHeaderBytes, m_own.data(), m_own.size());
    m_envelope.seal(packet.data(), m_own.size(), { peer, true, false }, {}, PacketType::StreamBegin);
    return packet;
}

std::optional<Drop> StreamLink::accept(std::string_view begin, std::string& answer)
{
    const auto result = m_envelope.open(begin);
    if (const Drop* wrong = std::get_if<Drop>(&result))
        return *wrong;
    const auto& opened = std::get<Envelope::Opened>(result);
    if (opened.type != PacketType::StreamBegin || opened.body.size() != kKeyBytes)
        return Drop::WrongLength;
    m_peer = opened.sender;
    std::memcpy(m_theirs.data(), opened.body.data(), kKeyBytes);
    fillRandomly(m_own);
    answer.assign(kAnswerBytes, '\0');
    std::memcpy(answer.data() + kHeaderBytes, m_own.data(), kKeyBytes);
    std::memcpy(answer.data() + kHeaderBytes + kKeyBytes, m_theirs.data(), kKeyBytes);
    m_envelope.seal(answer.data(), 2 * kKeyBytes, m_peer, {}, PacketType::StreamBegin);
    // A process that has only the clients' key and claims to be a server gets a link that only servers can use.
    return makeKey(m_peer, m_envelope.self(), m_envelope.keyFor(m_peer)) ? std::nullopt : std::optional(Drop::OtherKey);
}

std::optional<Drop> StreamLink::finish(std::string_view answer)
{
    const auto result = m_envelope.open(answer);
    if (const Drop* wrong = std::get_if<Drop>(&result))
        return *wrong;
    const auto& opened = std::get<Envelope::Opened>(result);
    if (opened.type != PacketType::StreamBegin || opened.body.size() != 2 * kKeyBytes || opened.isForAddress)
        return Drop::WrongLength;
    if (opened.body.substr(kKeyBytes) != textOf(m_own))
        return Drop::Replayed;
    m_peer = opened.sender;
    std::memcpy(m_theirs.data(), opened.body.data(), kKeyBytes);
    return makeKey(m_envelope.self(), m_peer, m_envelope.keyFor(m_peer)) ? std::nullopt : std::optional(Drop::OtherKey);
}

bool StreamLink::makeKey(NodeId connecting, NodeId accepting, const KeyBytes* shared)
{
    if (shared == nullptr)
        return false;
    const bool isConnecting = connecting == m_envelope.self();
    std::string both = "link of a stream";
    both += textOf(isConnecting ? m_own : m_theirs);
    both += textOf(isConnecting ? m_theirs : m_own);
    append(both, connecting.value);
    append(both, accepting.value);
    m_key = keyFrom(*shared, both);
    m_isReady = true;
    return true;
}

PacketTag StreamLink::confirmation()
{
    constexpr char kNoFrame[kTagBytes] = {};
    return next({ kNoFrame, sizeof kNoFrame });
}

bool StreamLink::confirm(std::string_view tag) { return m_isConfirmed = isSameTag(confirmation(), tag); }

PacketTag StreamLink::next(std::string_view frameTag)
{
    char place[kTagBytes + sizeof m_frames];
    ++m_frames;
    std::memcpy(place, frameTag.data(), kTagBytes);
    std::memcpy(place + kTagBytes, &m_frames, sizeof m_frames);
    return tagOf(&m_key, { place, sizeof place });
}

bool StreamLink::check(std::string_view frameTag, std::string_view linkTag)
{
    return isSameTag(next(frameTag), linkTag);
}

} // namespace lhrs
