// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/process/thread_meter.h"
#include "node/runtime/input.h"
#include "node/runtime/queue.h"
#include "node/transport/envelope.h"
#include "node/transport/fault_shim.h"
#include "node/transport/flood_guard.h"
#include "node/transport/introductions.h"
#include "node/transport/other_versions.h"
#include "node/transport/replay_windows.h"
#include "node/transport/udp_socket.h"

#include <functional>
#include <span>
#include <thread>

namespace lhrs {

// The UDP Listening Thread of the demo paper's figure 2: takes datagrams from a socket, many at a time, opens their
// envelopes and passes the bodies to the working threads, or has them handled at once. Datagrams from other clusters,
// and those that find the queue full, are dropped and counted.
class UdpListener {
public:
    struct Parts {
        const UdpSocket& socket;
        const Envelope& envelope;
        Counters& counters;
        Queue<Input>& inputs;
        pb::Transport transport = pb::UDP;
        // Handles these inputs at once instead of queueing them, or returns false.
        std::function<bool(std::span<Input>)> dealDirectly = {};
        FaultShim* faults = nullptr;
        ThreadBook* threads = nullptr; // the book in which its thread is listed
        Introductions* introductions = nullptr; // with keys
        OtherVersions* otherVersions = nullptr; // not for a multicast group
        ReplayWindows* ofGroup = nullptr; // of a multicast group, with keys: they outlive the membership
    };

    // Starts the thread under this name.
    UdpListener(const char* name, const Parts& parts);
    ~UdpListener();

private:
    void listen(std::stop_token stop);
    bool passes(const Envelope::Opened& opened, Endpoint from);

    const Parts m_parts;
    // Used by the thread. Clients, which can make up process numbers, cannot make it forget what servers have sent.
    ReplayWindows m_servers, m_clients;
    std::jthread m_thread;
};

} // namespace lhrs
