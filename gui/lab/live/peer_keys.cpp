// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/live/peer_keys.h"

namespace lhrs::gui {

namespace {

bool set(zmq::socket_t& socket, int option, const KeyBytes& key)
{
    return zmq_setsockopt(socket.handle(), option, key.data(), key.size()) == 0;
}

} // namespace

void PeerKeys::use(const std::optional<KeyFile>& key)
{
    const std::lock_guard lock(m_mutex);
    m_servers.clear();
    m_clients.clear();
    m_keys.reset();
    if (key)
        m_keys.emplace(*key);
}

void PeerKeys::note(const pb::ProcessInfo& process)
{
    const std::lock_guard lock(m_mutex);
    for (const std::string* endpoint : { &process.events_endpoint(), &process.control_endpoint() })
        if (process.kind() != pb::CLIENT) {
            m_servers.insert(*endpoint);
            m_clients.erase(*endpoint);
        } else if (!m_servers.contains(*endpoint)) { // a client cannot take a server's endpoint by naming it
            m_clients.insert(*endpoint);
        }
}

void PeerKeys::noteClient(const std::string& endpoint)
{
    const std::lock_guard lock(m_mutex);
    m_servers.erase(endpoint);
    m_clients.insert(endpoint);
}

bool PeerKeys::prepare(zmq::socket_t& socket, const std::string& endpoint) const
{
    const std::lock_guard lock(m_mutex);
    if (!m_keys) // the library's way to say "none" of a socket that may have had keys before
        return zmq_setsockopt(socket.handle(), ZMQ_PLAIN_USERNAME, nullptr, 0) == 0;
    return set(socket, ZMQ_CURVE_SERVERKEY,
               m_clients.contains(endpoint) ? m_keys->clientSockets() : m_keys->serverSockets())
        && set(socket, ZMQ_CURVE_PUBLICKEY, m_keys->asPeer().publicKey)
        && set(socket, ZMQ_CURVE_SECRETKEY, m_keys->asPeer().secretKey);
}

bool PeerKeys::hasKeys() const
{
    const std::lock_guard lock(m_mutex);
    return m_keys.has_value();
}

} // namespace lhrs::gui
