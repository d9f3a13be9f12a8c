// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "common/keys/key_ring.h"
#include "proto/control.pb.h"

#include <zmq.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace lhrs {

class ThreadBook;

// Accepts commands from operators and watchers on a ZeroMQ ROUTER socket with a thread of its own. It answers WhoAreYou
// itself, refuses invalid commands, and passes the rest to the driver under its own tickets, so that two clients may
// use the same numbers. Each command gets one reply; replies may be given in any order and from any thread.
class ControlServer {
public:
    static constexpr std::size_t kOpenMax = 4'096; // commands without a reply; further ones are refused
    // Of these, how many may be of peers whose key is not the operator's, so that they cannot keep the operator out.
    static constexpr std::size_t kOpenOfOthersMax = kOpenMax / 2;

    // Receives the commands. It is called in the server's thread and may block until there is room; clients wait
    // meanwhile.
    using Handler = std::function<void(pb::Command command)>;

    // What one endpoint serves. With a whole cluster, a client queries all processes at one endpoint.
    enum class Serves { OneProcess, Cluster };
    // Only binds; commands wait until start(). `keys`: only holders of a key of this cluster may connect (the context
    // has a ZapHandler), and each may give only the commands that its key allows.
    static Result<std::unique_ptr<ControlServer>> open(zmq::context_t& context, const std::string& endpoint,
        Serves serves = Serves::OneProcess, const KeyRing* keys = nullptr);
    ~ControlServer();

    // The endpoint for a DEALER socket, with the port that was chosen.
    const std::string& endpoint() const { return m_endpoint; }
    // Without `self`, the driver also answers WhoAreYou, because it represents several processes.
    void start(std::optional<pb::ProcessInfo> self, Handler handler, ThreadBook* threads = nullptr);
    // Sends the reply to the command with this ticket; may be called from any thread. The client's own ticket is
    // restored.
    void reply(pb::CommandReply& reply);
    // Commands without a reply: the current number and the highest so far.
    std::size_t open() const;
    std::size_t openMost() const;
    // Number of invalid commands since the start.
    std::uint64_t malformed() const { return m_malformed.load(std::memory_order_relaxed); }
    // Number of commands that the key of the peer did not allow.
    std::uint64_t notAllowed() const { return m_notAllowed.load(std::memory_order_relaxed); }
    // Sends the waiting replies; then ends the thread and closes the socket.
    void stop();

private:
    // Where a reply goes: the frames before the command, and the client's own ticket.
    struct Asker {
        std::vector<std::string> route;
        std::uint64_t ticket = 0;
        bool isOperator = true;
    };
    struct Answer {
        Asker asker;
        std::string bytes;
    };

    ControlServer(zmq::socket_t socket, int wake, Serves serves, bool hasRoles);
    void run();
    void serve();
    bool isAllowed(PeerRole role, const pb::Command& command) const;
    void onCommand(Asker asker, pb::Command command);
    void tellTime(pb::CommandReply& reply) const;
    void refuse(const Asker& asker, pb::Refusal refusal, const char* text);
    void send(const Asker& asker, pb::CommandReply reply);
    void send(const Answer& answer);
    void sendReplies();

    zmq::socket_t m_socket; // used only by the thread once it runs
    const Serves m_serves;
    const bool m_hasRoles; // there are keys
    const int m_wake; // eventfd: replies are waiting, or stop was requested
    std::string m_endpoint;
    std::optional<pb::ProcessInfo> m_self;
    Handler m_handler;
    ThreadBook* m_threads = nullptr;
    std::atomic<std::uint64_t> m_malformed = 0;
    std::atomic<std::uint64_t> m_notAllowed = 0;

    // Shared by reply() and the thread; guarded by m_mutex.
    mutable std::mutex m_mutex;
    std::size_t m_openMost = 0;
    std::map<std::uint64_t, Asker> m_open; // by our ticket
    std::size_t m_openOfOthers = 0; // of these, not an operator's
    std::uint64_t m_lastTicket = 0;
    std::vector<Answer> m_answers;
    bool m_isStopping = false;

    std::jthread m_thread;
};

} // namespace lhrs
