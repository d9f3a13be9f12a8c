// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/keys/key_file.h"

#include <optional>

namespace lhrs {

// What the holder of a client's connection to a ZeroMQ socket may ask for; each may also do what those before it may.
enum class PeerRole { Watcher, Client, Operator };

const char* wordOf(PeerRole role); // "watcher"
std::optional<PeerRole> peerRoleNamed(std::string_view word);

// A key pair of the CURVE mechanism of ZeroMQ. The secret is wiped from memory at the end.
struct CurvePair {
    KeyBytes publicKey {};
    KeyBytes secretKey {};

    CurvePair() = default;
    CurvePair(const CurvePair&) = default;
    CurvePair& operator=(const CurvePair&) = default;
    ~CurvePair();
};

// The keys that a cluster's key hands on. Everything is derived, so that no list of keys has to be kept.
KeyFile clientKeyOf(const KeyFile& cluster);
KeyFile operatorKeyOf(const KeyFile& cluster);

// Everything that a program derives from its key file: the keys of packets, and those of its ZeroMQ sockets. They are
// wiped from memory at the end.
class KeyRing {
public:
    explicit KeyRing(const KeyFile& key);
    KeyRing(const KeyRing&) = default;
    KeyRing& operator=(const KeyRing&) = default;
    ~KeyRing();

    KeyRole role() const { return m_role; }

    // ---- packets between processes

    // For packets between servers; null: only servers know it.
    const KeyBytes* serverPackets() const { return m_serverPackets ? &*m_serverPackets : nullptr; }
    // For packets from and to clients; null: an operator sends none.
    const KeyBytes* clientPackets() const { return m_clientPackets ? &*m_clientPackets : nullptr; }

    // ---- ZeroMQ

    // The pair of this process's own sockets; not with an operator key.
    const CurvePair& ownSockets() const { return m_ownSockets; }
    // The pair with which this program connects to others; it stands for the highest role that its key allows.
    const CurvePair& asPeer() const { return m_asPeer; }
    PeerRole peerRole() const { return m_role == KeyRole::Client ? PeerRole::Client : PeerRole::Operator; }
    // The pair of a program that only watches, for those who are not given more.
    const CurvePair& asWatcher() const { return m_asWatcher; }
    // The public keys of sockets to connect to.
    const KeyBytes& serverSockets() const { return m_serverSockets; }
    const KeyBytes& clientSockets() const { return m_clientSockets; }
    // What the peer with this public key may ask for; nothing: it is not let in.
    std::optional<PeerRole> roleOf(const KeyBytes& publicKey) const;

private:
    KeyRole m_role;
    std::optional<KeyBytes> m_serverPackets, m_clientPackets;
    CurvePair m_ownSockets, m_asPeer, m_asWatcher;
    KeyBytes m_serverSockets {}, m_clientSockets {};
    KeyBytes m_watchers {}, m_clients {}, m_operators {}; // public keys that are let in
};

} // namespace lhrs
