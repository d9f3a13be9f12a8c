// SPDX-License-Identifier: GPL-3.0-or-later
// A whole cluster that consists of sockets only: every process of a file publishes what a test tells it to, knows its
// own state for snapshots, and keeps the commands that it received. Events take the real path into the window, but
// there is no store.
#pragma once

#include "tests/rigs/lab/fake_process.h"
#include "tests/rigs/gui/view_stage.h"

#include <QElapsedTimer>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>

namespace lhrs::gui {

class FakeCluster {
public:
    explicit FakeCluster(const FileShape& shape);
    ~FakeCluster();

    // HOST:PORT of the coordinator's control endpoint, in the form that a person types.
    QString address() const;
    FakeProcess& process(ProcessId id) { return *m_processes.at(id); }

    // Publishes the events with consecutive numbers and wall-clock times; one thread per process.
    void tell(ProcessId id, std::vector<pb::Event> events);
    void tell(ProcessId id, pb::Event event) { tell(id, std::vector<pb::Event> { std::move(event) }); }

    // The process is gone: it does not answer, and the coordinator no longer lists it.
    void end(ProcessId id);
    // The coordinator no longer lists the process, as if it were cut off from the others.
    void cutOff(ProcessId id);

    // Commands with an effect, each with its receiver, in the order of arrival.
    struct Order {
        ProcessId process = 0;
        pb::Command command;
    };
    std::vector<Order> orders() const;
    // The first order of that kind; empty if there was none.
    std::optional<Order> order(pb::Command::BodyCase body) const;
    void forgetOrders();
    // The records that the buckets report.
    using Contents = std::function<pb::ContentsPage(ProcessId, const pb::ReadContents&)>;
    void setContents(Contents contents);
    // The sample that a watched process reports.
    using Samples = std::function<pb::NodeSample(ProcessId)>;
    void setSamples(Samples samples);
    // Its processes have gates, and hold these messages.
    void setGate(std::map<ProcessId, std::vector<pb::HeldMessage>> held);
    // The number of records that each client reports as stored.
    void setKeysKnown(std::uint64_t keys);
    // The reply to orders.
    void setReply(const pb::CommandReply& reply);

private:
    static std::int64_t wallNs();

    std::optional<pb::CommandReply> answer(ProcessId id, const pb::Command& command);

    pb::CommandReply gate(ProcessId id, const pb::Command& command);

    pb::CommandReply list() const;

    pb::CommandReply snapshot(ProcessId id) const;

    void describe(pb::FileDescription& file) const;
    static void describe(const ClientState& from, const FileClient& known, pb::ClientDescription& client);
    static void describe(const DataBucketState& from, pb::Snapshot::DataBucket& bucket);
    static void describe(const ParityBucketState& from, pb::Snapshot::ParityBucket& bucket);

    mutable std::mutex m_mutex; // guards what follows, except the processes, which never change
    bool m_isReady = false;
    ClusterState m_state;
    std::set<ProcessId> m_ended, m_cutOff;
    std::vector<Order> m_orders;
    pb::CommandReply m_reply;
    Contents m_contents;
    Samples m_samples;
    std::uint64_t m_keysKnown = 100;
    bool m_hasGate = false;
    std::map<ProcessId, bool> m_isGated;
    std::map<ProcessId, std::vector<pb::HeldMessage>> m_held;
    std::map<ProcessId, std::unique_ptr<FakeProcess>> m_processes;
};

// The longest time during which the event loop did not run while this exists: a timer of a few milliseconds, and the
// time between its ticks.
class LoopWatch {
public:
    LoopWatch();
    // The longest time between two ticks, in milliseconds.
    qint64 longest() const { return std::max(m_longest, m_since.elapsed()); }
    int turns() const { return m_turns; }
    void restart();

private:
    QTimer m_timer;
    QElapsedTimer m_since;
    qint64 m_longest = 0;
    int m_turns = 0;
};

} // namespace lhrs::gui
