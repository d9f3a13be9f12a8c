// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/live/ingest.h"

#include "common/protobuf_arena.h"
#include "common/run_clock.h"
#include "gui/lab/live/ingest_cluster.h"
#include "gui/lab/series/run_sink.h"
#include "common/children/wake_up.h"

#include <zmq.hpp>

#include <algorithm>
#include <array>
#include <future>
#include <set>
#include <utility>

namespace lhrs::gui {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kBatchesWaiting = 100'000; // limit of the socket's queue; beyond it there are gaps
constexpr std::int64_t kBatchBytes = 16 << 20; // no valid batch is longer
constexpr std::size_t kHeldBytes = 16u << 20; // held events of one process that wait for its snapshot
constexpr std::int64_t kBetweenClusters = 1'000'000; // ns of virtual time between two clusters
constexpr milliseconds kLookEvery(100);
constexpr std::int64_t kOtherClockNs = 2'000'000'000; // a process whose clock differs by more was not started here
constexpr milliseconds kTailTime(500); // an event published this long ago and not received is lost
constexpr int kBatchesPerTurn = 256;

// The frames of the next message; empty if no message has arrived.
std::vector<zmq::message_t> receiveFrames(zmq::socket_t& socket)
{
    std::vector<zmq::message_t> frames;
    try {
        do {
            zmq::message_t frame;
            if (!socket.recv(frame, zmq::recv_flags::dontwait))
                return {};
            frames.push_back(std::move(frame));
        } while (frames.back().more());
    } catch (const zmq::error_t&) {
        return {}; // interrupted: the next turn continues
    }
    return frames;
}

} // namespace

struct Ingest::Sockets {
    zmq::socket_t subscriber;
    std::set<std::string> endpoints;
    std::vector<std::pair<Clock::time_point, std::string>> closing;

    void close(const std::string& endpoint)
    {
        if (endpoints.erase(endpoint) > 0)
            subscriber.disconnect(endpoint);
    }
};

Ingest::Ingest(zmq::context_t& context)
    : m_startedWallNs(RunClock::own().now()), m_started(Clock::now()), m_anchor { 0, m_started, 1 },
      m_cluster(std::make_unique<Cluster>()), m_wakeUp(std::make_unique<WakeUp>()), m_context(context),
      m_thread([this](const std::stop_token& stop) { run(stop); })
{
}

Ingest::~Ingest()
{
    m_thread.request_stop();
    m_wakeUp->call();
    if (m_thread.joinable())
        m_thread.join();
}

void Ingest::post(Task task)
{
    {
        const std::lock_guard lock(m_taskMutex);
        m_tasks.push_back(std::move(task));
    }
    m_wakeUp->call();
}

void Ingest::onSnapshotWanted(std::function<void(ProcessId)> ask)
{
    std::promise<void> done;
    post([this, &ask, &done] {
        m_askSnapshot = std::move(ask);
        done.set_value();
    });
    done.get_future().wait();
}

void Ingest::watchEvents(const std::string& endpoint)
{
    post([this, endpoint] { connect(endpoint); });
}

void Ingest::addProcess(const pb::ProcessInfo& info)
{
    post([this, info] {
        // A process that was wrongly taken for gone is kept, although its subscription was about to be closed.
        std::erase_if(
            m_sockets->closing, [&](const auto& closing) { return closing.second == info.events_endpoint(); });
        connect(info.events_endpoint());
        const std::lock_guard lock(m_mutex);
        if (info.is_simulated())
            m_cluster->forgotten.erase(info.node()); // the same seed gives the same process numbers again
        if (m_stands)
            return; // its events tell everything from the first on; the time of a command must not affect the run
        m_cluster->introduce(info, nowNs());
        Source& source = m_cluster->source(info.node());
        if (!source.isComplete)
            m_cluster->wantSnapshot(source);
    });
}

void Ingest::endProcess(ProcessId process, const std::string& reason)
{
    // The end has the time of this call, even if many events are processed first. Otherwise a coordinator that
    // detected the end would seem to have known it before.
    post([this, process, reason, now = nowNs()] {
        const std::lock_guard lock(m_mutex);
        const auto at = m_cluster->sources.find(process);
        if (at == m_cluster->sources.end())
            return; // from a former cluster
        Source& source = at->second;
        m_cluster->foldHeld(source, m_startedWallNs);
        source.waitsForSnapshot = false;
        source.isComplete = true; // no process is left to ask
        source.expected = 0;
        const auto known = m_cluster->state.processes.find(process);
        if (known == m_cluster->state.processes.end() || known->second.hasEnded)
            return;
        pb::Told told;
        told.mutable_ended()->set_reason(reason);
        m_cluster->tell(process, told, now);
        // Its last events may still be under way. A simulator publishes for other processes too.
        const bool isShared = std::any_of(
            m_cluster->state.processes.begin(), m_cluster->state.processes.end(), [&](const auto& other) {
                return !other.second.hasEnded && other.second.eventsEndpoint == known->second.eventsEndpoint;
            });
        if (!isShared)
            m_sockets->closing.emplace_back(Clock::now() + kTailTime, known->second.eventsEndpoint);
    });
}

void Ingest::pauseProcess(ProcessId process, bool isPaused)
{
    post([this, process, isPaused, now = nowNs()] {
        const std::lock_guard lock(m_mutex);
        if (!m_cluster->sources.contains(process))
            return;
        pb::Told told;
        told.mutable_paused()->set_is_paused(isPaused);
        m_cluster->tell(process, told, now);
    });
}

void Ingest::refresh(std::vector<ProcessId> processes)
{
    post([this, processes = std::move(processes)] {
        const std::lock_guard lock(m_mutex);
        for (const ProcessId process : processes) {
            const auto at = m_cluster->sources.find(process);
            if (at != m_cluster->sources.end())
                m_cluster->wantSnapshot(at->second);
        }
    });
}

void Ingest::giveSnapshot(ProcessId process, std::shared_ptr<const pb::Snapshot> snapshot)
{
    post([this, process, snapshot = std::move(snapshot)] { applySnapshot(process, snapshot); });
}

void Ingest::noteClock(ProcessId process, std::int64_t offsetNs, std::int64_t errorNs)
{
    post([this, process, offsetNs, errorNs, now = nowNs()] {
        const std::lock_guard lock(m_mutex);
        const auto known = m_cluster->state.processes.find(process);
        if (known == m_cluster->state.processes.end() || known->second.host.empty() || known->second.host == m_host)
            return;
        pb::Told told;
        auto* clock = told.mutable_clock();
        clock->set_offset_ns(offsetNs);
        clock->set_error_ns(std::uint64_t(errorNs));
        // Where the offset is within the error, the clock may well be right.
        clock->set_applied_ns(m_cluster->aheadOf(known->second.host, std::abs(offsetNs) > errorNs ? offsetNs : 0));
        m_cluster->tell(process, told, now);
    });
}

void Ingest::giveSample(std::shared_ptr<const pb::NodeSample> sample)
{
    post([this, sample = std::move(sample)] {
        const std::lock_guard lock(m_mutex);
        const auto at = m_cluster->sources.find(sample->process());
        if (at == m_cluster->sources.end())
            return; // from a former cluster
        at->second.heard = Clock::now();
        // If virtual time stands still, this is the former sample again.
        const auto known = m_cluster->state.processes.find(sample->process());
        if (known != m_cluster->state.processes.end() && sample->is_simulated() && !known->second.samples.empty()) {
            const pb::NodeSample& last = *known->second.samples.back().sample;
            if (last.time_ns() == sample->time_ns() && last.sequence() == sample->sequence())
                return;
        }
        pb::Told told;
        *told.mutable_sampled() = *sample;
        const auto source = m_cluster->sources.find(sample->process());
        const std::int64_t aheadNs = source == m_cluster->sources.end() ? 0 : source->second.aheadNs;
        m_cluster->tell(sample->process(), told, sample->wall_ns() - m_startedWallNs - aheadNs);
    });
}

void Ingest::judge(pb::Told::Judged judged)
{
    post([this, judged = std::move(judged), now = nowNs()] {
        const std::lock_guard lock(m_mutex);
        pb::Told told;
        *told.mutable_judged() = judged;
        m_cluster->tell(0, told, now);
    });
}

ClusterState Ingest::settledInvariants()
{
    judge({}); // evaluates the invariants now: a finding may have waited for its explanation long enough, or not yet
    std::promise<ClusterState> settled;
    post([this, &settled] {
        const std::lock_guard lock(m_mutex);
        settled.set_value(m_cluster->state);
    });
    return settled.get_future().get();
}

void Ingest::expectSequence(ProcessId process, std::uint64_t sequence)
{
    post([this, process, sequence] {
        const std::lock_guard lock(m_mutex);
        const auto at = m_cluster->sources.find(process);
        if (at == m_cluster->sources.end())
            return; // from a former cluster
        Source& source = at->second;
        source.heard = Clock::now();
        if (sequence > source.received && sequence > source.contained) {
            source.expected = sequence;
            source.expectedAt = Clock::now();
        }
    });
}

// Ending a simulator ends all its processes. Whether this is noticed before the cluster is forgotten depends on
// chance, so it is recorded here.
void Ingest::endAll()
{
    const std::lock_guard lock(m_mutex);
    std::vector<ProcessId> living;
    for (const auto& [id, process] : m_cluster->state.processes) {
        if (!process.hasEnded && m_cluster->sources.contains(id))
            living.push_back(id);
    }
    for (const ProcessId id : living) {
        pb::Told told;
        told.mutable_ended()->set_reason("it was ended");
        m_cluster->tell(id, told, nowNs());
    }
}

void Ingest::forgetCluster()
{
    // Completed when this returns: what is read afterwards belongs to the next cluster.
    std::promise<void> done;
    post([this, &done] {
        while (!m_sockets->endpoints.empty())
            m_sockets->close(std::string(*m_sockets->endpoints.begin()));
        m_sockets->closing.clear();
        while (!receiveFrames(m_sockets->subscriber).empty()) { } // events of the former cluster
        if (m_stands)
            endAll();
        {
            const std::lock_guard clockLock(m_clockMutex);
            if (m_stands)
                m_clusterFromNs = m_anchor.runNs += kBetweenClusters;
            else
                m_anchor = { 0, m_started, 1 };
        }
        const std::lock_guard lock(m_mutex);
        for (const auto& [id, source] : m_cluster->sources)
            m_cluster->forgotten.insert(id);
        pb::Told told;
        told.mutable_forgotten();
        m_cluster->tell(0, told, nowNs());
        m_cluster->sources.clear();
        done.set_value();
    });
    done.get_future().wait();
}

void Ingest::recordTo(RunSink* sink)
{
    std::promise<void> done;
    post([this, sink, &done] {
        const std::lock_guard lock(m_mutex);
        m_cluster->recordTo(sink, nowNs());
        done.set_value();
    });
    done.get_future().wait();
}

std::int64_t Ingest::nowNs() const
{
    const std::lock_guard lock(m_clockMutex);
    const auto passed = double(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - m_anchor.real).count());
    return m_anchor.runNs + (m_anchor.factor == 1 ? std::int64_t(passed) : std::int64_t(passed * m_anchor.factor));
}

void Ingest::setVirtualTime(std::int64_t wallNs, double factor)
{
    const std::lock_guard lock(m_clockMutex);
    m_anchor = { wallNs - m_startedWallNs, Clock::now(), factor };
}

void Ingest::standStill()
{
    const std::lock_guard lock(m_clockMutex);
    m_stands = true;
    m_anchor = { 0, m_started, 0 };
}

// ---- the ingest thread

void Ingest::run(const std::stop_token& stop)
{
    Sockets sockets { zmq::socket_t(m_context, zmq::socket_type::sub), {}, {} };
    sockets.subscriber.set(zmq::sockopt::linger, 0);
    sockets.subscriber.set(zmq::sockopt::rcvhwm, kBatchesWaiting);
    sockets.subscriber.set(zmq::sockopt::maxmsgsize, kBatchBytes);
    sockets.subscriber.set(zmq::sockopt::subscribe, "");
    m_sockets = &sockets;
    auto tickAt = Clock::now();
    Clock::time_point gatheredAt;
    while (!stop.stop_requested()) {
        std::array<zmq::pollitem_t, 2> items { { { nullptr, m_wakeUp->descriptor(), ZMQ_POLLIN, 0 },
            { sockets.subscriber.handle(), 0, ZMQ_POLLIN, 0 } } };
        // After a batch the thread waits a moment for tasks only (setGather).
        const auto rest = std::chrono::ceil<milliseconds>(
            gatheredAt + m_gather.load(std::memory_order_relaxed) - Clock::now());
        const bool isGathering = rest.count() > 0;
        const int waitedFor = isGathering ? 1 : int(items.size());
        // An interrupted call counts as a turn without news.
        if (zmq_poll(items.data(), waitedFor, long((isGathering ? rest : kLookEvery).count())) < 0)
            items[0].revents = items[1].revents = 0;
        if ((items[1].revents & ZMQ_POLLIN) != 0) {
            gatheredAt = receive() ? Clock::now() : Clock::time_point();
        }
        if ((items[0].revents & ZMQ_POLLIN) != 0) {
            m_wakeUp->clear();
            std::vector<Task> tasks;
            {
                const std::lock_guard lock(m_taskMutex);
                tasks.swap(m_tasks);
            }
            for (const Task& task : tasks)
                task();
        }
        if (Clock::now() >= tickAt) {
            tickAt = Clock::now() + kLookEvery;
            tick();
        }
        askSnapshots();
    }
    m_sockets = nullptr;
}

bool Ingest::receive()
{
    bool isAll = false;
    for (int turn = 0; turn < kBatchesPerTurn; ++turn) {
        std::vector<zmq::message_t> frames = receiveFrames(m_sockets->subscriber);
        isAll = frames.empty();
        if (isAll)
            break;
        bool isBatch = frames.size() == 2;
        frames.resize(2);
        const zmq::message_t &header = frames[0], &body = frames[1];
        auto batch = std::make_shared<Batch>();
        auto* events = createIn<pb::EventBatch>(batch->arena);
        isBatch = isBatch && batch->header.ParseFromArray(header.data(), int(header.size()))
            && events->ParseFromArray(body.data(), int(body.size())) && batch->header.process() != 0
            && batch->header.first_sequence() > 0 && batch->header.count() > 0;
        std::uint64_t before = isBatch ? batch->header.first_sequence() - 1 : 0;
        for (const pb::Event& event : events->events()) {
            isBatch = isBatch && event.sequence() > before && event.sequence() <= batch->last();
            before = event.sequence();
        }
        if (!isBatch) {
            const std::lock_guard lock(m_mutex);
            ++m_cluster->counters.malformed;
            continue;
        }
        batch->body = events;
        batch->bytes = std::size_t(batch->arena.SpaceAllocated()) + sizeof(Batch);
        take(batch);
    }
    commit();
    return isAll;
}

void Ingest::take(const std::shared_ptr<const Batch>& batch)
{
    const std::lock_guard lock(m_mutex);
    Cluster& cluster = *m_cluster;
    // Successive simulated clusters use the same process numbers; the time of the event tells its cluster.
    const bool isOfFormer = m_stands
        ? batch->body->events_size() > 0 && batch->body->events(0).wall_ns() - m_startedWallNs < m_clusterFromNs
        : cluster.forgotten.contains(batch->header.process());
    if (isOfFormer)
        return;
    Source& source = cluster.source(batch->header.process());
    const pb::EventHeader& header = batch->header;
    // The clock offset is fixed with the first batch; neither clock may jump from then on.
    if (const std::int64_t ahead = header.wall_ns() - RunClock::own().now();
        !source.isOnOurClock && header.wall_ns() != 0 && !header.simulated()) {
        source.isOnOurClock = true;
        source.aheadNs = std::abs(ahead) > kOtherClockNs ? ahead : 0;
    }
    const std::int64_t startedNs = m_startedWallNs + source.aheadNs; // by the clock of the source
    source.heard = Clock::now();
    ++cluster.counters.batches;
    // A header has the real time at which the batch was sent.
    const std::int64_t toldNs = (header.simulated() && batch->body->events_size() > 0 ? batch->body->events(0).wall_ns()
                                                                                      : header.wall_ns())
        - startedNs;
    if (cluster.state.isSimulated != header.simulated()) {
        pb::Told told;
        told.mutable_origin()->set_is_simulated(header.simulated());
        cluster.tell(source.id, told, toldNs);
    }
    if (const auto known = cluster.state.processes.find(source.id);
        known == cluster.state.processes.end() || known->second.id == 0) {
        pb::ProcessInfo info;
        info.set_node(source.id);
        info.set_name(header.name());
        cluster.introduce(info, toldNs);
    }
    const bool isFirst = source.received == 0 && source.contained == 0;
    const std::uint64_t next = std::max(source.received, isFirst ? header.first_sequence() - 1 : 0) + 1;
    if (isFirst)
        source.isComplete = header.first_sequence() == 1;
    if (isFirst && !source.isComplete && m_stands)
        cluster.wantSnapshot(source);
    // Nothing was received yet except a snapshot: the events that it contains are not missing.
    if (source.received == 0 && !isFirst && header.first_sequence() > source.contained + 1)
        cluster.lose(source, source.contained + 1, header.first_sequence() - 1, toldNs);
    else if (source.received != 0 && header.first_sequence() > next)
        cluster.lose(source, next, header.first_sequence() - 1, toldNs);
    const std::uint64_t from = std::max(next, header.first_sequence());
    source.received = std::max(source.received, batch->last());

    if (batch->last() < from)
        return; // received before
    cluster.counters.events += batch->last() - from + 1;
    if (!source.waitsForSnapshot) {
        cluster.fold(source, batch, from, m_startedWallNs);
        return;
    }
    source.held.push_back({ batch, from });
    source.heldBytes += batch->bytes;
    if (source.heldBytes > kHeldBytes)
        // The snapshot is late: an incomplete state is better than an outdated one.
        cluster.foldHeld(source, m_startedWallNs);
}

void Ingest::applySnapshot(ProcessId process, const std::shared_ptr<const pb::Snapshot>& snapshot)
{
    {
        const std::lock_guard lock(m_mutex);
        Cluster& cluster = *m_cluster;
        const auto at = cluster.sources.find(process);
        if (at == cluster.sources.end())
            return; // from the former cluster
        Source& source = at->second;
        source.waitsForSnapshot = false;
        source.heard = Clock::now();
        if (snapshot != nullptr && snapshot->process() == process) {
            const std::uint64_t contained = snapshot->sequence();
            const auto known = cluster.state.processes.find(process);
            const std::uint64_t folded = known == cluster.state.processes.end() ? 0 : known->second.sequence;
            // A snapshot older than the state is useful only for a repair, and only if the held events continue from
            // there.
            const std::uint64_t heldFrom = source.held.empty() ? source.received + 1
                                                               : source.held.front().batch->header.first_sequence();
            const bool fits = contained + 1 >= heldFrom || (source.received == 0 && source.held.empty());
            if (fits && (contained >= folded || !source.held.empty())) {
                pb::Told told;
                *told.mutable_snapshot() = *snapshot;
                // In virtual time the snapshot has its own time; ours may have advanced.
                cluster.tell(process, told, m_stands ? snapshot->wall_ns() - m_startedWallNs : nowNs());
                source.contained = std::max(source.contained, contained);
                source.isComplete = true;
            } else if (!source.isComplete) {
                cluster.wantSnapshot(source);
            }
        }
        cluster.foldHeld(source, m_startedWallNs);
    }
    commit();
}

void Ingest::tick()
{
    std::erase_if(m_sockets->closing, [this](const auto& entry) {
        const bool isDue = Clock::now() >= entry.first;
        if (isDue)
            m_sockets->close(entry.second);
        return isDue;
    });
    {
        const std::lock_guard lock(m_mutex);
        Cluster& cluster = *m_cluster;
        const auto now = Clock::now();
        for (auto& [id, source] : cluster.sources) {
            if (source.expected == 0 || now - source.expectedAt < kTailTime)
                continue;
            const std::uint64_t known = std::max(source.received, source.contained);
            if (source.expected > known)
                cluster.lose(source, known + 1, source.expected, nowNs());
            source.expected = 0;
        }
        if (const auto passed = now - cluster.second; passed >= std::chrono::seconds(1)) {
            const double seconds = std::chrono::duration<double>(passed).count();
            const double events = double(cluster.counters.events - cluster.eventsAtSecond);
            m_eventsPerSecond.store(events / seconds, std::memory_order_relaxed);
            cluster.eventsAtSecond = cluster.counters.events;
            std::uint64_t cpuNs = 0;
            for (const auto& [id, process] : cluster.state.processes)
                cpuNs += process.hasEnded ? 0 : process.gauges.cpu_ns();
            // The sum is smaller than before if a process has ended.
            const std::uint64_t before = cluster.cpuNsAtSecond > 0 ? std::min(cpuNs, cluster.cpuNsAtSecond) : cpuNs;
            m_processors.store(double(cpuNs - before) / 1e9 / seconds, std::memory_order_relaxed);
            cluster.cpuNsAtSecond = cpuNs;
            cluster.second = now;
        }
    }
    commit();
}

void Ingest::connect(const std::string& endpoint)
{
    if (endpoint.empty() || !m_sockets->endpoints.insert(endpoint).second)
        return;
    try {
        if (!m_peerKeys.prepare(m_sockets->subscriber, endpoint))
            throw zmq::error_t();
        // Otherwise a name that has an address of IPv6, too, would be looked for there only.
        m_sockets->subscriber.set(zmq::sockopt::ipv6, endpoint.find('[') != std::string::npos);
        m_sockets->subscriber.connect(endpoint);
    } catch (const zmq::error_t&) {
        // ZeroMQ rejects the endpoint: the process stays silent, which is shown.
        m_sockets->endpoints.erase(endpoint);
    }
}

void Ingest::askSnapshots()
{
    if (!m_askSnapshot)
        return;
    std::vector<ProcessId> wanted;
    {
        const std::lock_guard lock(m_mutex);
        for (auto& [id, source] : m_cluster->sources)
            if (source.waitsForSnapshot && !std::exchange(source.isAsked, true))
                wanted.push_back(id);
    }
    for (const ProcessId id : wanted)
        m_askSnapshot(id);
}

void Ingest::commit()
{
    {
        const std::lock_guard lock(m_mutex);
        m_committed.store(m_cluster->ring.lastIndex(), std::memory_order_release);
    }
    m_changed.notify_all();
}

} // namespace lhrs::gui
