// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/runtime/runtime.h"
#include "node/runtime/thread.h"

#include <QtGlobal>

#include <poll.h>

#include <condition_variable>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <vector>

namespace lhrs::test {

using namespace std::chrono_literals;
inline constexpr auto kPatience = 20s; // generous: test machines are slow and busy at times

// Waits until the condition holds, polling it; false: it did not hold in time.
template <class Condition> bool eventually(Condition condition, std::chrono::milliseconds patience = kPatience)
{
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

// A packet as it travels.
inline std::string sealedPacket(Envelope& envelope, const std::string& body, Envelope::To receiver = NodeId(),
    PacketType type = PacketType::Messages)
{
    std::string packet(kEnvelopeBytes + body.size(), '\0');
    packet.replace(kHeaderBytes, body.size(), body);
    envelope.seal(packet.data(), body.size(), receiver, {}, type);
    return packet;
}

// A packet whose record block is sent between body and tag, in its two pieces.
inline TcpStreams::Frame sealedFrame(
    Envelope& envelope, const std::string& body, std::string block, NodeId receiver = NodeId())
{
    TcpStreams::Frame frame { std::string(kEnvelopeBytes + body.size(), '\0'),
        std::make_shared<const std::string>(std::move(block)) };
    frame.packet.replace(kHeaderBytes, body.size(), body);
    envelope.seal(frame.packet.data(), body.size(), receiver, *frame.block);
    return frame;
}
// The same as bytes of a stream.
inline std::string bytesOf(const TcpStreams::Frame& frame)
{
    return std::string(frame.packet).insert(frame.packet.size() - kTagBytes, *frame.block);
}

// One end of streams with its thread; arrivals go into a list.
struct StreamEnd {
    // `keys` (null: none) must outlive the end.
    explicit StreamEnd(Endpoint self = { kLoopback, 0 }, const StreamLimits& limits = {}, const KeyRing* keys = nullptr,
        NodeId number = NodeId(1))
        : envelope(1, number, keys)
    {
        // A port that was in use a moment ago may need several attempts.
        if (!eventually([&] {
                auto opened = TcpStreams::open(self, envelope, counters, limits);
                if (opened)
                    streams = std::move(*opened);
                return bool(opened);
            }))
            qFatal("no port");
        thread = std::jthread([this](std::stop_token stop) {
            streams->run(stop, [this](std::string& packet, std::string& block) {
                const std::lock_guard lock(mutex);
                ++asked;
                if (!hasRoom)
                    return false;
                heard.push_back(packet.substr(kHeaderBytes, packet.size() - kEnvelopeBytes) + block);
                return true;
            });
        });
    }
    std::size_t count() const
    {
        const std::lock_guard lock(mutex);
        return heard.size();
    }
    void giveRoom(bool on)
    {
        {
            const std::lock_guard lock(mutex);
            hasRoom = on;
        }
        streams->wake();
    }

    Counters counters;
    Envelope envelope;
    std::unique_ptr<TcpStreams> streams;
    mutable std::mutex mutex;
    bool hasRoom = true;
    std::atomic<int> asked = 0; // whether there is room
    std::vector<std::string> heard;
    std::jthread thread;
};

// A plain TCP connection of a client that does not know the protocol.
class Stranger {
public:
    explicit Stranger(Endpoint to) : m_socket(::socket(familyOf(to.ip), SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        const SystemAddress address(to);
        m_isConnected = ::connect(m_socket.get(), address.name(), address.size()) == 0;
    }
    bool isConnected() const { return m_isConnected; }
    // False: the other side has closed.
    bool write(std::string_view bytes) const
    {
        return ::send(m_socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == ssize_t(bytes.size());
    }
    // Waits for this many bytes; returns fewer if the other side closes before.
    std::string read(std::size_t count) const
    {
        std::string all;
        while (all.size() < count) {
            pollfd wait { m_socket.get(), POLLIN, 0 };
            char bytes[4'096];
            if (::poll(&wait, 1, int(std::chrono::milliseconds(kPatience).count())) <= 0)
                break;
            const ssize_t got = ::recv(m_socket.get(), bytes, std::min(sizeof bytes, count - all.size()), 0);
            if (got <= 0)
                break;
            all.append(bytes, std::size_t(got));
        }
        return all;
    }
    // Waits until the other side closes; returns what it wrote before, or nothing if it does not close.
    std::optional<std::string> readToEnd() const
    {
        std::string all;
        for (;;) {
            pollfd wait { m_socket.get(), POLLIN, 0 };
            if (::poll(&wait, 1, int(std::chrono::milliseconds(kPatience).count())) <= 0)
                return std::nullopt;
            char bytes[4'096];
            const ssize_t count = ::recv(m_socket.get(), bytes, sizeof bytes, 0);
            if (count <= 0)
                return all;
            all.append(bytes, std::size_t(count));
        }
    }

private:
    Descriptor m_socket;
    bool m_isConnected = false;
};

// The smallest machine. It answers a Search with a Reply that carries the same value, a WhereIs with a Location for
// which it names only the address, a Confirm by leaving the pool, a Cancel by joining it again. It counts what it
// receives, and asks the clock to wake it at `deadline`.
class EchoMachine : public Machine {
public:
    struct Heard {
        std::atomic<std::uint64_t> messages = 0;
        std::atomic<std::uint64_t> invitations = 0;
        std::atomic<std::uint64_t> timeSteps = 0;
        std::atomic<std::int64_t> nextAlarm = std::numeric_limits<std::int64_t>::max(); // ns of its clock
        std::atomic<std::int64_t> alarmedAt = 0;
        std::function<void()> beforeReply; // within the step
        std::map<std::uint64_t, NodeId> awaited; // which process is to acknowledge what; filled before anything arrives
    };
    explicit EchoMachine(std::shared_ptr<Heard> heard) : m_heard(std::move(heard)) { }

    void onMessage(const pb::Message& message, Time now, Effects& out) override
    {
        ++m_heard->messages;
        if (message.has_search()) {
            if (m_heard->beforeReply)
                m_heard->beforeReply();
            pb::Message& reply = out.send(Address::from(message.from()), Way::Auto, 0, NodeId(message.sender()));
            reply.set_answers(message.id());
            reply.mutable_reply()->set_value(message.search().value());
            reply.mutable_reply()->set_result(pb::OK);
        } else if (message.has_where_is()) {
            pb::Message& reply = out.send(Address::from(message.from()));
            reply.set_answers(message.id());
            reply.mutable_location();
        } else if (message.has_invite()) {
            ++m_heard->invitations;
        } else if (message.has_confirm()) {
            out.leavePool(pb::DATA);
        } else if (message.has_cancel()) {
            out.joinPool(pb::DATA);
        } else if (message.has_insert()) {
            m_heard->nextAlarm = (now + 20ms).count(); // an earlier deadline than before
        }
    }
    void onCommand(const pb::Command& command, Time, Effects& out) override
    {
        out.event().mutable_spare_missing()->set_wanted(std::uint32_t(command.body_case()));
        out.reply(command.ticket()).set_text("echo");
    }
    void onTime(Time now, Effects&) override
    {
        ++m_heard->timeSteps;
        if (now.count() >= m_heard->nextAlarm) {
            m_heard->alarmedAt = now.count();
            m_heard->nextAlarm = std::numeric_limits<std::int64_t>::max();
        }
    }
    Time deadline() const override { return Time(m_heard->nextAlarm.load()); }
    std::optional<NodeId> awaited(std::uint64_t id) const override
    {
        const auto found = m_heard->awaited.find(id);
        return found == m_heard->awaited.end() ? std::nullopt : std::optional(found->second);
    }
    void snapshot(pb::Snapshot& out) const override { out.set_spare_pool(pb::DATA); }
    void gauges(pb::Gauges& out) const override { out.set_operations(m_heard->messages); }

private:
    std::shared_ptr<Heard> m_heard;
};

// A process within the test: the runtime with the echo machine.
class Station {
public:
    explicit Station(RuntimeOptions options = {}, std::shared_ptr<EchoMachine::Heard> into = nullptr)
        : heard(into ? std::move(into) : std::make_shared<EchoMachine::Heard>())
    {
        options.name = "echo";
        // The port of a station that has just ended may need several attempts.
        std::string error;
        if (!eventually(
                [&] {
                    auto opened = Runtime::open(options);
                    if (opened)
                        runtime = std::move(*opened);
                    else
                        error = opened.error().text;
                    return bool(opened);
                },
                options.listen.port != 0 ? kPatience : 0s))
            qFatal("%s", error.c_str());
        runtime->start(std::make_unique<EchoMachine>(heard));
        m_thread = std::jthread([this] { runtime->run(); });
    }
    ~Station()
    {
        runtime->stop("the test is over");
        m_thread.join();
    }
    Address address() const { return Address::from(runtime->self().address()); }
    Endpoint udp() const { return { address().ip, address().udpPort }; }
    Endpoint tcp() const { return { address().ip, address().tcpPort }; }
    NodeId number() const { return NodeId(runtime->self().node()); }

    std::shared_ptr<EchoMachine::Heard> heard;
    std::unique_ptr<Runtime> runtime;

private:
    std::jthread m_thread;
};

// A sender that talks to a station: the same transport without a machine; what it receives is a list.
class Speaker {
public:
    explicit Speaker(Endpoint coordinator, Endpoint self = { kLoopback, 0 }, const std::optional<KeyFile>& key = {},
        NodeId number = NodeId(77))
        : m_cluster(Envelope::clusterOf(coordinator)), m_keys(key ? std::optional<KeyRing>(*key) : std::nullopt),
          envelope(m_cluster, number, m_keys ? &*m_keys : nullptr), udp(must(UdpSocket::open(self))),
          streams(must(TcpStreams::open({ kLoopback, 0 }, envelope, counters))),
          introductions(envelope, [this](Endpoint to, std::string_view packet) { sendPacket(to, packet); }),
          m_sender({ envelope, udp, *streams, counters, coordinator, nullptr, key ? &introductions : nullptr }),
          m_udpThread([this](std::stop_token stop) { listen(stop); }), m_tcpThread([this](std::stop_token stop) {
              streams->run(stop, [this](std::string& packet, std::string& block) {
                  const std::string taken = std::move(packet);
                  const std::string_view body = std::string_view(taken).substr(
                      kHeaderBytes, taken.size() - kEnvelopeBytes);
                  hear(block.empty() ? std::string(body) : must(joinBlock(body, std::move(block))));
                  return true;
              });
          })
    {
    }
    ~Speaker()
    {
        m_udpThread.request_stop();
        udp.interrupt();
    }

    Address address() const { return { kLoopback, udp.self().port, streams->self().port }; }

    // Adds a message to what flush() sends.
    pb::Message& say(const Address& to, Way way = Way::Auto)
    {
        pb::Message& message = m_effects.send(to, way);
        message.set_id(++m_lastId);
        message.set_sender(envelope.self().value);
        address().to(*message.mutable_from());
        return message;
    }
    pb::Message& search(const Address& to, const std::string& value, Way way = Way::Auto)
    {
        pb::Message& message = say(to, way);
        message.mutable_search()->set_value(value);
        return message;
    }
    pb::Message& toPool(pb::Role pool)
    {
        pb::Message& message = m_effects.multicast(pool);
        message.set_id(++m_lastId);
        return message;
    }
    Result<void> flush()
    {
        m_sender.add(m_effects);
        const auto sent = m_sender.flush();
        m_effects.clear();
        return sent;
    }
    // Sends a message unchanged, even if its sender field is false. With keys, name the receiver.
    void sendAsItIs(const pb::Message& message, const Address& to, bool byStream, NodeId receiver = NodeId())
    {
        std::string body(sizeInBody(message), '\0');
        appendMessage(message, body.data());
        const std::string packet = sealedPacket(envelope, body, receiver);
        if (!byStream)
            sendPacket({ to.ip, to.udpPort }, packet);
        else if (!streams->send({ to.ip, to.tcpPort }, packet))
            qFatal("nothing was sent");
    }
    void sendPacket(Endpoint to, std::string_view packet)
    {
        OutDatagram datagram { to, packet };
        if (udp.send({ &datagram, 1 }) > 0)
            qFatal("nothing was sent");
    }
    std::uint64_t lastId() const { return m_lastId; }

    // The ids of the messages that were answered so far.
    std::vector<std::uint64_t> answers() const
    {
        const std::lock_guard lock(m_mutex);
        return m_answers;
    }
    std::vector<std::string> values() const
    {
        const std::lock_guard lock(m_mutex);
        return m_values;
    }
    bool hears(std::size_t answersMin)
    {
        std::unique_lock lock(m_mutex);
        return m_heard.wait_for(lock, kPatience, [&] { return m_answers.size() >= answersMin; });
    }
    // Whether the other side serves: asks until an answer arrives, as the protocol would.
    bool isAnswered(const Address& to, Way way = Way::Auto)
    {
        return eventually([&] {
            const std::size_t before = answers().size();
            search(to, "alive?", way);
            [[maybe_unused]] const auto sent = flush();
            std::unique_lock lock(m_mutex);
            return m_heard.wait_for(lock, 100ms, [&] { return m_answers.size() > before; });
        });
    }

private:
    template <class T> static T must(Result<T> result)
    {
        if (!result)
            qFatal("%s", result.error().text.c_str());
        return std::move(*result);
    }
    void listen(std::stop_token stop)
    {
        DatagramBatch batch;
        while (!stop.stop_requested() && udp.receive(batch))
            for (std::size_t i = 0; i < batch.size(); ++i)
                if (const auto opened = envelope.open(batch[i]);
                    const auto* packet = std::get_if<Envelope::Opened>(&opened)) {
                    if (packet->isForAddress)
                        ++introduced, introductions.introduce(batch.from(i), packet->sender);
                    else if (packet->type == PacketType::Introduction)
                        introductions.learn(batch.from(i), packet->sender);
                    else
                        hear(packet->body);
                }
    }
    void hear(std::string_view body)
    {
        google::protobuf::Arena arena;
        std::vector<ReadMessage> messages;
        if (!parseBody(body, arena, messages))
            return;
        const std::lock_guard lock(m_mutex);
        for (const ReadMessage& read : messages) {
            m_answers.push_back(read.message->answers());
            m_values.push_back(read.message->reply().value());
        }
        m_heard.notify_all();
    }

    const std::uint64_t m_cluster;
    const std::optional<KeyRing> m_keys;

public:
    Counters counters;
    Envelope envelope;
    UdpSocket udp;
    std::unique_ptr<TcpStreams> streams;
    Introductions introductions; // used with keys only
    std::atomic<std::size_t> introduced = 0; // times that it has said who it is

private:
    Sender m_sender;
    Effects m_effects;
    std::uint64_t m_lastId = 0;
    mutable std::mutex m_mutex;
    std::condition_variable m_heard;
    std::vector<std::uint64_t> m_answers;
    std::vector<std::string> m_values;
    std::jthread m_udpThread;
    std::jthread m_tcpThread;
};

} // namespace lhrs::test
