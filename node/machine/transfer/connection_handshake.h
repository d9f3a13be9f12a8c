// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/node_context.h"

#include <cstdint>
#include <map>

namespace lhrs {

// The way of SDDS-2000 to a connection (2003 report, figure 1): before each long message two datagrams, "I would like to
// connect" and "come", then a connection for this message alone. An experiment beside passive open, where everybody
// listens from the start and connections stay. What the papers do not say is ours: both datagrams may be lost, so the
// first is sent again until the second is there.
class ConnectionHandshake {
public:
    explicit ConnectionHandshake(NodeContext& context) : m_context(context) {}
    void setMode(pb::TcpMode mode) { m_isOn = mode == pb::TCP_HANDSHAKE; }

    // Takes the messages of a step that travel by stream out of its effects, and asks their receivers first.
    void carry(Time now, Effects& out);
    static void onOpenConnection(const pb::Message& message, Effects& out);
    void onConnectionReady(const pb::Message& message, Effects& out);
    void onTime(Time now, Effects& out);
    Time deadline() const;
    // Forgets what waits: the process has another role now.
    void clear() { m_waiting.clear(); }

private:
    struct Waiting {
        Address to;
        NodeId node;
        std::uint32_t tries = 0;  // of the long message
        pb::Message message;
        Effects::Block block; // the message's, where it is long
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
