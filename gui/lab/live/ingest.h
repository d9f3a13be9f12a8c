// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/live/peer_keys.h"
#include "gui/lab/state/cluster_state.h"
#include "gui/lab/state/event_feed.h"
#include "gui/lab/state/process/event_ring.h"
#include "gui/lab/series/run_series.h"
#include "proto/control.pb.h"
#include "proto/event.pb.h"

#include <QSysInfo>

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

namespace lhrs {
class WakeUp;
}

namespace lhrs::gui {

class RunSink;

struct IngestCounters {
    std::uint64_t events = 0; // received
    std::uint64_t lost = 0; // numbers that never arrived
    std::uint64_t batches = 0;
    std::uint64_t malformed = 0; // messages that were not valid batches
    double eventsPerSecond = 0; // over the last full second
    double processors = 0; // processor seconds per second of the cluster's processes, over the last full second
};

// Receives the events of all processes in one thread: checks their sequence numbers, folds them into the cluster's
// state, keeps the newest in a ring, and wakes waiting threads. Readers copy the state (record pages are shared) and
// read events by cursor; there is no signal per event. A gap in a process's numbers becomes a row, and a snapshot is
// requested.
class Ingest : public EventFeed {
public:
    explicit Ingest(zmq::context_t& context);
    ~Ingest() override;
    Ingest(const Ingest&) = delete;
    Ingest& operator=(const Ingest&) = delete;

    // ---- called by the control thread and by the code that starts processes (any thread)

    // Sets the function that requests a snapshot of a process; it is called in the ingest thread. When this returns,
    // the former function is not called any more, and what it uses may be destroyed. Not to be called in the ingest
    // thread.
    void onSnapshotWanted(std::function<void(ProcessId)> ask);
    // Subscribes to an events endpoint, e.g. tcp://127.0.0.1:4711. A repeated call has no effect.
    void watchEvents(const std::string& endpoint);
    // The keys with which this and everyone else here connects to the processes.
    PeerKeys& peerKeys() { return m_peerKeys; }
    // Subscribes to the process and requests a snapshot of it, unless it was observed from its first event on.
    void addProcess(const pb::ProcessInfo& info);
    // Records that the process has ended.
    void endProcess(ProcessId process, const std::string& reason);
    // Records that the process was paused or resumed.
    void pauseProcess(ProcessId process, bool isPaused);
    // Requests new snapshots of the processes after a change that no event reports (the detail level, a client's
    // mode).
    void refresh(std::vector<ProcessId> processes);
    // Delivers a requested snapshot; nullptr if none arrived.
    void giveSnapshot(ProcessId process, std::shared_ptr<const pb::Snapshot> snapshot);
    // Tells how far the clock of the process is ahead of ours, plus or minus the error; of one on this computer it is
    // not kept. The events of all processes of a computer are put on our clock in the same way, by its first reading or
    // the first of its events, whichever came first, so that their order stays.
    void noteClock(ProcessId process, std::int64_t offsetNs, std::int64_t errorNs);
    // Delivers a sample of a watched process.
    void giveSample(std::shared_ptr<const pb::NodeSample> sample);
    // Delivers the findings of an audit, ledger, witness or the simulator, for the monitor of the invariants.
    void judge(pb::Told::Judged judged);
    // The state after all findings given to judge() so far, with the invariants as they are now, even if no events
    // arrive. Not to be called in the ingest thread.
    ClusterState settledInvariants();
    // The process has published events up to `sequence`. If they do not arrive soon, they count as lost.
    void expectSequence(ProcessId process, std::uint64_t sequence);
    // Sets virtual time as the simulator reports it: its present value and its speed relative to real time.
    void setVirtualTime(std::int64_t wallNs, double factor);
    // All clusters will be simulated ones that wait for commands: the run's clock stands still until virtual time moves
    // it, so that the run contains no real time. To be called before the first cluster is watched.
    void standStill();
    bool standsStill() const { return m_stands; }
    // Begins another cluster: forgets all processes and the state, but keeps the ring and the clock. Not to be called
    // in the ingest thread.
    void forgetCluster();

    // How long events are gathered between two receptions. Those of many processes are then taken in together, and the
    // ingest thread interrupts the cluster's processes less often.
    void setGather(std::chrono::milliseconds time) { m_gather.store(time, std::memory_order_relaxed); }

    // Passes everything to the sink from now on, the present state first; null: to no sink. When this returns, the
    // former sink may be destroyed. Not to be called in the ingest thread.
    void recordTo(RunSink* sink);

    // ---- for readers (any thread)

    ClusterState state() const override;
    // Increases with each change of the state.
    std::uint64_t revision() const override;
    // The index of the newest event; comparing it tells whether there is anything new.
    std::uint64_t committed() const override { return m_committed.load(std::memory_order_acquire); }
    // The same, but also valid while a batch is being folded: the state contains no event beyond it.
    std::uint64_t newestEvent() const;
    EventPage eventsSince(std::uint64_t cursor, std::size_t max) const override;
    // Waits until there are events after the cursor. False: the deadline passed or the wait was stopped.
    bool waitBeyond(
        std::uint64_t cursor, std::chrono::steady_clock::time_point deadline, const std::stop_token& stop) const;
    // Waits until the process's events up to `sequence` are folded.
    bool waitFolded(ProcessId process, std::uint64_t sequence, std::chrono::steady_clock::time_point deadline,
        const std::stop_token& stop) const;
    // Waits until this many events of the cluster are folded, over all its processes including ended ones, and until
    // all requested snapshots have arrived.
    bool waitAllFolded(
        std::uint64_t events, std::chrono::steady_clock::time_point deadline, const std::stop_token& stop);
    IngestCounters counters() const;
    // The run as series over time, for charts. This copies about 1 MB and is too slow for every frame.
    RunSeries series() const;
    // Processes from which nothing was received for this long.
    std::vector<ProcessId> silentSince(std::chrono::milliseconds time) const;
    // The run's clock: ns since this object was made. Process clocks are aligned with it by their wall time. In a
    // simulated cluster it follows virtual time.
    std::int64_t nowNs() const override;
    std::int64_t startedWallNs() const { return m_startedWallNs; }

private:
    struct Source;
    struct Batch;
    struct Cluster;
    using Task = std::function<void()>;

    void post(Task task);
    void run(const std::stop_token& stop);
    // Receives waiting batches up to a bound. True: all of them.
    bool receive();
    void take(const std::shared_ptr<const Batch>& batch);
    void endAll();
    void applySnapshot(ProcessId process, const std::shared_ptr<const pb::Snapshot>& snapshot);
    void tick();
    void connect(const std::string& endpoint);
    void askSnapshots();
    void commit();

    const std::int64_t m_startedWallNs;
    const std::string m_host = QSysInfo::machineHostName().toStdString();
    const std::chrono::steady_clock::time_point m_started;
    std::atomic<std::uint64_t> m_committed { 0 };
    std::atomic<double> m_eventsPerSecond { 0 }, m_processors { 0 };
    std::atomic<std::chrono::milliseconds> m_gather { std::chrono::milliseconds(8) };
    std::function<void(ProcessId)> m_askSnapshot;

    // The run's clock was `runNs` at real time `real` and has run at `factor` since; guarded by m_clockMutex.
    struct Anchor {
        std::int64_t runNs = 0;
        std::chrono::steady_clock::time_point real;
        double factor = 1;
    };
    mutable std::mutex m_clockMutex;
    Anchor m_anchor;
    std::atomic<bool> m_stands = false; // see standStill()
    std::atomic<std::int64_t> m_clusterFromNs = 0; // if it stands still: where on the run's clock this cluster begins

    mutable std::mutex m_taskMutex;
    std::vector<Task> m_tasks; // guarded by m_taskMutex

    mutable std::mutex m_mutex;
    mutable std::condition_variable_any m_changed;
    std::unique_ptr<Cluster> m_cluster; // state, ring, sources, counters; guarded by m_mutex

    std::unique_ptr<WakeUp> m_wakeUp;
    PeerKeys m_peerKeys;
    zmq::context_t& m_context;
    struct Sockets;
    Sockets* m_sockets = nullptr; // owned by the ingest thread while it runs
    std::jthread m_thread;
};

} // namespace lhrs::gui
