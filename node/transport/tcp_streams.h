// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "node/transport/counters.h"
#include "node/transport/envelope.h"
#include "node/transport/socket_address.h"
#include "node/transport/stream_link.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace lhrs {

struct StreamLimits {
    std::size_t connectionsMax = 256; // limit for accepted connections, and the same limit for our own
    std::size_t queuedMax = std::size_t(32) << 20; // limit on bytes waiting for one receiver
    std::chrono::milliseconds firstFrame { 5'000 }; // a connection without a complete frame is closed after this
    std::chrono::milliseconds frame { 30'000 }; // time limit for a frame, in either direction
    std::chrono::milliseconds idle { 60'000 }; // after this, the sender closes; the receiver closes after twice this
    std::chrono::milliseconds unreachable { 5'000 }; // a receiver unreachable for this long loses its queue
};

// Streams for bulk data, by "passive open": every process listens from its start. A sender connects once to the
// receiver's listener, keeps the connection and uses it in this direction only. A packet in its envelope is a frame.
// One thread does all reading and writing in run(); send() only queues, so no working thread waits for a socket. A
// connection that does not begin with our magic is closed without an answer. With keys, the two ends agree on a key of
// the connection before the first frame (stream_link.h). After an error, frames that were not sent completely go over a
// new connection; data that the old one lost at its end is resent by the protocol.
class TcpStreams {
public:
    // A packet in its envelope; its block, if any, travels between body and tag. The block stays in memory of its own,
    // so it is never copied.
    struct Frame {
        std::string packet;
        std::shared_ptr<const std::string> block = {};
        std::size_t size() const { return packet.size() + (block ? block->size() : 0); }
    };
    // Moves packet and block away and returns true, or returns false if there is no room. In that case the connection
    // is not read until wake().
    using OnFrame = std::function<bool(std::string& packet, std::string& block)>;

    static Result<std::unique_ptr<TcpStreams>> open(
        Endpoint self, Envelope& envelope, Counters& counters, const StreamLimits& limits = {});
    ~TcpStreams();

    Endpoint self() const { return m_self; }
    // Queues a sealed packet; may be called from any thread. False: too much is already waiting for this receiver, and
    // the packet is dropped. `cutAfter` (to inject faults): the connection breaks once after this many bytes of the
    // packet, and the packet goes over the next connection; 0: no break. `isAlone`: the packet goes over its own
    // connection, which is closed afterwards.
    bool send(Endpoint to, Frame frame, std::size_t cutAfter = 0, bool isAlone = false);
    bool send(Endpoint to, std::string packet, std::size_t cutAfter = 0, bool isAlone = false)
    {
        return send(to, Frame { std::move(packet) }, cutAfter, isAlone);
    }
    // What is waiting to be sent; may be called from any thread.
    struct Queued {
        std::size_t receivers = 0; // receivers with waiting data
        std::size_t most = 0; // largest number of bytes waiting for one receiver
    };
    Queued queued() const;
    const StreamLimits& limits() const { return m_limits; }
    // When the last long frame was sent or received, in ns of the system's monotonic clock; 0: never. May be called
    // from any thread.
    std::int64_t longFrameNs() const { return m_longFrameNs.load(std::memory_order_relaxed); }
    // There is room for frames again; may be called from any thread.
    void wake() const;
    // Accepts, reads, connects and writes until stopped; calls `beforeTurn` before each round of work.
    void run(std::stop_token stop, const OnFrame& onFrame, const std::function<void()>& beforeTurn = {});

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kReconnectFirst { 20 };
    static constexpr std::uint64_t kListenerId = 0; // as epoll returns it
    // A connection that another process opened.
    struct Incoming {
        Descriptor socket;
        std::string bytes; // frames that are incomplete or not taken yet, without their blocks
        std::string block; // block of the first of those frames
        std::size_t blockBytes = 0; // expected size; 0: the frame has no block, or its header has not arrived
        bool isInBlock() const { return block.size() < blockBytes; }
        void endBlock() { block.clear(), blockBytes = 0; }
        Clock::time_point since; // end of the last complete frame, or time of the first byte after it
        bool hasSpoken = false; // a complete valid frame has arrived
        bool isWaiting = false; // a complete frame was not taken
        std::optional<StreamLink> link = {}; // with keys
        bool isChecked = false; // the first of the frames has passed the link
    };
    // Identifies one of our connections: its receiver, and the number of the only packet for which it exists; 0: it is
    // for all other packets.
    struct Line {
        Endpoint to;
        std::uint16_t alone = 0;
        auto operator<=>(const Line&) const = default;
    };
    struct Packet {
        Frame frame;
        std::size_t cutAfter = 0;
        std::optional<PacketTag> linkTag = {}; // with keys, once it is on its way over the present connection
        std::size_t size() const { return frame.size() + (linkTag ? linkTag->size() : 0); }
    };
    // What is to be sent to one receiver, and our connection to it.
    struct Outgoing {
        std::uint64_t id = 0; // as epoll returns it; never used twice
        Descriptor socket; // none: waiting for the next attempt
        bool isConnected = false;
        std::optional<StreamLink> link = {}; // with keys
        std::string answer; // what has arrived of the answer that makes the link ready
        bool isReady() const { return isConnected && (!link || link->isReady()); }
        bool wantsRoom = false; // the socket's buffer is full
        std::deque<Packet> packets;
        std::size_t sentOfFirst = 0;
        Clock::time_point since; // start of the first packet, end of the last packet, or start of trouble
        Clock::time_point nextTry;
        std::chrono::milliseconds pause = kReconnectFirst;
    };
    struct Posted {
        Line line;
        Packet packet;
    };

    TcpStreams(Envelope& envelope, Counters& counters, const StreamLimits& limits);
    void watch(int socket, std::uint64_t id, std::uint32_t events, bool isNew) const;
    void handle(std::uint64_t id, std::uint32_t events);
    int waitTime() const;
    void care();

    void accept();
    bool read(Incoming& in);
    struct Received {
        ssize_t count = 0; // as returned by recv(2)
        bool isAsked = false; // all the available room was filled
    };
    Received receive(Incoming& in);
    bool deliver(Incoming& in);
    bool linkUp(Incoming& in, std::string_view begin);
    bool handOver(Incoming& in, std::size_t begin, std::size_t packetBytes, std::size_t wholeBytes);
    bool isOverdue(const Incoming& in) const;
    void retryWaiting();

    void takePosted();
    void connect(Line line, Outgoing& out);
    bool completeConnect(Outgoing& out);
    bool readAnswer(Line line, Outgoing& out);
    void dropOfFormer(Line line, Outgoing& out);
    bool write(Line line, Outgoing& out);
    void lose(Line line, Outgoing& out);
    void drop(Line line, Outgoing& out);
    void forget(Line line);
    bool makeRoomForCaller();
    bool makeRoomForPeer();
    void unqueue(Endpoint to, std::size_t bytes);
    void noteLength(std::size_t packet);

    Envelope& m_envelope;
    Counters& m_counters;
    const StreamLimits m_limits;
    Endpoint m_self;
    Descriptor m_listener;
    Descriptor m_epoll;
    Descriptor m_wake;

    // Used only by the thread in run().
    std::map<std::uint64_t, Incoming> m_incoming;
    std::map<Line, Outgoing> m_outgoing;
    std::unordered_map<std::uint64_t, Line> m_lines; // by the id of the connection
    std::uint64_t m_lastLine = 0;
    std::uint64_t m_lastId = 1;
    std::vector<char> m_scratch;
    Clock::time_point m_now;
    Clock::time_point m_nextCare;
    bool m_isListening = true;
    std::atomic<std::int64_t> m_longFrameNs = 0;
    const OnFrame* m_onFrame = nullptr;

    // Shared by send() and run().
    mutable std::mutex m_mutex;
    std::vector<Posted> m_posted;
    std::uint16_t m_lastAlone = 0;
    std::map<Endpoint, std::size_t> m_queued; // bytes under way to each receiver
};

} // namespace lhrs
