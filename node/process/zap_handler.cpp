// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/process/zap_handler.h"

#include <pthread.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace lhrs {

namespace {

constexpr const char* kEndpoint = "inproc://zeromq.zap.01"; // fixed by RFC 27, as are the frames of run()
constexpr std::string_view kDomain = "lhrs";
// In the library since 4.3, but its header shows it only to those who want drafts. Without it a socket lets everybody
// in while no handler answers.
constexpr int kEnforceDomain = 93;
constexpr std::size_t kFramesOfRequest = 7;

bool isFrame(zmq::message_t& frame, std::string_view text) { return frame.to_string_view() == text; }

} // namespace

Result<std::unique_ptr<ZapHandler>> ZapHandler::open(zmq::context_t& context, const KeyRing& keys)
{
    const int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake < 0)
        return Error { "no event descriptor for the check of keys" };
    try {
        zmq::socket_t socket(context, zmq::socket_type::rep);
        socket.set(zmq::sockopt::linger, 0);
        socket.bind(kEndpoint);
        return std::unique_ptr<ZapHandler>(new ZapHandler(std::move(socket), keys, wake));
    } catch (const zmq::error_t& error) {
        ::close(wake);
        return Error { std::string("the keys of peers cannot be checked: ") + error.what() };
    }
}

ZapHandler::ZapHandler(zmq::socket_t socket, const KeyRing& keys, int wake)
    : m_socket(std::move(socket)), m_keys(keys), m_wake(wake), m_thread([this] { run(); })
{
}

ZapHandler::~ZapHandler()
{
    ::eventfd_write(m_wake, 1);
    m_thread.join();
    ::close(m_wake);
}

void ZapHandler::guard(zmq::socket_t& socket, const KeyRing& keys)
{
    const KeyBytes& secret = keys.ownSockets().secretKey;
    const int on = 1;
    socket.set(zmq::sockopt::curve_server, true);
    if (zmq_setsockopt(socket.handle(), ZMQ_CURVE_SECRETKEY, secret.data(), secret.size()) != 0
        || zmq_setsockopt(socket.handle(), ZMQ_ZAP_DOMAIN, kDomain.data(), kDomain.size()) != 0
        || zmq_setsockopt(socket.handle(), kEnforceDomain, &on, sizeof on) != 0)
        throw zmq::error_t();
}

PeerRole ZapHandler::roleOf(zmq::message_t& frame)
{
    try {
        return peerRoleNamed(frame.gets("User-Id")).value_or(PeerRole::Watcher);
    } catch (const zmq::error_t&) {
        return PeerRole::Watcher; // the socket is not guarded
    }
}

void ZapHandler::run()
{
    pthread_setname_np(pthread_self(), "Key Check");
    for (;;) {
        try {
            std::array<zmq::pollitem_t, 2> items { { { m_socket.handle(), 0, ZMQ_POLLIN, 0 },
                { nullptr, m_wake, ZMQ_POLLIN, 0 } } };
            zmq::poll(items.data(), items.size(), std::chrono::milliseconds(-1));
            if (items[1].revents != 0)
                break;
            answer();
        } catch (const zmq::error_t& error) {
            if (error.num() == ETERM)
                break;
            if (error.num() != EINTR)
                spdlog::error("the check of keys goes on after an error: {}", error.what());
        }
    }
    m_socket.close();
}

// Takes [version][request id][domain][address][identity][mechanism][public key] and answers [version][request id]
// [status][text][user id][metadata].
void ZapHandler::answer()
{
    std::vector<zmq::message_t> frames;
    do {
        frames.emplace_back();
        if (!m_socket.recv(frames.back(), zmq::recv_flags::dontwait))
            return;
    } while (frames.back().more());
    std::optional<PeerRole> role;
    KeyBytes key;
    if (frames.size() == kFramesOfRequest && isFrame(frames[0], "1.0") && isFrame(frames[2], kDomain)
        && isFrame(frames[5], "CURVE") && frames[6].size() == key.size()) {
        std::memcpy(key.data(), frames[6].data(), key.size());
        role = m_keys.roleOf(key);
    }
    if (!role) {
        const std::uint64_t refused = m_refused.fetch_add(1, std::memory_order_relaxed) + 1;
        spdlog::log(std::has_single_bit(refused) ? spdlog::level::warn : spdlog::level::debug, // a flood is not logged
            "a peer at {} was not let in: it has no key of this cluster ({} so far)",
            frames.size() > 3 ? frames[3].to_string() : "an unknown address", refused);
    }
    const std::string request = frames.size() > 1 ? frames[1].to_string() : std::string();
    const std::array<std::string, 6> replies { "1.0", request, role ? "200" : "400", role ? "OK" : "No access",
        role ? wordOf(*role) : "", "" };
    for (std::size_t i = 0; i < replies.size(); ++i)
        m_socket.send(
            zmq::buffer(replies[i]), i + 1 < replies.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
}

} // namespace lhrs
