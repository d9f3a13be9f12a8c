// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/transport/tcp_streams.h"

#include "node/process/thread_meter.h"

#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace lhrs {

namespace {

using namespace std::chrono_literals;

// The ids that epoll returns: the listener (kListenerId), the wake-up, accepted connections from 2 on, and our own
// connections, which have the highest bit set.
constexpr std::uint64_t kWakeId = 1;
constexpr std::uint64_t kOutgoingBit = std::uint64_t(1) << 63;

constexpr std::size_t kReadChunk = std::size_t(256) << 10;
constexpr std::size_t kLong = std::size_t(64) << 10; // frames of at least this many bytes may leave memory to give back
constexpr std::size_t kFramesInCall = 16;
constexpr std::string_view kForLoopback = "reno"; // available in every kernel
constexpr auto kCarePeriod = 500ms;
constexpr auto kReconnectMax = 500ms;

// In order of sending: the part before the block, the block, the tag, and the tag of the link.
std::array<std::string_view, 4> piecesOf(const TcpStreams::Frame& frame, const std::optional<PacketTag>& linkTag)
{
    const std::string_view packet = frame.packet;
    const std::size_t front = packet.size() - std::min(packet.size(), kTagBytes);
    return { packet.substr(0, front), frame.block ? std::string_view(*frame.block) : std::string_view(),
        packet.substr(front),
        linkTag ? std::string_view(reinterpret_cast<const char*>(linkTag->data()), linkTag->size())
                : std::string_view() };
}

std::string_view tagIn(const TcpStreams::Frame& frame)
{
    return std::string_view(frame.packet).substr(frame.packet.size() - std::min(frame.packet.size(), kTagBytes));
}

constexpr std::uint16_t kAloneMax = 0x7fff; // so many packets with a connection of their own are told apart

} // namespace

TcpStreams::TcpStreams(Envelope& envelope, Counters& counters, const StreamLimits& limits)
    : m_envelope(envelope), m_counters(counters), m_limits(limits)
{
}

TcpStreams::~TcpStreams() = default;

Result<std::unique_ptr<TcpStreams>> TcpStreams::open(
    Endpoint self, Envelope& envelope, Counters& counters, const StreamLimits& limits)
{
    std::unique_ptr<TcpStreams> made(new TcpStreams(envelope, counters, limits));
    made->m_listener = Descriptor(::socket(familyOf(self.ip), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    made->m_epoll = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
    made->m_wake = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    const int listener = made->m_listener.get();
    if (listener < 0 || !made->m_epoll || !made->m_wake)
        return systemError("no TCP listener", errno);
    const int on = 1;
    ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const SystemAddress address(self);
    if (::bind(listener, address.name(), address.size()) != 0 || ::listen(listener, SOMAXCONN) != 0) {
        if (errno == EADDRINUSE)
            return Error { "TCP port " + textOf(self) + " is in use by another program" };
        return systemError("cannot use TCP port " + textOf(self), errno);
    }
    SystemAddress bound;
    if (::getsockname(listener, bound.name(), bound.sizeToFill()) != 0)
        return systemError("TCP listener without a name", errno);
    made->m_self = bound.end();
    made->watch(listener, kListenerId, EPOLLIN, true);
    made->watch(made->m_wake.get(), kWakeId, EPOLLIN, true);
    return made;
}

void TcpStreams::noteLength(std::size_t packet)
{
    if (packet >= kLong)
        m_longFrameNs.store(Clock::now().time_since_epoch() / std::chrono::nanoseconds(1), std::memory_order_relaxed);
}

bool TcpStreams::send(Endpoint to, Frame frame, std::size_t cutAfter, bool isAlone)
{
    const std::size_t size = frame.size();
    noteLength(size);
    {
        const std::lock_guard lock(m_mutex);
        std::size_t& queued = m_queued[to];
        if (queued > 0 && queued + size > m_limits.queuedMax)
            return false;
        queued += size;
        if (isAlone)
            m_lastAlone = std::uint16_t(m_lastAlone % kAloneMax + 1);
        m_posted.push_back({ { to, isAlone ? m_lastAlone : std::uint16_t(0) }, { std::move(frame), cutAfter } });
        if (m_posted.size() > 1)
            return true; // the sender that posted the first frame has woken the thread
    }
    wake();
    return true;
}

TcpStreams::Queued TcpStreams::queued() const
{
    const std::lock_guard lock(m_mutex);
    Queued queued;
    for (const auto& [to, bytes] : m_queued) {
        queued.receivers += bytes > 0 ? 1 : 0;
        queued.most = std::max(queued.most, bytes);
    }
    return queued;
}

void TcpStreams::wake() const
{
    const std::uint64_t one = 1;
    // A failure does no harm: if the counter is full, the thread wakes as well.
    [[maybe_unused]] const auto written = ::write(m_wake.get(), &one, sizeof one);
}

void TcpStreams::watch(int socket, std::uint64_t id, std::uint32_t events, bool isNew) const
{
    epoll_event event {};
    event.events = events;
    event.data.u64 = id;
    LHRS_CHECK(::epoll_ctl(m_epoll.get(), isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event) == 0);
}

void TcpStreams::run(std::stop_token stop, const OnFrame& onFrame, const std::function<void()>& beforeTurn)
{
    const std::stop_callback wakeUp(stop, [this] { wake(); });
    m_onFrame = &onFrame;
    m_scratch.resize(kReadChunk);
    m_now = Clock::now();
    m_nextCare = m_now;
    std::array<epoll_event, 64> events;
    while (!stop.stop_requested()) {
        ThreadMeter::become(pb::NodeSample::WAITING);
        const int count = ::epoll_wait(m_epoll.get(), events.data(), int(events.size()), waitTime());
        if (beforeTurn)
            beforeTurn();
        m_now = Clock::now();
        // The wake-up is consumed before the posted frames are taken: anything posted in between wakes the thread
        // again.
        std::uint64_t wakes = 0;
        [[maybe_unused]] const auto taken = ::read(m_wake.get(), &wakes, sizeof wakes);
        takePosted();
        for (int i = 0; i < count; ++i)
            handle(events[std::size_t(i)].data.u64, events[std::size_t(i)].events);
        retryWaiting();
        if (m_now >= m_nextCare)
            care();
    }
}

int TcpStreams::waitTime() const
{
    if (m_incoming.empty() && m_outgoing.empty() && m_isListening)
        return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(m_nextCare - m_now).count();
    return int(std::clamp<std::int64_t>(left, 0, std::chrono::milliseconds(kCarePeriod).count()));
}

void TcpStreams::handle(std::uint64_t id, std::uint32_t events)
{
    if (id == kListenerId) {
        accept();
    } else if (id == kWakeId) {
        return; // taken by run()
    } else if ((id & kOutgoingBit) != 0) {
        const auto known = m_lines.find(id);
        const auto found = known == m_lines.end() ? m_outgoing.end() : m_outgoing.find(known->second);
        if (found == m_outgoing.end() || !found->second.socket)
            return;
        auto& [line, out] = *found;
        // The receiver never sends on these connections, except what makes the link ready: bytes, an end or an error
        // all mean that the connection is unusable.
        const bool isAnswer = out.isConnected && !out.isReady()
            && (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) == EPOLLIN;
        const bool isFine = !out.isConnected ? completeConnect(out)
            : isAnswer                       ? readAnswer(line, out)
                                             : (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) == 0;
        if (!isFine || !write(line, out))
            lose(line, out);
    } else if (const auto found = m_incoming.find(id); found != m_incoming.end()) {
        Incoming& in = found->second;
        // While it waits, nothing is read, so the end of the connection would be reported again and again.
        const bool isFine = in.isWaiting ? (events & (EPOLLERR | EPOLLHUP)) == 0 : read(in);
        if (!isFine)
            m_incoming.erase(found);
        else if (in.isWaiting)
            watch(in.socket.get(), id, 0, false);
    }
}

// Closes connections that exceed a time limit, reconnects, and sets the time of the next check.
void TcpStreams::care()
{
    m_nextCare = m_now + kCarePeriod;
    if (!m_isListening) {
        m_isListening = true;
        watch(m_listener.get(), kListenerId, EPOLLIN, false);
    }
    for (auto it = m_incoming.begin(); it != m_incoming.end();) {
        if (isOverdue(it->second))
            it = m_incoming.erase(it);
        else
            ++it;
    }
    for (auto it = m_outgoing.begin(); it != m_outgoing.end();) {
        const auto next = std::next(it);
        auto& [line, out] = *it;
        const auto age = m_now - out.since;
        if (out.isConnected && out.packets.empty()) {
            if (age > m_limits.idle)
                forget(line);
        } else if (age > (out.isReady() ? m_limits.frame : m_limits.unreachable)) {
            drop(line, out);
        } else if (!out.socket) {
            if (m_now >= out.nextTry)
                connect(line, out);
            m_nextCare = std::min(m_nextCare, out.nextTry);
        }
        it = next;
    }
}

// ---- our connections

void TcpStreams::takePosted()
{
    std::vector<Posted> posted;
    {
        const std::lock_guard lock(m_mutex);
        posted.swap(m_posted);
    }
    for (Posted& one : posted) {
        auto found = m_outgoing.find(one.line);
        if (found == m_outgoing.end()) {
            if (m_outgoing.size() >= m_limits.connectionsMax && !makeRoomForPeer()) {
                m_counters.dropped(Drop::TooManyConnections);
                unqueue(one.line.to, one.packet.frame.size());
                continue;
            }
            found = m_outgoing.try_emplace(one.line).first;
            found->second.since = m_now;
            found->second.id = kOutgoingBit | ++m_lastLine;
            m_lines[found->second.id] = one.line;
        }
        Outgoing& out = found->second;
        if (out.packets.empty())
            out.since = m_now;
        out.packets.push_back(std::move(one.packet));
    }
    for (const Posted& one : posted) {
        const auto found = m_outgoing.find(one.line);
        if (found == m_outgoing.end())
            continue;
        Outgoing& out = found->second;
        if (out.link && out.isReady())
            dropOfFormer(one.line, out);
        if (!out.socket && m_now >= out.nextTry)
            connect(one.line, out);
        else if (out.isConnected && !write(one.line, out))
            lose(one.line, out);
    }
}

void TcpStreams::connect(Line line, Outgoing& out)
{
    out.isConnected = false;
    out.sentOfFirst = 0;
    if (m_envelope.hasKeys()) {
        out.link.emplace(m_envelope);
        out.answer.clear();
        for (Packet& packet : out.packets)
            packet.linkTag.reset();
    }
    out.socket = Descriptor(::socket(familyOf(line.to.ip), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!out.socket) {
        lose(line, out);
        return;
    }
    const int on = 1;
    ::setsockopt(out.socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    // Within one computer nothing is congested. The system's default may be BBR, which paces by timers at a rate that
    // it must first find.
    if (line.to.ip.isLoopback())
        ::setsockopt(
            out.socket.get(), IPPROTO_TCP, TCP_CONGESTION, kForLoopback.data(), socklen_t(kForLoopback.size()));
    watch(out.socket.get(), out.id, EPOLLOUT, true);
    out.wantsRoom = true;
    const SystemAddress address(line.to);
    if (::connect(out.socket.get(), address.name(), address.size()) != 0 && errno != EINPROGRESS)
        lose(line, out);
    m_nextCare = std::min(m_nextCare, m_now + kCarePeriod);
}

bool TcpStreams::completeConnect(Outgoing& out)
{
    int error = 0;
    socklen_t length = sizeof error;
    if (::getsockopt(out.socket.get(), SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0)
        return false;
    // While no process listens there, a socket of this computer may by chance connect to itself.
    SystemAddress here, there;
    ::getsockname(out.socket.get(), here.name(), here.sizeToFill());
    ::getpeername(out.socket.get(), there.name(), there.sizeToFill());
    if (here.end() == there.end())
        return false;
    out.isConnected = true;
    if (out.link) { // a receiver that does not answer it, or refuses it, is still unreachable
        const std::string begin = out.link->begin(NodeId());
        return ::send(out.socket.get(), begin.data(), begin.size(), MSG_NOSIGNAL | MSG_DONTWAIT)
            == ssize_t(begin.size());
    }
    out.since = m_now;
    out.pause = kReconnectFirst;
    return true;
}

// Returns false if the connection is unusable.
bool TcpStreams::readAnswer(Line line, Outgoing& out)
{
    std::array<char, StreamLink::kAnswerBytes> bytes;
    const ssize_t count = ::recv(
        out.socket.get(), bytes.data(), bytes.size() - out.answer.size(), MSG_DONTWAIT); // a link sends nothing more
    if (count < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    if (count == 0)
        return false;
    out.answer.append(bytes.data(), std::size_t(count));
    if (out.answer.size() < StreamLink::kAnswerBytes)
        return true;
    if (const auto wrong = out.link->finish(out.answer)) {
        m_counters.dropped(*wrong);
        return false;
    }
    const PacketTag confirmation = out.link->confirmation(); // there is room: only the first packet was sent before
    if (::send(out.socket.get(), confirmation.data(), confirmation.size(), MSG_NOSIGNAL | MSG_DONTWAIT)
        != ssize_t(confirmation.size()))
        return false;
    out.since = m_now;
    out.pause = kReconnectFirst;
    dropOfFormer(line, out);
    return true;
}

// The process at the other end refuses what was sealed for another one that had its address, and closes the connection.
// So frames for that one would never leave, and would hold up those behind them.
void TcpStreams::dropOfFormer(Line line, Outgoing& out)
{
    const NodeId peer = out.link->peer();
    std::size_t bytes = 0, packets = 0;
    const std::size_t first = out.sentOfFirst > 0 ? 1 : 0; // on its way: it has passed this already
    for (std::size_t i = out.packets.size(); i-- > first;) {
        const NodeId receiver = Envelope::receiverOf(out.packets[i].frame.packet);
        if (receiver == NodeId() || receiver == peer)
            continue;
        bytes += out.packets[i].frame.size();
        ++packets;
        out.packets.erase(out.packets.begin() + std::ptrdiff_t(i));
    }
    if (packets == 0)
        return;
    m_counters.dropped(Drop::OtherReceiver, packets);
    unqueue(line.to, bytes);
}

// Returns false if the connection is unusable.
bool TcpStreams::write(Line line, Outgoing& out)
{
    std::size_t done = 0;
    bool isFull = false;
    if (!out.isReady()) {
        watch(out.socket.get(), out.id, EPOLLIN, false); // the link's answer
        out.wantsRoom = false;
        return true;
    }
    while (!out.packets.empty() && !isFull) {
        std::array<iovec, 4 * kFramesInCall> vectors;
        std::size_t count = 0;
        std::size_t skip = out.sentOfFirst;
        bool isCut = false;
        for (std::size_t i = 0; i < std::min(out.packets.size(), kFramesInCall) && !isCut; ++i) {
            Packet& packet = out.packets[i];
            if (out.link && !packet.linkTag)
                packet.linkTag = out.link->next(tagIn(packet.frame));
            isCut = packet.cutAfter > 0;
            std::size_t left = isCut ? packet.cutAfter : packet.size();
            for (std::string_view piece : piecesOf(packet.frame, packet.linkTag)) {
                piece = piece.substr(0, left);
                left -= piece.size();
                const std::size_t skipped = std::min(skip, piece.size());
                skip -= skipped;
                piece.remove_prefix(skipped);
                if (!piece.empty())
                    vectors[count++] = { const_cast<char*>(piece.data()), piece.size() };
            }
        }
        msghdr header {};
        header.msg_iov = vectors.data();
        header.msg_iovlen = count;
        const ssize_t sent = ::sendmsg(out.socket.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
            unqueue(line.to, done);
            return false;
        }
        isFull = sent < 0 && errno != EINTR;
        out.sentOfFirst += std::size_t(std::max<ssize_t>(sent, 0));
        while (!out.packets.empty() && out.sentOfFirst >= out.packets[0].size()) {
            out.sentOfFirst -= out.packets[0].size();
            done += out.packets[0].frame.size();
            out.packets.pop_front();
            out.since = m_now;
        }
        if (!out.packets.empty() && out.packets[0].cutAfter > 0 && out.sentOfFirst >= out.packets[0].cutAfter) {
            out.packets[0].cutAfter = 0;
            unqueue(line.to, done);
            return false;
        }
    }
    unqueue(line.to, done);
    if (line.alone != 0 && out.packets.empty())
        return false; // the connection was only for this packet
    if (isFull != out.wantsRoom)
        watch(out.socket.get(), out.id, EPOLLIN | (isFull ? std::uint32_t(EPOLLOUT) : 0u), false);
    out.wantsRoom = isFull;
    return true;
}

// The connection is lost: frames that were not sent completely wait for the next one.
void TcpStreams::lose(Line line, Outgoing& out)
{
    if (out.packets.empty()) {
        forget(line);
        return;
    }
    if (out.isReady())
        out.since = m_now;
    out.socket.close();
    out.isConnected = false;
    out.sentOfFirst = 0;
    out.nextTry = m_now + out.pause;
    out.pause = std::min<std::chrono::milliseconds>(2 * out.pause, kReconnectMax);
    m_nextCare = std::min(m_nextCare, out.nextTry);
}

void TcpStreams::drop(Line line, Outgoing& out)
{
    std::size_t bytes = 0;
    for (const Packet& packet : out.packets)
        bytes += packet.frame.size();
    m_counters.dropped(Drop::StreamClosed, out.packets.size());
    unqueue(line.to, bytes);
    forget(line);
}

void TcpStreams::forget(Line line)
{
    const auto found = m_outgoing.find(line);
    m_lines.erase(found->second.id);
    m_outgoing.erase(found);
}

bool TcpStreams::makeRoomForPeer()
{
    auto oldest = m_outgoing.end();
    for (auto it = m_outgoing.begin(); it != m_outgoing.end(); ++it)
        if (it->second.packets.empty() && (oldest == m_outgoing.end() || it->second.since < oldest->second.since))
            oldest = it;
    if (oldest == m_outgoing.end())
        return false;
    forget(oldest->first);
    return true;
}

void TcpStreams::unqueue(Endpoint to, std::size_t bytes)
{
    if (bytes == 0)
        return;
    const std::lock_guard lock(m_mutex);
    const auto found = m_queued.find(to);
    LHRS_CHECK(found != m_queued.end() && found->second >= bytes);
    found->second -= bytes;
    if (found->second == 0)
        m_queued.erase(found);
}

} // namespace lhrs
