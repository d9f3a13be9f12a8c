// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/process/control_server.h"

#include "common/kinds.h"
#include "common/run_clock.h"
#include "common/wire.h"
#include "node/process/thread_meter.h"
#include "node/process/zap_handler.h"

#include <pthread.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace lhrs {

namespace {

constexpr int kReplyLingerMs = 200; // time for the reply to Shutdown to be sent
constexpr int kHandshakeMs = 5'000;
constexpr int kReceiveQueue = 64; // commands of one client that ZeroMQ holds before the client blocks
constexpr int kReplyQueue = 1'000; // replies that one client has not taken; more are dropped
constexpr int kClusterQueue = 10'000; // both limits, when one endpoint serves a whole cluster
constexpr std::size_t kRouteMax = 3; // frames before the command: identity, and the empty frame of a REQ socket

} // namespace

Result<std::unique_ptr<ControlServer>> ControlServer::open(
    zmq::context_t& context, const std::string& endpoint, Serves serves, const KeyRing* keys)
{
    const int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake < 0)
        return Error { "no event descriptor for the control server" };
    try {
        zmq::socket_t socket(context, zmq::socket_type::router);
        socket.set(zmq::sockopt::ipv6, endpoint.find('[') != std::string::npos);
        socket.set(zmq::sockopt::linger, kReplyLingerMs);
        socket.set(zmq::sockopt::maxmsgsize, std::int64_t(kCommandMax));
        socket.set(zmq::sockopt::handshake_ivl, kHandshakeMs);
        socket.set(zmq::sockopt::rcvhwm, serves == Serves::Cluster ? kClusterQueue : kReceiveQueue);
        socket.set(zmq::sockopt::sndhwm, serves == Serves::Cluster ? kClusterQueue : kReplyQueue);
        // Sending to a client that has disconnected is an error, not a silent loss.
        socket.set(zmq::sockopt::router_mandatory, true);
        if (keys != nullptr)
            ZapHandler::guard(socket, *keys);
        socket.bind(endpoint);
        return std::unique_ptr<ControlServer>(new ControlServer(std::move(socket), wake, serves, keys != nullptr));
    } catch (const zmq::error_t& error) {
        ::close(wake);
        if (error.num() == EADDRINUSE)
            return Error { "the control port " + endpoint + " is in use by another program" };
        return Error { "cannot take commands at " + endpoint + ": " + error.what() };
    }
}

ControlServer::ControlServer(zmq::socket_t socket, int wake, Serves serves, bool hasRoles)
    : m_socket(std::move(socket)), m_serves(serves), m_hasRoles(hasRoles), m_wake(wake),
      m_endpoint(m_socket.get(zmq::sockopt::last_endpoint))
{
}

ControlServer::~ControlServer()
{
    stop();
    ::close(m_wake);
}

void ControlServer::start(std::optional<pb::ProcessInfo> self, Handler handler, ThreadBook* threads)
{
    m_self = std::move(self);
    m_handler = std::move(handler);
    m_threads = threads;
    m_thread = std::jthread([this] { run(); });
}

void ControlServer::stop()
{
    {
        const std::lock_guard lock(m_mutex);
        m_isStopping = true;
    }
    ::eventfd_write(m_wake, 1);
    if (m_thread.joinable())
        m_thread.join();
}

void ControlServer::reply(pb::CommandReply& reply)
{
    Answer answer;
    {
        const std::lock_guard lock(m_mutex);
        const auto found = m_open.find(reply.ticket());
        if (found == m_open.end()) {
            spdlog::error("a second reply to one command was not sent");
            return;
        }
        answer.asker = std::move(found->second);
        m_open.erase(found);
        m_openOfOthers -= answer.asker.isOperator ? 0 : 1;
    }
    reply.set_ticket(answer.asker.ticket);
    tellTime(reply);
    reply.SerializeToString(&answer.bytes);
    {
        const std::lock_guard lock(m_mutex);
        m_answers.push_back(std::move(answer));
    }
    ::eventfd_write(m_wake, 1);
}

std::size_t ControlServer::open() const
{
    const std::lock_guard lock(m_mutex);
    return m_open.size();
}

std::size_t ControlServer::openMost() const
{
    const std::lock_guard lock(m_mutex);
    return m_openMost;
}

void ControlServer::run()
{
    pthread_setname_np(pthread_self(), "Control Server");
    const ThreadMeter meter(m_threads, "Control server");
    bool isLast = false;
    while (!isLast) {
        try {
            std::array<zmq::pollitem_t, 2> items { { { m_socket.handle(), 0, ZMQ_POLLIN, 0 },
                { nullptr, m_wake, ZMQ_POLLIN, 0 } } };
            ThreadMeter::become(pb::NodeSample::WAITING);
            zmq::poll(items.data(), items.size(), std::chrono::milliseconds(-1));
            ThreadMeter::become(pb::NodeSample::IN_SOCKET);
            if (items[1].revents != 0) {
                eventfd_t count = 0;
                ::eventfd_read(m_wake, &count);
                const std::lock_guard lock(m_mutex);
                isLast = m_isStopping;
            }
            sendReplies();
            if (items[0].revents != 0 && !isLast)
                serve();
        } catch (const zmq::error_t& error) {
            if (error.num() != EINTR)
                spdlog::error("the control server goes on after an error: {}", error.what());
        }
    }
    m_socket.close();
}

// Takes one message: [identity][empty, from a REQ socket][command].
void ControlServer::serve()
{
    Asker asker;
    zmq::message_t frame;
    bool isWhole = true;
    while (m_socket.recv(frame, zmq::recv_flags::dontwait)) {
        if (!frame.more())
            break;
        if (asker.route.size() + 1 < kRouteMax)
            asker.route.push_back(frame.to_string());
        else
            isWhole = false;
    }
    if (asker.route.empty())
        return; // there was no message any more
    isWhole = isWhole && (asker.route.size() == 1 || asker.route[1].empty());
    asker.route.resize(isWhole ? asker.route.size() : 1);
    pb::Command command;
    if (!isWhole || !parseCommand({ frame.data<char>(), frame.size() }, command) || kindOf(command) == 0) {
        m_malformed.fetch_add(1, std::memory_order_relaxed);
        asker.ticket = isWhole ? command.ticket() : 0;
        refuse(
            asker, pb::MALFORMED, "this is not a command; send one lhrs.pb.Command of proto/control.proto per message");
        return;
    }
    asker.ticket = command.ticket();
    const PeerRole role = m_hasRoles ? ZapHandler::roleOf(frame) : PeerRole::Operator;
    asker.isOperator = role == PeerRole::Operator;
    if (!isAllowed(role, command)) {
        m_notAllowed.fetch_add(1, std::memory_order_relaxed);
        refuse(asker, pb::NOT_ALLOWED,
            role == PeerRole::Watcher
                ? "this command needs the client key or the operator key, not the key of a watcher"
                : "this command needs the operator key, not the client key");
        return;
    }
    onCommand(std::move(asker), std::move(command));
}

// A command of which nobody has said who may give it is for operators.
bool ControlServer::isAllowed(PeerRole role, const pb::Command& command) const
{
    const Kind* kind = commandKind(kindOf(command));
    const pb::Peer least = kind == nullptr ? pb::PEER_UNSET : kind->least;
    return role == PeerRole::Operator || (least == pb::PEER_WATCHER)
        || (least == pb::PEER_CLIENT && role == PeerRole::Client);
}

void ControlServer::onCommand(Asker asker, pb::Command command)
{
    if (m_self && command.has_who_are_you()) {
        pb::CommandReply reply;
        *reply.mutable_process() = *m_self;
        send(asker, std::move(reply));
        return;
    }
    {
        std::unique_lock lock(m_mutex);
        if (m_open.size() >= kOpenMax || (!asker.isOperator && m_openOfOthers >= kOpenOfOthersMax)) {
            lock.unlock();
            refuse(asker, pb::REFUSED, "too many commands are under way; wait for replies, then ask again");
            return;
        }
        command.set_ticket(++m_lastTicket);
        m_openOfOthers += asker.isOperator ? 0 : 1;
        m_open.emplace(m_lastTicket, std::move(asker));
        m_openMost = std::max(m_openMost, m_open.size());
    }
    m_handler(std::move(command));
}

void ControlServer::refuse(const Asker& asker, pb::Refusal refusal, const char* text)
{
    pb::CommandReply reply;
    reply.set_refusal(refusal);
    reply.set_text(text);
    send(asker, std::move(reply));
}

// A simulated process has no clock of its own.
void ControlServer::tellTime(pb::CommandReply& reply) const
{
    if (m_serves == Serves::OneProcess)
        reply.set_wall_ns(RunClock::own().now());
}

void ControlServer::send(const Asker& asker, pb::CommandReply reply)
{
    reply.set_ticket(asker.ticket);
    tellTime(reply);
    send(Answer { asker, reply.SerializeAsString() });
}

// If a client has disconnected or does not take its replies, they are lost.
void ControlServer::send(const Answer& answer)
{
    try {
        constexpr auto kFlags = zmq::send_flags::dontwait;
        for (const std::string& frame : answer.asker.route)
            if (!m_socket.send(zmq::buffer(frame), kFlags | zmq::send_flags::sndmore))
                return;
        m_socket.send(zmq::buffer(answer.bytes), kFlags);
    } catch (const zmq::error_t& error) {
        spdlog::debug("a reply found no client: {}", error.what());
    }
}

void ControlServer::sendReplies()
{
    std::vector<Answer> answers;
    {
        const std::lock_guard lock(m_mutex);
        answers.swap(m_answers);
    }
    for (const Answer& answer : answers)
        send(answer);
}

} // namespace lhrs
