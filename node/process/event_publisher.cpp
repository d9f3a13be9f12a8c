// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/process/event_publisher.h"

#include "common/wire.h"

#include <pthread.h>
#include <spdlog/spdlog.h>

#include <utility>

namespace lhrs {

namespace {

// Batches that may wait for one watcher: half a minute at one batch each 2 ms.
constexpr int kSendQueue = 16'384;
// How long the end of the process waits for a watcher to take the last events.
constexpr int kLingerMs = 200;
// Nobody sends more than a subscription to this socket.
constexpr std::int64_t kReceiveMax = 1'024;
constexpr std::size_t kSpareBodies = 16;

std::int64_t ns(auto duration)
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
}

} // namespace

Result<std::unique_ptr<EventPublisher>> EventPublisher::open(zmq::context_t& context, PublisherOptions options)
{
    try {
        zmq::socket_t socket(context, zmq::socket_type::pub);
        socket.set(zmq::sockopt::sndhwm, kSendQueue);
        socket.set(zmq::sockopt::linger, kLingerMs);
        socket.set(zmq::sockopt::maxmsgsize, kReceiveMax);
        socket.bind(options.endpoint);
        return std::unique_ptr<EventPublisher>(new EventPublisher(std::move(socket), std::move(options)));
    } catch (const zmq::error_t& error) {
        if (error.num() == EADDRINUSE)
            return Error { "the port of the events " + options.endpoint + " is in use by another program" };
        return Error { "cannot publish events at " + options.endpoint + ": " + error.what() };
    }
}

EventPublisher::EventPublisher(zmq::socket_t socket, PublisherOptions options)
    : m_options(std::move(options))
    , m_socket(std::move(socket))
    , m_endpoint(m_socket.get(zmq::sockopt::last_endpoint))
    , m_thread([this] { run(); })
{
}

EventPublisher::~EventPublisher()
{
    stop();
}

std::uint64_t EventPublisher::lost() const
{
    const std::lock_guard lock(m_mutex);
    return m_lost;
}

void EventPublisher::publish(std::span<pb::Event* const> events)
{
    if (events.empty())
        return;
    bool wakes = false;
    {
        const std::lock_guard lock(m_mutex);
        const bool wasEmpty = m_batches.empty();
        for (const pb::Event* event : events) {
            const std::size_t size = sizeInBatch(*event);
            if (m_events >= m_options.eventsMax || m_bytes + size > m_options.bytesMax) {
                ++m_lost;
                continue;
            }
            Batch& batch = batchFor(event->sequence());
            const std::size_t before = batch.body.size();
            batch.body.resize(before + size);
            appendEvent(*event, batch.body.data() + before);
            ++batch.count;
            ++m_events;
            m_bytes += size;
            wakes = wakes || batch.count == kBatch;
        }
        wakes = (wakes || wasEmpty) && !m_batches.empty();
    }
    if (wakes)
        m_wake.notify_one();
}

// The last batch if the event comes right after it and it has room, else a new one.
EventPublisher::Batch& EventPublisher::batchFor(std::uint64_t sequence)
{
    if (!m_batches.empty()) {
        Batch& last = m_batches.back();
        if (last.count < kBatch && last.first + last.count == sequence)
            return last;
    }
    Batch& batch = m_batches.emplace_back();
    batch.first = sequence;
    batch.lostBefore = m_lost;
    if (!m_spareBodies.empty()) {
        batch.body = std::move(m_spareBodies.back());
        m_spareBodies.pop_back();
    }
    return batch;
}

void EventPublisher::stop()
{
    {
        const std::lock_guard lock(m_mutex);
        m_isStopping = true;
    }
    m_wake.notify_one();
    if (m_thread.joinable())
        m_thread.join();
}

void EventPublisher::run()
{
    pthread_setname_np(pthread_self(), "Event Publisher");
    std::vector<Batch> sending;
    bool isLast = false;
    while (!isLast) {
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, [this] { return m_isStopping || !m_batches.empty(); });
            m_wake.wait_for(lock, kDelay, [this] { return m_isStopping || m_batches.front().count >= kBatch; });
            isLast = m_isStopping;
            sending.swap(m_batches);
            m_events = 0;
            m_bytes = 0;
        }
        for (const Batch& batch : sending)
            send(batch);
        const std::lock_guard lock(m_mutex);
        for (Batch& batch : sending) {
            if (m_spareBodies.size() >= kSpareBodies)
                break;
            batch.body.clear();
            m_spareBodies.push_back(std::move(batch.body));
        }
        sending.clear();
    }
    m_socket.close();
}

void EventPublisher::send(const Batch& batch)
{
    pb::EventHeader header;
    header.set_process(m_options.process);
    header.set_first_sequence(batch.first);
    header.set_count(batch.count);
    header.set_monotonic_ns(ns(std::chrono::steady_clock::now() - m_options.start));
    header.set_wall_ns(ns(std::chrono::system_clock::now().time_since_epoch()));
    header.set_name(m_options.name);
    header.set_lost_before(batch.lostBefore);
    header.set_simulated(m_options.isSimulated);
    try {
        m_socket.send(zmq::buffer(header.SerializeAsString()), zmq::send_flags::sndmore);
        m_socket.send(zmq::buffer(batch.body), zmq::send_flags::none);
    } catch (const zmq::error_t& error) {
        // A PUB socket drops instead of failing; what still fails is out of memory or out of files.
        spdlog::error("events {} to {} were not published: {}", batch.first, batch.first + batch.count - 1, error.what());
    }
}

} // namespace lhrs
