// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "common/keys/key_ring.h"
#include "proto/event.pb.h"

#include <zmq.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace lhrs {

class ThreadBook;

// The process whose events these are.
struct EventSource {
    std::uint64_t process = 0; // process number
    std::string name;
};

struct PublisherOptions {
    std::string endpoint = "tcp://127.0.0.1:*"; // ZeroMQ; "*": the system chooses the port
    const KeyRing* keys = nullptr; // only holders of a key may watch (the context has a ZapHandler)
    EventSource self; // for a program that is one process
    bool isSimulated = false;
    // A simulated cluster can wait for a slow watcher, so that the watcher misses no event.
    bool waitsForWatchers = false;
    // Sends nothing until the first watcher connects, which then misses nothing; waits for 5 s at most.
    bool waitsForFirst = false;
    std::chrono::steady_clock::time_point start; // start of the process: zero of its monotonic times
    std::size_t eventsMax = 262'144; // limit on waiting events; more are dropped and counted
    std::size_t bytesMax = std::size_t(64) << 20;
    ThreadBook* threads = nullptr; // the book in which its thread is listed
};

// Publishes events to watchers on a ZeroMQ PUB socket with a thread of its own. Events are numbered in order and
// without gaps. They are sent in batches, after 256 events or 2 ms, and each batch has a header that names the numbers
// it covers. A busy process waits for 10 ms, so that its thread is woken and sends less often. Publishing never waits:
// events that find the queue full are dropped, and a reader sees the gap in the numbers and the count in the header. A
// watcher that is too slow loses whole batches in the same way. (For simulated processes see waitsForWatchers.)
class EventPublisher {
public:
    static constexpr std::size_t kBatch = 256;
    static constexpr std::chrono::milliseconds kDelay { 2 }, kBusyDelay { 10 };
    // A process that sent kBusy events the last time is busy. Then kBusyEvents do not wait for the end of the delay.
    static constexpr std::size_t kBusy = 16, kBusyEvents = 4 * kBatch;

    static Result<std::unique_ptr<EventPublisher>> open(zmq::context_t& context, PublisherOptions options);
    ~EventPublisher();

    // The endpoint for a SUB socket, with the port that was chosen.
    const std::string& endpoint() const { return m_endpoint; }
    // Publishes the numbered events of one step. Never blocks, because the driver calls it while it holds the core.
    void publish(std::span<pb::Event* const> events) { publish(m_options.self, events); }
    // The same for one of many processes.
    void publish(const EventSource& source, std::span<pb::Event* const> events);
    // Events that have not been sent yet: the current number, the highest so far, and the limit.
    std::size_t waiting() const;
    std::size_t waitingMost() const;
    std::size_t bound() const { return m_options.eventsMax; }
    // Events dropped because the queue was full, since the start.
    std::uint64_t lost() const;
    // Sends all waiting events; then ends the thread and closes the socket.
    void stop();

private:
    // Consecutive events, already serialized as an EventBatch.
    struct Batch {
        EventSource source;
        std::uint64_t first = 0;
        std::uint32_t count = 0;
        std::uint64_t lostBefore = 0;
        std::string body;
    };

    EventPublisher(zmq::socket_t socket, PublisherOptions options);
    Batch& batchFor(const EventSource& source, std::uint64_t sequence);
    void run();
    void awaitWatcher();
    void send(const Batch& batch);
    // Whether so many events wait that they are sent before the delay ends. Guarded by m_mutex.
    bool areEnough() const { return m_events >= (m_isBusy ? kBusyEvents : kBatch); }
    bool sendFrame(const std::string& bytes, zmq::send_flags flags);

    const PublisherOptions m_options;
    zmq::socket_t m_socket; // used only by the thread once it runs
    std::string m_endpoint;

    // Waiting for the thread; guarded by m_mutex.
    mutable std::mutex m_mutex;
    std::condition_variable m_wake;
    std::vector<Batch> m_batches;
    std::map<std::uint64_t, std::size_t> m_lastOf; // by process: the index of its last batch in m_batches
    std::vector<std::string> m_spareBodies;
    std::size_t m_events = 0;
    std::size_t m_eventsLeaving = 0; // events that the thread has taken
    std::size_t m_eventsMost = 0;
    std::size_t m_bytes = 0;
    std::uint64_t m_lost = 0;
    bool m_isBusy = false;
    bool m_isStopping = false;

    std::jthread m_thread;
};

} // namespace lhrs
