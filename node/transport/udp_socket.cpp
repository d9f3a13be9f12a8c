// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/transport/udp_socket.h"

#include <linux/sock_diag.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

namespace lhrs {

namespace {

// 4 MiB hold several thousand small datagrams: a burst that arrives while the listener waits for the processor on a
// busy computer.
constexpr int kReceiveBuffer = 4 << 20;
constexpr std::size_t kSendCount = 64; // datagrams per system call

template <class T> bool setOption(int socket, int level, int option, const T& value)
{
    return ::setsockopt(socket, level, option, &value, sizeof value) == 0;
}

} // namespace

DatagramBatch::DatagramBatch()
    : m_bytes(new char[kCount * kDatagramMax]), m_vectors(kCount), m_controls(kCount), m_names(kCount),
      m_headers(kCount)
{
    for (std::size_t i = 0; i < kCount; ++i) {
        m_vectors[i].iov_base = m_bytes.get() + i * kDatagramMax;
        m_vectors[i].iov_len = kDatagramMax;
        m_headers[i].msg_hdr.msg_iov = &m_vectors[i];
        m_headers[i].msg_hdr.msg_iovlen = 1;
        m_headers[i].msg_hdr.msg_name = &m_names[i];
        m_headers[i].msg_hdr.msg_namelen = sizeof m_names[i];
        m_headers[i].msg_hdr.msg_control = m_controls[i].bytes;
        m_headers[i].msg_hdr.msg_controllen = sizeof m_controls[i].bytes;
    }
}

Result<UdpSocket> UdpSocket::make(Endpoint self, bool isShared)
{
    UdpSocket made;
    made.m_socket = Descriptor(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const int socket = made.m_socket.get();
    if (socket < 0)
        return systemError("no UDP socket", errno);
    if (isShared && !setOption(socket, SOL_SOCKET, SO_REUSEADDR, 1))
        return systemError("UDP port " + std::to_string(self.port) + " cannot be shared", errno);
    const sockaddr_in address = toSystem(self);
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        if (errno == EADDRINUSE)
            return Error { "UDP port " + textOf(self) + " is in use by another program" };
        return systemError("cannot use UDP port " + textOf(self), errno);
    }
    // The kernel silently limits the requested size, so it is read back. SO_RXQ_OVFL reports the number of datagrams
    // that did not fit.
    setOption(socket, SOL_SOCKET, SO_RCVBUF, kReceiveBuffer);
    setOption(socket, SOL_SOCKET, SO_RXQ_OVFL, 1);
    socklen_t length = sizeof made.m_receiveBuffer;
    ::getsockopt(socket, SOL_SOCKET, SO_RCVBUF, &made.m_receiveBuffer, &length);
    sockaddr_in bound {};
    length = sizeof bound;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &length) != 0)
        return systemError("UDP socket without a name", errno);
    made.m_self = fromSystem(bound);
    return made;
}

Result<UdpSocket> UdpSocket::open(Endpoint self)
{
    auto made = make(self, false);
    if (!made)
        return made;
    const int socket = made->m_socket.get();
    // Without IP_MULTICAST_IF nothing arrives on loopback, and no call reports an error.
    const in_addr interface {
        htonl(self.ip)
    };
    if (!setOption(socket, IPPROTO_IP, IP_MULTICAST_IF, interface)
        || !setOption(socket, IPPROTO_IP, IP_MULTICAST_TTL, std::uint8_t(isLoopback(self.ip) ? 0 : 1)))
        return systemError("cannot choose the interface of multicasts", errno);
    return made;
}

Result<UdpSocket> UdpSocket::openGroup(Endpoint group, std::uint32_t interfaceIp)
{
    auto made = make(group, true);
    if (!made)
        return made;
    const int socket = made->m_socket.get();
    const ip_mreq membership { { htonl(group.ip) }, { htonl(interfaceIp) } };
    if (!setOption(socket, IPPROTO_IP, IP_ADD_MEMBERSHIP, membership)
        || !setOption(socket, IPPROTO_IP, IP_MULTICAST_ALL, 0))
        return systemError("cannot join multicast group " + textOf(group), errno);
    return made;
}

Result<void> UdpSocket::receive(DatagramBatch& batch, std::chrono::microseconds spin) const
{
    // Resets only the headers that the kernel shortened last time; resetting all of them took a tenth of the cost of a
    // message.
    for (std::size_t i = 0; i < batch.m_size; ++i)
        batch.m_headers[i].msg_hdr.msg_controllen = sizeof batch.m_controls[i].bytes;
    batch.m_size = 0;
    batch.m_lostBefore = 0;
    const auto take = [&](int flags) {
        return ::recvmmsg(m_socket.get(), batch.m_headers.data(), DatagramBatch::kCount, flags, nullptr);
    };
    const auto nothingYet = [](int count) { return count < 0 && (errno == EAGAIN || errno == EINTR); };
    int count = -1;
    errno = EAGAIN;
    if (spin.count() > 0) {
        const auto end = std::chrono::steady_clock::now() + spin;
        while (nothingYet(count = take(MSG_DONTWAIT)) && std::chrono::steady_clock::now() < end)
            std::this_thread::yield();
    }
    while (nothingYet(count))
        count = take(MSG_WAITFORONE);
    if (count < 0)
        return systemError("cannot receive datagrams", errno);
    batch.m_size = std::size_t(count);
    if (count == 0)
        return {};
    const mmsghdr& last = batch.m_headers[batch.m_size - 1];
    msghdr header = last.msg_hdr;
    for (cmsghdr* control = CMSG_FIRSTHDR(&header); control != nullptr; control = CMSG_NXTHDR(&header, control)) {
        if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SO_RXQ_OVFL)
            continue;
        std::uint32_t sum = 0;
        std::memcpy(&sum, CMSG_DATA(control), sizeof sum);
        batch.m_lostBefore = sum - batch.m_lostSum;
        batch.m_lostSum = sum;
    }
    return {};
}

UdpSocket::Buffered UdpSocket::buffered() const
{
    std::array<std::uint32_t, SK_MEMINFO_VARS> memory {};
    socklen_t size = sizeof memory;
    if (::getsockopt(m_socket.get(), SOL_SOCKET, SO_MEMINFO, memory.data(), &size) != 0)
        return { 0, std::size_t(m_receiveBuffer), 0 };
    return { memory[SK_MEMINFO_RMEM_ALLOC], memory[SK_MEMINFO_RCVBUF], memory[SK_MEMINFO_DROPS] };
}

void UdpSocket::interrupt() const
{
    // Returns "not connected", but still wakes waiting callers and makes all later calls return at once.
    ::shutdown(m_socket.get(), SHUT_RD);
}

bool UdpSocket::sendOne(OutDatagram& datagram) const
{
    const sockaddr_in address = toSystem(datagram.to);
    ssize_t sent = -1;
    do
        sent = ::sendto(m_socket.get(), datagram.bytes.data(), datagram.bytes.size(), MSG_DONTWAIT,
            reinterpret_cast<const sockaddr*>(&address), sizeof address);
    while (sent < 0 && errno == EINTR);
    if (sent < 0)
        datagram.error = errno;
    return sent >= 0;
}

std::size_t UdpSocket::send(std::span<OutDatagram> datagrams) const
{
    if (datagrams.size() == 1) // typical for a single operation; less is copied into the kernel
        return sendOne(datagrams.front()) ? 0 : 1;
    std::size_t failed = 0;
    while (!datagrams.empty()) {
        std::array<mmsghdr, kSendCount> headers;
        std::array<iovec, kSendCount> vectors;
        std::array<sockaddr_in, kSendCount> addresses;
        const std::size_t count = std::min(datagrams.size(), kSendCount);
        for (std::size_t i = 0; i < count; ++i) {
            addresses[i] = toSystem(datagrams[i].to);
            vectors[i] = { const_cast<char*>(datagrams[i].bytes.data()), datagrams[i].bytes.size() };
            headers[i] = {};
            headers[i].msg_hdr.msg_name = &addresses[i];
            headers[i].msg_hdr.msg_namelen = sizeof addresses[i];
            headers[i].msg_hdr.msg_iov = &vectors[i];
            headers[i].msg_hdr.msg_iovlen = 1;
        }
        std::size_t done = 0;
        while (done < count) {
            const int sent = ::sendmmsg(m_socket.get(), headers.data() + done, unsigned(count - done), MSG_DONTWAIT);
            if (sent > 0) {
                done += std::size_t(sent);
            } else if (errno != EINTR) {
                datagrams[done++].error = errno; // the others may still be sent
                ++failed;
            }
        }
        datagrams = datagrams.subspan(count);
    }
    return failed;
}

} // namespace lhrs
