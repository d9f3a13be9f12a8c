// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
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

// Takes commands from operators and watchers: a ZeroMQ ROUTER socket on a thread of its own. It answers WhoAreYou
// itself, refuses what is no command, and passes the rest to the driver under a ticket of its own, so that two clients
// may use the same numbers. Each command gets one reply, in any order and from any thread.
class ControlServer {
public:
    static constexpr std::size_t kOpenMax = 4'096; // commands without reply; further ones are refused

    // Passes a command on; called in the server's thread, may wait until there is room (clients wait with it).
    using Handler = std::function<void(pb::Command command)>;

    // Whom one endpoint serves: of a whole cluster a client asks all processes at once.
    enum class Serves { OneProcess, Cluster };
    // Binds only; commands wait until start().
    static Result<std::unique_ptr<ControlServer>> open(
        zmq::context_t& context, const std::string& endpoint, Serves serves = Serves::OneProcess);
    ~ControlServer();

    // Where to connect a DEALER socket, with the port that was chosen.
    const std::string& endpoint() const { return m_endpoint; }
    // Without `self` the driver answers WhoAreYou, too: it speaks for several.
    void start(std::optional<pb::ProcessInfo> self, Handler handler, ThreadBook* threads = nullptr);
    // The reply to the command with this ticket; from any thread. Gets the client's ticket on the way.
    void reply(pb::CommandReply& reply);
    // Commands without reply; the most that there ever were.
    std::size_t open() const;
    std::size_t openMost() const;
    // Messages that were no commands, since the start.
    std::uint64_t malformed() const { return m_malformed.load(std::memory_order_relaxed); }
    // Sends the replies that wait, then ends the thread and closes the socket.
    void stop();

private:
    // Where a reply goes: the frames before the command, and the client's own ticket.
    struct Asker {
        std::vector<std::string> route;
        std::uint64_t ticket = 0;
    };
    struct Answer {
        Asker asker;
        std::string bytes;
    };

    ControlServer(zmq::socket_t socket, int wake);
    void run();
    void serve();
    void onCommand(Asker asker, pb::Command command);
    void refuse(const Asker& asker, pb::Refusal refusal, const char* text);
    void send(const Asker& asker, pb::CommandReply reply);
    void send(const Answer& answer);
    void sendReplies();

    zmq::socket_t m_socket; // of the thread, once it runs
    const int m_wake;       // eventfd: replies wait, or stop
    std::string m_endpoint;
    std::optional<pb::ProcessInfo> m_self;
    Handler m_handler;
    ThreadBook* m_threads = nullptr;
    std::atomic<std::uint64_t> m_malformed = 0;

    // Between reply() and the thread; guarded by m_mutex.
    mutable std::mutex m_mutex;
    std::size_t m_openMost = 0;
    std::map<std::uint64_t, Asker> m_open; // by our ticket
    std::uint64_t m_lastTicket = 0;
    std::vector<Answer> m_answers;
    bool m_isStopping = false;

    std::jthread m_thread;
};

} // namespace lhrs
