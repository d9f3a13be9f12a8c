// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/runtime/input.h"
#include "node/runtime/queue.h"
#include "node/runtime/udp_listener.h"
#include "node/transport/envelope.h"
#include "node/transport/udp_socket.h"

#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

namespace lhrs {

// The Multicast Listening and Multicast Working Threads of the demo paper's figure 2. They exist while the process is
// an idle server in the multicast group of its pool, and end when it is recruited. Used by one thread, except for
// sample().
class MulticastListener {
public:
    // What the Multicast Working Thread does with its queue until it is stopped.
    using Work = std::function<void(Queue<Input>& inputs, std::stop_token stop)>;

    // `introductions`: null without keys.
    MulticastListener(const Envelope& envelope, Counters& counters, FaultShim& faults, Introductions* introductions,
        Work work, ThreadBook* threads);
    ~MulticastListener();

    // From now on listens to this group only. Error: multicast does not work here.
    Result<void> join(Endpoint group, Ip interfaceIp);
    // Ends both threads.
    void leave();
    // Describes the queue between the two threads while they exist; may be called from any thread.
    void sample(pb::NodeSample& out) const;

private:
    struct Membership;

    const Envelope& m_envelope;
    Counters& m_counters;
    FaultShim& m_faults;
    Introductions* const m_introductions;
    ReplayWindows m_windows; // used by the thread of the present membership
    const Work m_work;
    ThreadBook* const m_threads;
    mutable std::mutex m_mutex;
    // Guarded by m_mutex; changed by one thread.
    std::unique_ptr<Membership> m_membership;
};

} // namespace lhrs
