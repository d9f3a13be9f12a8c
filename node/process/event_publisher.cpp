// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/process/event_publisher.h"

#include "common/run_clock.h"
#include "common/wire.h"
#include "node/process/thread_meter.h"
#include "node/process/zap_handler.h"

#include <pthread.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace lhrs {

namespace {

// Limit on batches that wait for one watcher: half a minute at one batch every 2 ms.
constexpr int kSendQueue = 16'384;
// How long a process that is ending waits for watchers to take the last events.
constexpr int kLingerMs = 200;
// This socket receives only subscriptions, which are short.
constexpr std::int64_t kReceiveMax = 1'024;
constexpr std::size_t kSpareBodies = 16;
constexpr int kSubscriberHandshakeMs = 5'000; // then a silent connection is closed
// How often to check, while waiting for a watcher, whether the program is ending.
constexpr int kSendMs = 50;
constexpr int kWatcherLookMs = 50;
constexpr std::chrono::seconds kWatcherPatience(5);

std::int64_t ns(auto duration) { return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count(); }

} // namespace

Result<std::unique_ptr<EventPublisher>> EventPublisher::open(zmq::context_t& context, PublisherOptions options)
{
    try {
        zmq::socket_t socket(context, options.waitsForFirst ? zmq::socket_type::xpub : zmq::socket_type::pub);
        socket.set(zmq::sockopt::ipv6, options.endpoint.find('[') != std::string::npos);
        socket.set(zmq::sockopt::sndhwm, kSendQueue);
        socket.set(zmq::sockopt::linger, kLingerMs);
        socket.set(zmq::sockopt::maxmsgsize, kReceiveMax);
        socket.set(zmq::sockopt::handshake_ivl, kSubscriberHandshakeMs);
        if (options.waitsForWatchers) {
            socket.set(zmq::sockopt::xpub_nodrop, true);
            socket.set(zmq::sockopt::sndtimeo, kSendMs);
        }
        if (options.keys != nullptr)
            ZapHandler::guard(socket, *options.keys);
        socket.bind(options.endpoint);
        return std::unique_ptr<EventPublisher>(new EventPublisher(std::move(socket), std::move(options)));
    } catch (const zmq::error_t& error) {
        if (error.num() == EADDRINUSE)
            return Error { "the port of the events " + options.endpoint + " is in use by another program" };
        return Error { "cannot publish events at " + options.endpoint + ": " + error.what() };
    }
}

EventPublisher::EventPublisher(zmq::socket_t socket, PublisherOptions options)
    : m_options(std::move(options)), m_socket(std::move(socket)), m_endpoint(m_socket.get(zmq::sockopt::last_endpoint)),
      m_thread([this] { run(); })
{
}

EventPublisher::~EventPublisher() { stop(); }

std::uint64_t EventPublisher::lost() const
{
    const std::lock_guard lock(m_mutex);
    return m_lost;
}

std::size_t EventPublisher::waiting() const
{
    const std::lock_guard lock(m_mutex);
    return m_events + m_eventsLeaving;
}

std::size_t EventPublisher::waitingMost() const
{
    const std::lock_guard lock(m_mutex);
    return m_eventsMost;
}

void EventPublisher::publish(const EventSource& source, std::span<pb::Event* const> events)
{
    if (events.empty())
        return;
    bool wakes = false;
    {
        const std::lock_guard lock(m_mutex);
        const bool wasEnough = areEnough(), wasEmpty = m_batches.empty();
        for (const pb::Event* event : events) {
            const std::size_t size = sizeInBatch(*event);
            if (m_events >= m_options.eventsMax || m_bytes + size > m_options.bytesMax) {
                ++m_lost;
                continue;
            }
            Batch& batch = batchFor(source, event->sequence());
            const std::size_t before = batch.body.size();
            batch.body.resize(before + size);
            appendEvent(*event, batch.body.data() + before);
            ++batch.count;
            ++m_events;
            m_bytes += size;
        }
        m_eventsMost = std::max(m_eventsMost, m_events + m_eventsLeaving);
        wakes = (wasEmpty && !m_isBusy && !m_batches.empty()) || (areEnough() && !wasEnough);
    }
    if (wakes)
        m_wake.notify_one();
}

// Returns the process's last batch if the event follows it directly and fits in it, otherwise a new one. A batch of a
// simulated process is not extended after a batch of another process, so that the order that a watcher sees depends on
// the run, not on when batches are sent.
EventPublisher::Batch& EventPublisher::batchFor(const EventSource& source, std::uint64_t sequence)
{
    const auto [at, isFirst] = m_lastOf.try_emplace(source.process, m_batches.size());
    if (!isFirst) {
        Batch& last = m_batches[at->second];
        const bool mayGoOn = !m_options.isSimulated || at->second + 1 == m_batches.size();
        if (mayGoOn && last.count < kBatch && last.first + last.count == sequence)
            return last;
        at->second = m_batches.size();
    }
    Batch& batch = m_batches.emplace_back();
    batch.source = source;
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
    const ThreadMeter meter(m_options.threads, "Event publisher");
    if (m_options.waitsForFirst)
        awaitWatcher();
    std::vector<Batch> sending;
    bool isLast = false;
    while (!isLast) {
        ThreadMeter::become(pb::NodeSample::WAITING);
        {
            std::unique_lock lock(m_mutex);
            if (!m_isBusy)
                m_wake.wait(lock, [this] { return m_isStopping || !m_batches.empty(); });
            m_wake.wait_for(lock, m_isBusy ? kBusyDelay : kDelay, [this] { return m_isStopping || areEnough(); });
            isLast = m_isStopping;
            sending.swap(m_batches);
            m_lastOf.clear();
            m_eventsLeaving = std::exchange(m_events, 0);
            m_isBusy = m_eventsLeaving >= kBusy;
            m_bytes = 0;
        }
        ThreadMeter::become(pb::NodeSample::IN_SOCKET);
        for (const Batch& batch : sending)
            send(batch);
        const std::lock_guard lock(m_mutex);
        m_eventsLeaving = 0;
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

// A watcher's subscription arrives as a message.
void EventPublisher::awaitWatcher()
{
    m_socket.set(zmq::sockopt::rcvtimeo, kWatcherLookMs);
    const auto deadline = std::chrono::steady_clock::now() + kWatcherPatience;
    zmq::message_t subscription;
    while (zmq_msg_recv(subscription.handle(), m_socket.handle(), 0) < 0) { // not yet, or interrupted
        const std::lock_guard lock(m_mutex);
        if (m_isStopping)
            return;
        if (std::chrono::steady_clock::now() >= deadline) {
            spdlog::warn("no watcher has connected; events are published without one");
            return;
        }
    }
}

// Retries if the process waits for its watchers. A program that is ending does not wait; then it returns false.
bool EventPublisher::sendFrame(const std::string& bytes, zmq::send_flags flags)
{
    while (!m_socket.send(zmq::buffer(bytes), flags)) {
        const std::lock_guard lock(m_mutex);
        if (m_isStopping)
            return false;
    }
    return true;
}

void EventPublisher::send(const Batch& batch)
{
    pb::EventHeader header;
    header.set_process(batch.source.process);
    header.set_first_sequence(batch.first);
    header.set_count(batch.count);
    header.set_monotonic_ns(ns(std::chrono::steady_clock::now() - m_options.start));
    header.set_wall_ns(RunClock::own().now());
    header.set_name(batch.source.name);
    header.set_lost_before(batch.lostBefore);
    header.set_simulated(m_options.isSimulated);
    try {
        if (sendFrame(header.SerializeAsString(), zmq::send_flags::sndmore))
            sendFrame(batch.body, zmq::send_flags::none);
    } catch (const zmq::error_t& error) {
        // A PUB socket drops instead of failing, so a failure here means out of memory or out of descriptors.
        spdlog::error(
            "events {} to {} were not published: {}", batch.first, batch.first + batch.count - 1, error.what());
    }
}

} // namespace lhrs
