// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/fault_book.h"
#include "node/transport/counters.h"
#include "node/transport/socket_address.h"
#include "proto/control.pb.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace lhrs {

// Breaks the network of one process, or the process, on command and for a time: stands between the core and the
// sockets, in both directions. What it delays waits in a queue of its own thread; no other thread ever sleeps for it,
// but while the process is paused. As long as no fault is armed it costs one look at an atomic number on each way.
// Thread-safe.
class FaultShim {
public:
    using Clock = std::chrono::steady_clock;

    // How what was held back goes on, and who is told. Called from any thread that uses the shim, without its lock.
    struct Ways {
        NodeId node;
        Endpoint self;
        bool isAllowed = false; // to break anything
        std::function<void(Endpoint to, const std::string& packet)> sendDatagram = {};
        std::function<void(Endpoint to, std::string packet, std::size_t cutAfter)> sendFrame = {};
        std::function<void(std::string body, pb::Transport transport)> deliver = {};
        std::function<void(const pb::FaultBegun*, const pb::FaultEnded*)> tell = {}; // one of them
        std::function<void()> crash = {};
    };

    FaultShim(Ways ways, Counters& counters);
    ~FaultShim();

    // Carries out a command about faults; false: it is about something else.
    bool command(const pb::Command& command, pb::CommandReply& reply);
    // Which faults are armed, for a watcher who comes late.
    void describe(pb::Snapshot& snapshot);
    // Heals everything and ends the thread; nothing is armed any more.
    void stop();

    // ---- the ways through; worth a call only while touches() says so
    bool touches(FaultBook::Part part) const { return (m_parts.load(std::memory_order_relaxed) & part) != 0; }

    struct Outgoing {
        Endpoint to;
        NodeId node;
        bool isMulticast = false;
        int kind = 0; // of the only message in it, else 0
    };
    // A sealed datagram that is about to leave. False: not now; it is lost, or leaves later.
    bool letOut(const Outgoing& out, std::string_view datagram);
    // The same for a frame of a stream. True: send it, with this cut (see TcpStreams::send).
    bool letOut(const Outgoing& out, std::string& frame, std::size_t& cutAfter);
    // The body of an opened packet that has arrived; takes out of it what is lost or comes later. False: nothing is left.
    bool letIn(NodeId sender, pb::Transport transport, std::string& body);

    // Returns when the process is not paused.
    void waitWhilePaused();
    // Before these events are published: does not return if the process was to end at one of them.
    void onEvents(const std::vector<pb::Event*>& events);

private:
    static constexpr std::size_t kHeldMax = 65'536; // messages; what is more is lost
    static constexpr std::size_t kHeldBytesMax = std::size_t(64) << 20;
    using Time = FaultBook::Time;
    using StreamKey = std::pair<std::uint64_t, Endpoint>; // an incoming one by its sender, an outgoing one by its receiver

    enum class Kind { Datagram, Frame, Incoming };
    // Held back.
    struct Held {
        Kind kind = Kind::Datagram;
        Endpoint to;
        std::string bytes;
        std::size_t cutAfter = 0;
        pb::Transport transport = pb::UDP;
        bool isStream = false;
        StreamKey stream;
        Time since {};
        std::vector<std::uint64_t> by;
    };
    // Frames of one stream that wait, so that later ones queue behind them.
    struct Line {
        std::size_t count = 0;
        Time lastDue {};
    };

    pb::Refusal arm(const pb::Fault& fault, std::string& text, pb::FaultList& list);
    void heal(std::uint64_t number, pb::FaultList& list);
    void tellEnded(const std::vector<pb::FaultEnded>& ended);
    void refresh();
    void flushIfQuiet();
    bool hold(Held& held, Time delay, const std::vector<std::uint64_t>& by);
    void release(Held& held);
    void run(std::stop_token stop);
    Time now() const { return Clock::now().time_since_epoch(); }

    const Ways m_ways;
    Counters& m_counters;
    std::atomic<unsigned> m_parts = 0; // bits of FaultBook::Part

    std::mutex m_mutex;
    std::condition_variable_any m_wake; // the thread
    std::condition_variable m_unpaused;
    // Guarded by m_mutex.
    FaultBook m_book;
    FaultDice m_dice { 1 }; // how packets are spoiled
    std::multimap<Time, Held> m_held; // by when they go on; equal ones in the order in which they came
    std::map<StreamKey, Line> m_streams;
    std::size_t m_heldBytes = 0;
    std::size_t m_releasing = 0; // taken out of m_held, not delivered yet
    std::optional<Time> m_crashDue;
    bool m_isNews = false; // for the thread
    bool m_isStopped = false;

    std::jthread m_thread; // from the first fault on; last: it ends first
};

} // namespace lhrs
