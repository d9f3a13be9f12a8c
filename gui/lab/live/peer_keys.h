// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/keys/key_ring.h"
#include "proto/process.pb.h"

#include <zmq.hpp>

#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace lhrs::gui {

// With which keys this program connects to the processes of the cluster that it watches. Thread-safe.
class PeerKeys {
public:
    // From now on the sockets that are connected have the keys of this file; empty: the cluster has none.
    void use(const std::optional<KeyFile>& key);
    // The processes that have just been made known: sockets of clients have another key than those of servers.
    void note(const pb::ProcessInfo& process);
    // A client that was started here has this endpoint, whichever process had it before.
    void noteClient(const std::string& endpoint);
    // Prepares a socket for the next connect() to this endpoint. False: the library does not take the keys.
    bool prepare(zmq::socket_t& socket, const std::string& endpoint) const;
    bool hasKeys() const;

private:
    mutable std::mutex m_mutex;
    std::optional<KeyRing> m_keys;
    std::set<std::string> m_servers, m_clients; // endpoints
};

} // namespace lhrs::gui
