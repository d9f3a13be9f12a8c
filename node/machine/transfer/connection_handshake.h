// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/node_context.h"

#include <cstdint>
#include <map>

namespace lhrs {

// The connection setup of SDDS-2000 (2003 report, figure 1). Two datagrams precede each long message: a request to
// connect and the answer "come". Then a connection is opened for this message alone. This is an experiment, for
// comparison with passive open, where every process listens from the start and connections persist. The papers do not
// cover loss. Here either datagram may be lost, so the first is resent until the second arrives.
class ConnectionHandshake {
public:
    explicit ConnectionHandshake(NodeContext& context) : m_context(context) { }
    void setMode(pb::TcpMode mode) { m_isOn = mode == pb::TCP_HANDSHAKE; }

    // Takes the messages of a step that travel by stream out of its effects and first sends a request to connect to
    // their receivers.
    void carry(Time now, Effects& out);
    static void onOpenConnection(const pb::Message& message, Effects& out);
    void onConnectionReady(const pb::Message& message, Effects& out);
    void onTime(Time now, Effects& out);
    Time deadline() const;
    // Forgets the waiting messages: the process has another role now.
    void clear() { m_waiting.clear(); }

private:
    struct Waiting {
        Address to;
        NodeId node;
        std::uint32_t tries = 0; // resends of the long message
        pb::Message message;
        Effects::Block block; // the message's record block, if it is long
        std::uint32_t asked = 0;
        Time due {};
    };
    void ask(std::uint64_t connection, Waiting& waiting, Time now, Effects& out) const;

    NodeContext& m_context;
    bool m_isOn = false;
    std::uint64_t m_lastConnection = 0;
    std::map<std::uint64_t, Waiting> m_waiting;
};

} // namespace lhrs
