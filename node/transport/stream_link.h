// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/transport/envelope.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lhrs {

// One end of a connection with keys. Before the first frame, the process that connects sends a random number in a
// packet of its own, and the other one answers with a second number; the key of this connection is made of both. After
// each frame, whose own tag proves which process wrote it, comes a tag of the connection over the frame's tag and its
// place in the connection: so no frame can be repeated, left out, moved, or taken from another connection. Without keys
// there is no link, and frames follow each other directly. No sockets; used by one thread.
class StreamLink {
public:
    static constexpr std::size_t kBeginBytes = kEnvelopeBytes + kKeyBytes; // the packet of the process that connects
    static constexpr std::size_t kAnswerBytes = kEnvelopeBytes + 2 * kKeyBytes;

    explicit StreamLink(Envelope& envelope) : m_envelope(envelope) { }

    // ---- the process that connects

    // The first packet; `peer`: the process that is expected there, 0: unknown.
    std::string begin(NodeId peer);
    // Takes the answer. Nothing: the link is ready, and the confirmation is to be sent before the first frame.
    std::optional<Drop> finish(std::string_view answer);
    PacketTag confirmation();

    // ---- the process that accepts

    // Takes the first packet and writes the answer. Nothing: the link is ready.
    std::optional<Drop> accept(std::string_view begin, std::string& answer);

    // Whether the other end has the key of this link. Until it has shown that, nothing that it announces is believed:
    // a recorded first packet brings nobody farther than to the answer.
    bool isConfirmed() const { return m_isConfirmed; }
    bool confirm(std::string_view tag);

    // ---- both, when ready

    bool isReady() const { return m_isReady; }
    NodeId peer() const { return m_peer; }
    // The tag to send after the next frame, whose own tag is this.
    PacketTag next(std::string_view frameTag);
    // Checks the tag that came after the next frame. The frame must have been opened.
    bool check(std::string_view frameTag, std::string_view linkTag);

private:
    bool makeKey(NodeId connecting, NodeId accepting, const KeyBytes* shared);

    Envelope& m_envelope;
    KeyBytes m_own {}; // our random number
    KeyBytes m_theirs {};
    KeyBytes m_key {};
    NodeId m_peer;
    std::uint64_t m_frames = 0;
    bool m_isReady = false, m_isConfirmed = false;
};

} // namespace lhrs
