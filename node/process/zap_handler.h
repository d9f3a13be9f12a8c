// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/keys/key_ring.h"

#include <zmq.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

namespace lhrs {

// Decides who may connect to the ZeroMQ sockets of one context, with a thread of its own: holders of a key of this
// cluster, each in the role of its key (RFC 27, "ZAP"). Without it ZeroMQ lets in every peer that knows the socket's
// public key, so it is open before any socket is bound, and sockets refuse everybody while nobody answers for them.
class ZapHandler {
public:
    // `keys` must outlive the handler.
    static Result<std::unique_ptr<ZapHandler>> open(zmq::context_t& context, const KeyRing& keys);
    // Close all sockets of the context first.
    ~ZapHandler();

    // Peers that were not let in since the start.
    std::uint64_t refused() const { return m_refused.load(std::memory_order_relaxed); }

    // Lets only peers whom the handler knows connect to this socket; call it before the socket is bound.
    static void guard(zmq::socket_t& socket, const KeyRing& keys);
    // The role of the peer that has sent this frame through a guarded socket. Watcher: it is not known.
    static PeerRole roleOf(zmq::message_t& frame);

private:
    ZapHandler(zmq::socket_t socket, const KeyRing& keys, int wake);
    void run();
    void answer();

    zmq::socket_t m_socket; // used only by the thread once it runs
    const KeyRing& m_keys;
    const int m_wake; // eventfd: stop
    std::atomic<std::uint64_t> m_refused = 0;
    std::jthread m_thread;
};

} // namespace lhrs
