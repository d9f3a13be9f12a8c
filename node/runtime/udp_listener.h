// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/process/thread_meter.h"
#include "node/runtime/input.h"
#include "node/runtime/queue.h"
#include "node/transport/envelope.h"
#include "node/transport/fault_shim.h"
#include "node/transport/udp_socket.h"

#include <functional>
#include <span>
#include <thread>

namespace lhrs {

// The UDP Listening Thread of the demo paper's figure 2: takes datagrams from a socket, many at a time, opens their
// envelopes and passes the bodies on to the working threads, or has them dealt with at once. What is not ours, and what
// finds the queue full, is dropped and counted.
class UdpListener {
public:
    struct Parts {
        const UdpSocket& socket;
        const Envelope& envelope;
        Counters& counters;
        Queue<Input>& inputs;
        pb::Transport transport = pb::UDP;
        // Deals with these inputs at once instead of queueing them, or says false.
        std::function<bool(std::span<Input>)> dealDirectly = {};
        FaultShim* faults = nullptr;
        ThreadBook* threads = nullptr; // in which it has its line
    };

    // Starts the thread, which shows this name to the system.
    UdpListener(const char* name, const Parts& parts);
    ~UdpListener();

private:
    void listen(std::stop_token stop);

    const Parts m_parts;
    std::jthread m_thread;
};

} // namespace lhrs
