// SPDX-License-Identifier: GPL-3.0-or-later
// The connections that other processes have opened.
#include "node/transport/tcp_streams.h"

#include "common/resize_uninitialized.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace lhrs {

namespace {

constexpr std::size_t kBlockChunk = std::size_t(512) << 10;
// While no header has announced what follows, at most this much of a block is copied.
constexpr std::size_t kReadAhead = std::size_t(16) << 10;
constexpr std::size_t kReadsInTurn = 8; // reads from one connection before another one is served
// After this many, the accepted connections are read, so that a burst of foreign connections ends.
constexpr std::size_t kAcceptsInTurn = 32;

} // namespace

void TcpStreams::accept()
{
    for (std::size_t turn = 0; turn < kAcceptsInTurn; ++turn) {
        Descriptor socket(::accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket) {
            if (errno == EINTR || errno == ECONNABORTED)
                continue;
            if (errno != EAGAIN && errno != EWOULDBLOCK) {
                // No descriptors are left: pause accepting for a moment, because epoll would report the same again and
                // again.
                m_isListening = false;
                watch(m_listener.get(), kListenerId, 0, false);
            }
            return;
        }
        if (m_incoming.size() >= m_limits.connectionsMax && !makeRoomForCaller()) {
            m_counters.dropped(Drop::TooManyConnections);
            continue;
        }
        const std::uint64_t id = ++m_lastId;
        watch(socket.get(), id, EPOLLIN, true);
        Incoming& in = m_incoming[id];
        in.socket = std::move(socket);
        in.since = m_now;
        if (m_envelope.hasKeys())
            in.link.emplace(m_envelope);
    }
}

// Returns false if the connection has ended or is not one of ours.
bool TcpStreams::read(Incoming& in)
{
    for (std::size_t turn = 0; turn < kReadsInTurn && !in.isWaiting; ++turn) {
        const bool isFirst = in.bytes.empty();
        const auto [count, isAsked] = receive(in);
        if (count < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        if (count == 0)
            return false;
        if (isFirst && in.hasSpoken)
            in.since = m_now;
        if (!deliver(in))
            return false;
        if (!isAsked)
            return true; // nothing more to read
    }
    return true;
}

// Reads what the socket has: a block goes to its final place, everything else to the end of the bytes. Until a header
// has arrived, only a little is read, so that only a little of a block lands in the wrong place and must be copied.
TcpStreams::Received TcpStreams::receive(Incoming& in)
{
    const std::size_t known = in.block.size();
    std::size_t wanted = kReadAhead;
    if (in.isInBlock()) {
        in.block.reserve(in.blockBytes);
        resizeUninitialized(in.block, known + std::min(kBlockChunk, in.blockBytes - known));
    } else if (in.blockBytes == 0 && in.bytes.size() >= kHeaderBytes) {
        const std::size_t whole = Envelope::packetBytes(in.bytes) + (in.link && in.link->isReady() ? kTagBytes : 0);
        in.bytes.reserve(whole); // so that it can be handed over without copying
        wanted = std::min(m_scratch.size(), whole - in.bytes.size());
    }
    const std::size_t ofBlock = in.block.size() - known;
    wanted = in.isInBlock() ? 0 : wanted;
    std::array<iovec, 2> vectors { { { in.block.data() + known, ofBlock }, { m_scratch.data(), wanted } } };
    msghdr header {};
    header.msg_iov = vectors.data();
    header.msg_iovlen = vectors.size();
    const ssize_t count = ::recvmsg(in.socket.get(), &header, 0);
    const std::size_t got = std::size_t(std::max<ssize_t>(count, 0)), gotOfBlock = std::min(got, ofBlock);
    in.block.resize(known + gotOfBlock);
    in.bytes.append(m_scratch.data(), got - gotOfBlock);
    return { count, got == ofBlock + wanted };
}

// Passes on the complete frames. Returns false if something is not a valid frame.
bool TcpStreams::deliver(Incoming& in)
{
    std::size_t begin = 0;
    in.isWaiting = false;
    while (begin < in.bytes.size()) {
        std::string_view rest = std::string_view(in.bytes).substr(begin);
        if (in.link && in.link->isReady() && !in.link->isConfirmed()) {
            if (rest.size() < kTagBytes)
                break;
            if (!in.link->confirm(rest.substr(0, kTagBytes))) {
                m_counters.dropped(Drop::WrongTag);
                return false;
            }
            begin += kTagBytes;
            continue;
        }
        if (const auto wrong = m_envelope.checkBegin(rest)) {
            m_counters.dropped(*wrong);
            return false;
        }
        if (rest.size() < kHeaderBytes)
            break;
        const std::size_t packetBytes = Envelope::packetBytes(rest), front = packetBytes - kTagBytes;
        if (in.link && !in.link->isReady()) {
            if (packetBytes != StreamLink::kBeginBytes) { // before any memory is taken for it
                m_counters.dropped(Drop::WrongLength);
                return false;
            }
            if (rest.size() < packetBytes)
                break;
            if (!linkUp(in, rest.substr(0, packetBytes)))
                return false;
            begin += packetBytes;
            continue;
        }
        const std::size_t whole = packetBytes + (in.link ? kTagBytes : 0);
        if (in.blockBytes == 0 && rest.size() > front) { // the part of the block that arrived with the header
            in.blockBytes = Envelope::blockBytes(rest);
            in.block = rest.substr(front, in.blockBytes);
            in.bytes.erase(begin + front, in.block.size());
            rest = std::string_view(in.bytes).substr(begin);
        }
        if (in.isInBlock() || rest.size() < whole)
            break;
        const std::string_view packet = rest.substr(0, packetBytes);
        const auto opened = m_envelope.open(packet, in.block);
        if (const Drop* wrong = std::get_if<Drop>(&opened)) {
            m_counters.dropped(*wrong);
            return false;
        }
        if (in.link && !std::exchange(in.isChecked, true)
            && (std::get<Envelope::Opened>(opened).sender != in.link->peer()
                || !in.link->check(packet.substr(front), rest.substr(packetBytes, kTagBytes)))) {
            m_counters.dropped(Drop::Replayed);
            return false;
        }
        in.hasSpoken = true;
        in.since = m_now;
        noteLength(packet.size() + in.block.size());
        if (!handOver(in, begin, packetBytes, whole)) {
            in.isWaiting = true;
            break;
        }
        in.isChecked = false;
        in.endBlock();
        begin = std::min(begin + whole, in.bytes.size());
    }
    in.bytes.erase(0, begin);
    return true;
}

// Answers the packet with which a connection with keys begins.
bool TcpStreams::linkUp(Incoming& in, std::string_view begin)
{
    std::string answer;
    if (const auto wrong = in.link->accept(begin, answer)) {
        m_counters.dropped(*wrong);
        return false;
    }
    // Nothing was sent on this connection before, so there is room.
    return ::send(in.socket.get(), answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT) == ssize_t(answer.size());
}

// Passes on the frame that begins there; false: it is not taken now. A frame that is all that has arrived goes without
// being copied.
bool TcpStreams::handOver(Incoming& in, std::size_t begin, std::size_t packetBytes, std::size_t wholeBytes)
{
    if (begin > 0 || wholeBytes != in.bytes.size()) {
        std::string copy(in.bytes, begin, packetBytes);
        return (*m_onFrame)(copy, in.block);
    }
    const std::string linkTag = in.bytes.substr(packetBytes);
    in.bytes.resize(packetBytes);
    if (!(*m_onFrame)(in.bytes, in.block)) {
        in.bytes += linkTag;
        return false;
    }
    in.bytes.clear();
    return true;
}

bool TcpStreams::isOverdue(const Incoming& in) const
{
    const auto age = m_now - in.since;
    if (in.isWaiting)
        return false; // our own queue is full
    if (!in.hasSpoken)
        return age > m_limits.firstFrame;
    return age > (in.bytes.empty() ? 2 * m_limits.idle : m_limits.frame);
}

void TcpStreams::retryWaiting()
{
    for (auto it = m_incoming.begin(); it != m_incoming.end();) {
        Incoming& in = it->second;
        bool isFine = true;
        if (in.isWaiting) {
            isFine = deliver(in);
            if (isFine && !in.isWaiting)
                watch(in.socket.get(), it->first, EPOLLIN, false);
        }
        it = isFine ? std::next(it) : m_incoming.erase(it);
    }
}

// Closes the accepted connection that has been silent from its beginning for the longest time, so that connections
// which never carry anything do not keep others out.
bool TcpStreams::makeRoomForCaller()
{
    auto oldest = m_incoming.end();
    for (auto it = m_incoming.begin(); it != m_incoming.end(); ++it)
        if (!it->second.hasSpoken && (oldest == m_incoming.end() || it->second.since < oldest->second.since))
            oldest = it;
    if (oldest == m_incoming.end())
        return false;
    m_counters.dropped(Drop::TooManyConnections);
    m_incoming.erase(oldest);
    return true;
}

} // namespace lhrs
