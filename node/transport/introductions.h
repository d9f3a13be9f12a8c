// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/network/endpoint.h"
#include "node/transport/envelope.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace lhrs {

// Which process is at which address, for processes with keys. The process number of a receiver is part of each
// datagram, and it is drawn anew at every start, so no datagram of a former run is ever accepted. A sender that knows
// only an address looks the number up here. If it is not known, or another server has taken over a server's address,
// the receiver does not handle the datagram and answers with an introduction, which is no longer than it: the sender
// then seals the datagram again and sends it once more. A datagram that this costs nobody waits for: the protocol sends
// it again in any case. Thread-safe.
class Introductions {
public:
    using Send = std::function<void(Endpoint to, std::string_view packet)>;
    explicit Introductions(Envelope& envelope, Send send = {}) : m_envelope(envelope), m_send(std::move(send)) { }
    void setSend(Send send) { m_send = std::move(send); }

    // Whom to name as the receiver of a datagram to this address; `known` is the number that the protocol knows, or 0.
    Envelope::To receiverAt(Endpoint address, NodeId known) const;
    // Keeps a copy of a sealed datagram whose receiver had to be looked up, until it is introduced or newer ones come.
    void keep(Endpoint address, std::string_view packet);
    // A valid introduction has come from this address: sends again what was kept for it.
    void learn(Endpoint address, NodeId process);
    // A datagram that was sealed for this process has come from that one. A multicast is sealed for nobody, so it is
    // taken only from a process that has been met: one that was recorded in a former run is from an unknown process.
    void meet(NodeId process);
    bool hasMet(NodeId process) const;
    // Tells that sender which process is here.
    void introduce(Endpoint address, NodeId sender);

    // Bounds of what is kept.
    static constexpr std::size_t kAddressesMax = 1'024; // known
    static constexpr std::size_t kWaitingMax = 64; // addresses with waiting datagrams
    static constexpr std::size_t kWaitingOfOne = 4;
    static constexpr std::size_t kMetMax = 65'536; // processes

private:
    Envelope& m_envelope;
    Send m_send;
    mutable std::mutex m_mutex;
    std::map<Endpoint, NodeId> m_numbers;
    std::set<NodeId> m_met;
    std::map<Endpoint, std::deque<std::string>> m_waiting;
};

} // namespace lhrs
