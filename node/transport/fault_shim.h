// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/network/fault_book.h"
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

// Injects faults into the network of one process, or into the process itself, on command and for a limited time. It
// stands between the core and the sockets, in both directions. Delayed messages wait in a queue that has its own
// thread; no other thread sleeps for them, except while the process is paused. When no fault is armed, it costs one
// atomic load in each direction. Thread-safe.
class FaultShim {
public:
    using Clock = std::chrono::steady_clock;

    // How delayed messages continue, and which function is told of faults. Called from any thread that uses the shim,
    // without its lock being held.
    struct Ways {
        NodeId node;
        Endpoint self;
        bool isAllowed = false; // whether any fault may be injected
        std::function<void(Endpoint to, std::string packet)> sendDatagram = {};
        std::function<void(Endpoint to, std::string packet, std::size_t cutAfter)> sendFrame = {};
        std::function<void(std::string body, pb::Transport transport, NodeId sender)> deliver = {};
        std::function<void(const pb::FaultBegun*, const pb::FaultEnded*)> tell = {}; // exactly one argument is not null
        std::function<void()> crash = {};
    };

    FaultShim(Ways ways, Counters& counters);
    ~FaultShim();

    // Carries out a command about faults; false: the command is about something else.
    bool command(const pb::Command& command, pb::CommandReply& reply);
    // Describes which faults are armed, for a watcher that connects late.
    void describe(pb::Snapshot& snapshot);
    // Heals everything and ends the thread; no fault is armed afterwards.
    void stop();

    // ---- the paths through the shim; call these only while touches() is true
    bool touches(FaultBook::Part part) const { return (m_parts.load(std::memory_order_relaxed) & part) != 0; }

    struct Outgoing {
        Endpoint to;
        NodeId node;
        bool isMulticast = false;
        int kind = 0; // kind of the only message in it, otherwise 0
    };
    // Judges a sealed datagram that is about to be sent. False: do not send it now; it is lost or will be sent later.
    bool letOut(const Outgoing& out, std::string_view datagram);
    // The same for a stream frame. True: send it, with this cut (see TcpStreams::send).
    bool letOut(const Outgoing& out, std::string& frame, std::size_t& cutAfter);
    // Judges the body of an opened packet that has arrived; messages that are lost or delayed are removed from it.
    // False: none is left.
    bool letIn(NodeId sender, pb::Transport transport, std::string& body);

    // Blocks while the process is paused.
    void waitWhilePaused();
    // Call it before these events are published. It does not return if a crash fault ends the process at one of them.
    void onEvents(const std::vector<pb::Event*>& events);

private:
    static constexpr std::size_t kHeldMax = 65'536; // limit on delayed messages; more are lost
    static constexpr std::size_t kHeldBytesMax = std::size_t(64) << 20;
    using Time = FaultBook::Time;
    // Identifies an incoming stream by its sender, an outgoing one by its receiver.
    using StreamKey = std::pair<std::uint64_t, Endpoint>;

    enum class Kind { Datagram, Frame, Incoming };
    // A delayed message.
    struct Held {
        Kind kind = Kind::Datagram;
        Endpoint to;
        std::string bytes;
        std::size_t cutAfter = 0;
        pb::Transport transport = pb::UDP;
        NodeId sender {}; // of an incoming message
        bool isStream = false;
        StreamKey stream;
        Time since {};
        std::vector<std::uint64_t> by;
    };
    // The waiting frames of one stream, so that later ones queue behind them.
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
    std::condition_variable_any m_wake; // wakes the thread
    std::condition_variable m_unpaused;
    // Guarded by m_mutex.
    FaultBook m_book;
    FaultDice m_dice { 1 }; // for the damage to packets
    std::multimap<Time, Held> m_held; // by release time; equal times in order of arrival
    std::map<StreamKey, Line> m_streams;
    std::size_t m_heldBytes = 0;
    std::size_t m_releasing = 0; // taken out of m_held but not yet delivered
    std::optional<Time> m_crashDue;
    bool m_isNews = false; // there is something new for the thread
    bool m_isStopped = false;

    std::jthread m_thread; // started by the first fault; declared last, so it ends first
};

} // namespace lhrs
