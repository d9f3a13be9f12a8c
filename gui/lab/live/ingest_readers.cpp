// SPDX-License-Identifier: GPL-3.0-or-later
// Queries of the ingest's readers; any thread.
#include "gui/lab/live/ingest.h"
#include "gui/lab/live/ingest_cluster.h"

#include <future>

namespace lhrs::gui {

ClusterState Ingest::state() const
{
    const std::lock_guard lock(m_mutex);
    return m_cluster->state;
}

std::uint64_t Ingest::revision() const
{
    const std::lock_guard lock(m_mutex);
    return m_cluster->revision;
}

std::uint64_t Ingest::newestEvent() const
{
    const std::lock_guard lock(m_mutex);
    return m_cluster->ring.lastIndex();
}

EventPage Ingest::eventsSince(std::uint64_t cursor, std::size_t max) const
{
    const std::lock_guard lock(m_mutex);
    return m_cluster->ring.since(cursor, max);
}

bool Ingest::waitBeyond(
    std::uint64_t cursor, std::chrono::steady_clock::time_point deadline, const std::stop_token& stop) const
{
    std::unique_lock lock(m_mutex);
    return m_changed.wait_until(lock, stop, deadline, [&] { return m_cluster->ring.lastIndex() > cursor; });
}

bool Ingest::waitFolded(ProcessId process, std::uint64_t sequence, std::chrono::steady_clock::time_point deadline,
    const std::stop_token& stop) const
{
    std::unique_lock lock(m_mutex);
    return m_changed.wait_until(lock, stop, deadline, [&] {
        const auto known = m_cluster->state.processes.find(process);
        return known != m_cluster->state.processes.end()
            && (known->second.sequence >= sequence || known->second.hasEnded);
    });
}

bool Ingest::waitAllFolded(
    std::uint64_t events, std::chrono::steady_clock::time_point deadline, const std::stop_token& stop)
{
    std::promise<void> taken; // earlier tasks are then done, e.g. requests for snapshots
    post([&taken] { taken.set_value(); });
    taken.get_future().wait();
    std::unique_lock lock(m_mutex);
    return m_changed.wait_until(lock, stop, deadline, [&] {
        std::uint64_t received = 0;
        bool isWaiting = false;
        for (const auto& [id, source] : m_cluster->sources) {
            received += source.received;
            isWaiting = isWaiting || source.waitsForSnapshot;
        }
        return !isWaiting && received >= events;
    });
}

IngestCounters Ingest::counters() const
{
    const std::lock_guard lock(m_mutex);
    IngestCounters counters = m_cluster->counters;
    counters.eventsPerSecond = m_eventsPerSecond.load(std::memory_order_relaxed);
    counters.processors = m_processors.load(std::memory_order_relaxed);
    return counters;
}

RunSeries Ingest::series() const
{
    const std::lock_guard lock(m_mutex);
    return m_cluster->series.shown();
}

std::vector<ProcessId> Ingest::silentSince(std::chrono::milliseconds time) const
{
    const std::lock_guard lock(m_mutex);
    std::vector<ProcessId> silent;
    for (const auto& [id, source] : m_cluster->sources) {
        const auto known = m_cluster->state.processes.find(id);
        const bool hasEnded = known != m_cluster->state.processes.end() && known->second.hasEnded;
        if (!hasEnded && std::chrono::steady_clock::now() - source.heard > time)
            silent.push_back(id);
    }
    return silent;
}

} // namespace lhrs::gui
