// SPDX-License-Identifier: GPL-3.0-or-later
// A whole cluster that is only sockets: every process of a file publishes what a test tells it to, knows its own state
// for snapshots, and keeps the commands that it got. The real way of an event into the window, without a store.
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

    // HOST:PORT of the coordinator's control endpoint, as a person writes it.
    QString address() const;
    FakeProcess& process(ProcessId id) { return *m_processes.at(id); }

    // Publishes the events, numbered on, stamped with the wall's clock; by one thread for each process.
    void tell(ProcessId id, std::vector<pb::Event> events);
    void tell(ProcessId id, pb::Event event) { tell(id, std::vector<pb::Event> { std::move(event) }); }

    // The coordinator does not list the process any more: it is gone.
    void end(ProcessId id);

    // Commands that were to do something, with who got them, in the order of arrival.
    struct Order {
        ProcessId process = 0;
        pb::Command command;
    };
    std::vector<Order> orders() const;
    // The first order of that kind; nothing: there was none.
    std::optional<Order> order(pb::Command::BodyCase body) const;
    void forgetOrders();
    // What the buckets say they hold.
    using Contents = std::function<pb::ContentsPage(ProcessId, const pb::ReadContents&)>;
    void setContents(Contents contents);
    // What a process that is watched says of itself.
    using Samples = std::function<pb::NodeSample(ProcessId)>;
    void setSamples(Samples samples);
    // Its processes can be gated, and hold this then.
    void setGate(std::map<ProcessId, std::vector<pb::HeldMessage>> held);
    // How many records each client says that it has stored.
    void setKeysKnown(std::uint64_t keys);
    // What orders are answered with.
    void setReply(const pb::CommandReply& reply);

private:
    static std::int64_t wallNs();

    std::optional<pb::CommandReply> answer(ProcessId id, const pb::Command& command);

    pb::CommandReply gate(ProcessId id, const pb::Command& command);

    pb::CommandReply list() const;

    pb::CommandReply snapshot(ProcessId id) const;

    void describe(pb::FileDescription& file) const;
    static void describe(const ClientState& from, pb::ClientDescription& client);
    static void describe(const DataBucketState& from, pb::Snapshot::DataBucket& bucket);
    static void describe(const ParityBucketState& from, pb::Snapshot::ParityBucket& bucket);

    mutable std::mutex m_mutex; // what follows, but for the processes, which stay as they are made
    bool m_isReady = false;
    ClusterState m_state;
    std::set<ProcessId> m_ended;
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

// How long the event loop was away at most, while this exists: a timer of a few milliseconds, and the time between its
// ticks.
class LoopWatch {
public:
    LoopWatch();
    // Milliseconds between two ticks, at most.
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
