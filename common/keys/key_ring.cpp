// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/keys/key_ring.h"

#include <sodium.h>

namespace lhrs {

namespace {

// What is derived from a secret, by number: never give one of them another meaning.
enum class Purpose : std::uint64_t {
    ServerPackets = 1, // from the cluster's secret, as are the next three
    ServerSockets = 2,
    Client = 3,
    Operator = 4,
    ClientPackets = 1, // from the client's secret, as are the next three
    ClientSockets = 2,
    ClientPeer = 3,
    Watcher = 4,
    OperatorPeer = 1, // from the operator's secret
};

constexpr char kOfCluster[crypto_kdf_CONTEXTBYTES + 1] = "lhrsclst";
constexpr char kOfClient[crypto_kdf_CONTEXTBYTES + 1] = "lhrsclnt";
constexpr char kOfOperator[crypto_kdf_CONTEXTBYTES + 1] = "lhrsoper";

static_assert(crypto_kdf_KEYBYTES == kKeyBytes && crypto_box_SEEDBYTES == kKeyBytes
    && crypto_box_PUBLICKEYBYTES == kKeyBytes && crypto_box_SECRETKEYBYTES == kKeyBytes);

// Writes where the key is kept, so that no copy of it stays behind.
void derive(KeyBytes& derived, const KeyBytes& secret, const char* context, Purpose purpose)
{
    crypto_kdf_derive_from_key(derived.data(), derived.size(), std::uint64_t(purpose), context, secret.data());
}

CurvePair pairFrom(const KeyBytes& secret, const char* context, Purpose purpose)
{
    KeyBytes seed;
    derive(seed, secret, context, purpose);
    CurvePair pair;
    crypto_box_seed_keypair(pair.publicKey.data(), pair.secretKey.data(), seed.data());
    sodium_memzero(seed.data(), seed.size());
    return pair;
}

KeyBytes publicOf(const KeyBytes& secret, const char* context, Purpose purpose)
{
    return pairFrom(secret, context, purpose).publicKey;
}

bool isSame(const KeyBytes& a, const KeyBytes& b) { return sodium_memcmp(a.data(), b.data(), a.size()) == 0; }

} // namespace

const char* wordOf(PeerRole role)
{
    switch (role) {
    case PeerRole::Watcher: return "watcher";
    case PeerRole::Client: return "client";
    case PeerRole::Operator: return "operator";
    }
    return "unknown";
}

std::optional<PeerRole> peerRoleNamed(std::string_view word)
{
    for (const PeerRole role : { PeerRole::Watcher, PeerRole::Client, PeerRole::Operator })
        if (word == wordOf(role))
            return role;
    return std::nullopt;
}

KeyFile clientKeyOf(const KeyFile& cluster)
{
    KeyFile key;
    key.role = KeyRole::Client;
    derive(key.secret, cluster.secret, kOfCluster, Purpose::Client);
    key.servers = publicOf(cluster.secret, kOfCluster, Purpose::ServerSockets);
    key.operators = publicOf(operatorKeyOf(cluster).secret, kOfOperator, Purpose::OperatorPeer);
    return key;
}

KeyFile operatorKeyOf(const KeyFile& cluster)
{
    KeyFile key;
    key.role = KeyRole::Operator;
    derive(key.secret, cluster.secret, kOfCluster, Purpose::Operator);
    key.servers = publicOf(cluster.secret, kOfCluster, Purpose::ServerSockets);
    KeyFile client; // wipes its secret
    derive(client.secret, cluster.secret, kOfCluster, Purpose::Client);
    key.clients = publicOf(client.secret, kOfClient, Purpose::ClientSockets);
    return key;
}

KeyRing::KeyRing(const KeyFile& key) : m_role(key.role)
{
    const bool isCluster = key.role == KeyRole::Cluster;
    // From the cluster's key everything is derived, including the other two keys.
    const KeyFile ofClient = isCluster ? clientKeyOf(key) : key;
    const KeyFile ofOperator = isCluster ? operatorKeyOf(key) : key;
    if (isCluster) {
        derive(m_serverPackets.emplace(), key.secret, kOfCluster, Purpose::ServerPackets);
        m_ownSockets = pairFrom(key.secret, kOfCluster, Purpose::ServerSockets);
    }
    if (key.role != KeyRole::Operator) {
        derive(m_clientPackets.emplace(), ofClient.secret, kOfClient, Purpose::ClientPackets);
        const CurvePair sockets = pairFrom(ofClient.secret, kOfClient, Purpose::ClientSockets);
        if (!isCluster)
            m_ownSockets = sockets;
        m_clientSockets = sockets.publicKey;
        m_asPeer = pairFrom(ofClient.secret, kOfClient, Purpose::ClientPeer);
        m_asWatcher = pairFrom(ofClient.secret, kOfClient, Purpose::Watcher);
        m_clients = m_asPeer.publicKey;
        m_watchers = m_asWatcher.publicKey;
        m_operators = ofClient.operators;
    }
    if (key.role != KeyRole::Client) {
        m_asPeer = pairFrom(ofOperator.secret, kOfOperator, Purpose::OperatorPeer);
        m_operators = m_asPeer.publicKey;
        m_clientSockets = ofOperator.clients;
    }
    m_serverSockets = isCluster ? m_ownSockets.publicKey : key.servers;
}

KeyRing::~KeyRing()
{
    for (auto* key : { &m_serverPackets, &m_clientPackets })
        if (*key)
            sodium_memzero((*key)->data(), (*key)->size());
}

CurvePair::~CurvePair() { sodium_memzero(secretKey.data(), secretKey.size()); }

std::optional<PeerRole> KeyRing::roleOf(const KeyBytes& publicKey) const
{
    if (isSame(publicKey, m_operators))
        return PeerRole::Operator;
    if (m_role == KeyRole::Operator) // has no sockets of its own
        return std::nullopt;
    if (isSame(publicKey, m_clients))
        return PeerRole::Client;
    if (isSame(publicKey, m_watchers))
        return PeerRole::Watcher;
    return std::nullopt;
}

} // namespace lhrs
