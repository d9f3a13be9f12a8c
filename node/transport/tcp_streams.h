// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "node/transport/counters.h"
#include "node/transport/envelope.h"
#include "node/transport/socket_address.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace lhrs {

struct StreamLimits {
    std::size_t connectionsMax = 256;                    // accepted ones, and as many of our own
    std::size_t queuedMax = std::size_t(32) << 20;       // bytes that wait for one receiver
    std::chrono::milliseconds firstFrame { 5'000 };      // a connection that says nothing is closed after this
    std::chrono::milliseconds frame { 30'000 };          // a frame is through within this, in either direction
    std::chrono::milliseconds idle { 60'000 };           // then the sender closes; the receiver after twice this
    std::chrono::milliseconds unreachable { 5'000 };     // a receiver that lets nobody connect so long loses its queue
};

// Streams for bulk, by "passive open": every process listens from its start; who has something to send connects to the
// other's listener once, keeps the connection and uses it in this direction only. A packet in its envelope is a frame.
// One thread does all reading and writing in run(); send() only queues, so that no working thread ever waits for a
// socket. A connection that does not begin with our magic is closed without an answer. After an error the frames that
// were not sent completely go over a new connection; what the old one lost in its last moments is resent by the
// protocol.
class TcpStreams {
public:
    // A packet on its way, in its envelope; the block, if it has one, travels between body and tag. In its own piece of memory
    // all the way: nobody copies it.
    struct Frame {
        std::string packet;
        std::shared_ptr<const std::string> block = {};
        std::size_t size() const { return packet.size() + (block ? block->size() : 0); }
    };
    // Takes packet and block (moves them away) and says true, or leaves them because there is no room; then their connection
    // is not read from until wake().
    using OnFrame = std::function<bool(std::string& packet, std::string& block)>;

    static Result<std::unique_ptr<TcpStreams>> open(
        Endpoint self, const Envelope& envelope, Counters& counters, const StreamLimits& limits = {});
    ~TcpStreams();

    Endpoint self() const { return m_self; }
    // Queues a sealed packet; from any thread. False: too much waits for this receiver already, and it is dropped.
    // `cutAfter`: the connection breaks after so many bytes of it, once, and the packet goes over the next one; for
    // faults that are made on purpose. 0: it does not. `isAlone`: over a connection of its own, which ends with it.
    bool send(Endpoint to, Frame frame, std::size_t cutAfter = 0, bool isAlone = false);
    bool send(Endpoint to, std::string packet, std::size_t cutAfter = 0, bool isAlone = false) { return send(to, Frame { std::move(packet) }, cutAfter, isAlone); }
    // What waits to be sent; from any thread.
    struct Queued {
        std::size_t receivers = 0; // for whom something waits
        std::size_t most = 0;      // bytes for one of them
    };
    Queued queued() const;
    const StreamLimits& limits() const { return m_limits; }
    // When the last long frame was sent or came, ns of the system's monotonic clock; 0: never. From any thread.
    std::int64_t longFrameNs() const { return m_longFrameNs.load(std::memory_order_relaxed); }
    // There is room for frames again; from any thread.
    void wake() const;
    // Accepts, reads, connects and writes until stopped; calls `beforeTurn` each time it has something to do.
    void run(std::stop_token stop, const OnFrame& onFrame, const std::function<void()>& beforeTurn = {});

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kReconnectFirst { 20 };
    // A connection of somebody else's.
    struct Incoming {
        Descriptor socket;
        std::string bytes;       // of frames that are not complete or not taken yet, without their blocks
        std::string block;       // of the first of them
        std::size_t blockBytes = 0; // that it will have; 0: the frame has none, or its header is not here
        bool isInBlock() const { return block.size() < blockBytes; }
        void endBlock() { block.clear(), blockBytes = 0; }
        Clock::time_point since; // the last complete frame, or the first byte after it
        bool hasSpoken = false;  // one frame was complete and ours
        bool isWaiting = false;  // a complete frame was not taken
    };
    // A connection of ours: to whom, and the number of the only packet that it is for; 0: all others.
    struct Line {
        Endpoint to;
        std::uint16_t alone = 0;
        auto operator<=>(const Line&) const = default;
    };
    static std::uint64_t idOf(Line line);
    static Line lineOf(std::uint64_t id);
    struct Packet {
        Frame frame;
        std::size_t cutAfter = 0;
    };
    // What goes to one receiver, and our connection to it.
    struct Outgoing {
        Descriptor socket; // none: waits for the next try
        bool isConnected = false;
        bool wantsRoom = false; // the socket's buffer is full
        std::deque<Packet> packets;
        std::size_t sentOfFirst = 0;
        Clock::time_point since; // the first packet's turn, the last packet's end, or the begin of trouble
        Clock::time_point nextTry;
        std::chrono::milliseconds pause = kReconnectFirst;
    };
    struct Posted {
        Line line;
        Packet packet;
    };

    TcpStreams(const Envelope& envelope, Counters& counters, const StreamLimits& limits);
    void watch(int socket, std::uint64_t id, std::uint32_t events, bool isNew) const;
    void handle(std::uint64_t id, std::uint32_t events);
    int waitTime() const;
    void care();

    void accept();
    bool read(Incoming& in);
    struct Received {
        ssize_t count = 0;    // as recv(2) says it
        bool isAsked = false; // as much as there was room for
    };
    Received receive(Incoming& in);
    bool deliver(Incoming& in);
    bool isOverdue(const Incoming& in) const;
    void retryWaiting();

    void takePosted();
    void connect(Line line, Outgoing& out);
    bool completeConnect(Outgoing& out);
    bool write(Line line, Outgoing& out);
    void lose(Line line, Outgoing& out);
    void drop(Line line, Outgoing& out);
    bool makeRoomForPeer();
    void unqueue(Endpoint to, std::size_t bytes);
    void noteLength(std::size_t packet);

    const Envelope& m_envelope;
    Counters& m_counters;
    const StreamLimits m_limits;
    Endpoint m_self;
    Descriptor m_listener;
    Descriptor m_epoll;
    Descriptor m_wake;

    // Of the thread in run().
    std::map<std::uint64_t, Incoming> m_incoming;
    std::map<Line, Outgoing> m_outgoing;
    std::uint64_t m_lastId = 1;
    std::vector<char> m_scratch;
    Clock::time_point m_now;
    Clock::time_point m_nextCare;
    bool m_isListening = true;
    std::atomic<std::int64_t> m_longFrameNs = 0;
    const OnFrame* m_onFrame = nullptr;

    // Between send() and run().
    mutable std::mutex m_mutex;
    std::vector<Posted> m_posted;
    std::uint16_t m_lastAlone = 0;
    std::map<Endpoint, std::size_t> m_queued; // bytes on their way to each receiver
};

} // namespace lhrs
