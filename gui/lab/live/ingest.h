// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/lab/state/event_ring.h"
#include "gui/lab/series/run_series.h"
#include "proto/control.pb.h"
#include "proto/event.pb.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace zmq {
class context_t;
}

namespace lhrs::gui {

class RunSink;
class WakeUp;

struct IngestCounters {
    std::uint64_t events = 0;     // received
    std::uint64_t lost = 0;       // numbers that never came
    std::uint64_t batches = 0;
    std::uint64_t malformed = 0;  // messages that were no batch of ours
    double eventsPerSecond = 0;   // over the last full second
};

// Receives the events of all processes in one thread: checks their numbers, folds them into the cluster's state, keeps
// the newest, and wakes who waits. Readers copy the state (the pages of records are shared) and read events by cursor;
// nothing is signalled per event. A gap in a process' numbers is a row, and a snapshot is asked for.
class Ingest {
public:
    explicit Ingest(zmq::context_t& context);
    ~Ingest();
    Ingest(const Ingest&) = delete;
    Ingest& operator=(const Ingest&) = delete;

    // ---- from the control thread and who starts processes (any thread)

    // Who is asked for a snapshot of a process; called in the ingest thread. Set once, before the first process.
    void onSnapshotWanted(std::function<void(ProcessId)> ask);
    // Listens to an events endpoint, e.g. tcp://127.0.0.1:4711; a second time changes nothing.
    void watchEvents(const std::string& endpoint);
    // Listens to the process and has a snapshot of it asked for, unless it was seen from its first event on.
    void addProcess(const pb::ProcessInfo& info);
    // The process is known to have ended.
    void endProcess(ProcessId process, const std::string& reason);
    // The process is known to stand still, or to go on again.
    void pauseProcess(ProcessId process, bool isPaused);
    // Something changed of which no event tells (the detail, a client's mode): wants new snapshots of the processes.
    void refresh(std::vector<ProcessId> processes);
    // The answer to a wanted snapshot; in its place nullptr when none came.
    void giveSnapshot(ProcessId process, std::shared_ptr<const pb::Snapshot> snapshot);
    // What a process that is watched did at the moment of its asking.
    void giveSample(std::shared_ptr<const pb::NodeSample> sample);
    // What an audit, a ledger, a witness or the simulator found of invariants, for the lamps.
    void judge(pb::Told::Judged judged);
    // The state with all that was given to judge() before, and with the lamps as they are at this moment, whether or not
    // events come. Not in the ingest thread.
    ClusterState settledLamps();
    // The process has published events up to `sequence`; if they do not arrive soon, they are lost.
    void expectSequence(ProcessId process, std::uint64_t sequence);
    // Virtual time as the simulator says: what its wall clock shows now, and how fast it goes.
    void setVirtualTime(std::int64_t wallNs, double factor);
    // All clusters will be simulated ones that wait for commands: the run's clock stands where it is until virtual time moves it,
    // so that no real time is in the run. Before the first one is watched.
    void standStill();
    bool standsStill() const { return m_stands; }
    // Another cluster: forgets all processes and the state; the ring and the clock go on. Not in the ingest thread.
    void forgetCluster();

    // From now on gives everything to the sink, the present state first; null: to nobody. Done when this returns, so that
    // the sink may go. Not in the ingest thread.
    void recordTo(RunSink* sink);

    // ---- for readers (any thread)

    ClusterState state() const;
    // Grows with each change of the state.
    std::uint64_t revision() const;
    // The index of the newest event; one number that says whether there is anything new.
    std::uint64_t committed() const { return m_committed.load(std::memory_order_acquire); }
    // The same while a batch is being taken in: no event that the state knows is beyond it.
    std::uint64_t newestEvent() const;
    EventPage eventsSince(std::uint64_t cursor, std::size_t max) const;
    // Waits until there are events after the cursor; false: the deadline passed or the wait was stopped.
    bool waitBeyond(std::uint64_t cursor, std::chrono::steady_clock::time_point deadline,
        const std::stop_token& stop) const;
    // Waits until the process' events up to `sequence` are folded.
    bool waitFolded(ProcessId process, std::uint64_t sequence, std::chrono::steady_clock::time_point deadline,
        const std::stop_token& stop) const;
    // Waits until so many events of this cluster are folded, over all its processes, those that have ended, too; and until all
    // snapshots that are wanted are there.
    bool waitAllFolded(std::uint64_t events, std::chrono::steady_clock::time_point deadline, const std::stop_token& stop);
    IngestCounters counters() const;
    // The run as numbers over time, to be drawn; a copy of about a megabyte, so not for every frame.
    RunSeries series() const;
    // Processes of which nothing was received for that long.
    std::vector<ProcessId> silentSince(std::chrono::milliseconds time) const;
    // The run's clock: ns since this object was made; process clocks are put on it by their wall time. Of a simulated
    // cluster it goes as virtual time does.
    std::int64_t nowNs() const;
    std::int64_t startedWallNs() const { return m_startedWallNs; }

private:
    struct Source;
    struct Batch;
    struct Cluster;
    using Task = std::function<void()>;

    void post(Task task);
    void run(const std::stop_token& stop);
    // Takes in what waits, up to a bound; true: all of it.
    bool receive();
    void take(const std::shared_ptr<const Batch>& batch);
    void endAll();
    void applySnapshot(ProcessId process, const std::shared_ptr<const pb::Snapshot>& snapshot);
    void tick();
    void connect(const std::string& endpoint);
    void askSnapshots();
    void commit();

    const std::int64_t m_startedWallNs;
    const std::chrono::steady_clock::time_point m_started;
    std::atomic<std::uint64_t> m_committed { 0 };
    std::atomic<double> m_eventsPerSecond { 0 };
    std::function<void(ProcessId)> m_askSnapshot;

    // The run's clock is `runNs` at `real`, and goes at `factor` since; guarded by m_clockMutex.
    struct Anchor {
        std::int64_t runNs = 0;
        std::chrono::steady_clock::time_point real;
        double factor = 1;
    };
    mutable std::mutex m_clockMutex;
    Anchor m_anchor;
    std::atomic<bool> m_stands = false; // see standStill()
    std::atomic<std::int64_t> m_clusterFromNs = 0; // then: where on the run's clock this cluster begins

    mutable std::mutex m_taskMutex;
    std::vector<Task> m_tasks; // guarded by m_taskMutex

    mutable std::mutex m_mutex;
    mutable std::condition_variable_any m_changed;
    std::unique_ptr<Cluster> m_cluster; // state, ring, sources, counters; guarded by m_mutex

    std::unique_ptr<WakeUp> m_wakeUp;
    zmq::context_t& m_context;
    struct Sockets;
    Sockets* m_sockets = nullptr; // of the ingest thread, while it runs
    std::jthread m_thread;
};

} // namespace lhrs::gui
