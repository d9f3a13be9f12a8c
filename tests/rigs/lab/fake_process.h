// SPDX-License-Identifier: GPL-3.0-or-later
// A process that consists of its two sockets: it publishes what a test tells it to, and answers commands as the test
// wants.
#pragma once

#include "proto/control.pb.h"
#include "proto/event.pb.h"

#include <zmq.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace lhrs::gui {

class FakeProcess {
public:
    // The reply; empty: no reply is sent.
    using Answerer = std::function<std::optional<pb::CommandReply>(const pb::Command&)>;

    FakeProcess(std::uint64_t id, pb::ProcessKind kind, const std::string& name);

    const pb::ProcessInfo& info() const { return m_info; }

    void answer(Answerer answerer);

    // It runs on the computer of this name, whose clock is so far ahead: its answers and batches have that time. Call
    // it before anything else.
    void liveOn(const std::string& host, std::int64_t aheadNs);

    // The number of commands with that name so far, e.g. "TakeSnapshot".
    int asked(const std::string& command) const;

    // Publishes events with numbers from `first`; the test chooses their contents.
    void publish(std::uint64_t first, std::vector<pb::Event> events);

    void send(const std::vector<std::string>& frames);

    // The snapshot of this process for this event number.
    static pb::CommandReply snapshotOf(
        const FakeProcess& process, std::uint64_t sequence, const std::function<void(pb::Snapshot&)>& fill = {});

private:
    void serve(const std::stop_token& stop);

    zmq::context_t m_context;
    zmq::socket_t m_publisher; // used by the test's thread
    zmq::socket_t m_router; // used by the thread below, once it runs
    pb::ProcessInfo m_info;
    std::optional<std::int64_t> m_aheadNs;
    mutable std::mutex m_mutex; // m_answerer, m_asked
    Answerer m_answerer;
    std::map<std::string, int> m_asked;
    std::jthread m_thread;
};

} // namespace lhrs::gui
