// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/transport/udp_socket.h"

#include "node/transport/envelope.h"

#include <ifaddrs.h>
#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <net/if.h>

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

// The number of the interface that has this address of IPv6; 0: none has, and the system chooses.
unsigned interfaceWith(Ip ip)
{
    ifaddrs* all = nullptr;
    if (!ip.isV6() || ::getifaddrs(&all) != 0)
        return 0;
    const in6_addr wanted = SystemAddress::bytesOf(ip);
    unsigned found = 0;
    for (const ifaddrs* one = all; one != nullptr && found == 0; one = one->ifa_next)
        if (one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET6
            && std::memcmp(&reinterpret_cast<const sockaddr_in6*>(one->ifa_addr)->sin6_addr, &wanted, sizeof wanted)
                == 0)
            found = ::if_nametoindex(one->ifa_name);
    ::freeifaddrs(all);
    return found;
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
        m_headers[i].msg_hdr.msg_name = m_names[i].name();
        m_headers[i].msg_hdr.msg_namelen = m_names[i].size();
        m_headers[i].msg_hdr.msg_control = m_controls[i].bytes;
        m_headers[i].msg_hdr.msg_controllen = sizeof m_controls[i].bytes;
    }
}

Result<UdpSocket> UdpSocket::make(Endpoint self, bool isShared)
{
    UdpSocket made;
    made.m_socket = Descriptor(::socket(familyOf(self.ip), SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const int socket = made.m_socket.get();
    if (socket < 0)
        return systemError("no UDP socket", errno);
    if (isShared && !setOption(socket, SOL_SOCKET, SO_REUSEADDR, 1))
        return systemError("UDP port " + std::to_string(self.port) + " cannot be shared", errno);
    const SystemAddress address(self);
    if (::bind(socket, address.name(), address.size()) != 0) {
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
    SystemAddress bound;
    if (::getsockname(socket, bound.name(), bound.sizeToFill()) != 0)
        return systemError("UDP socket without a name", errno);
    made.m_self = bound.end();
    return made;
}

Result<UdpSocket> UdpSocket::open(Endpoint self)
{
    auto made = make(self, false);
    if (!made)
        return made;
    const int socket = made->m_socket.get();
    // Without IP_MULTICAST_IF nothing arrives on loopback, and no call reports an error.
    const int hops = self.ip.isLoopback() ? 0 : 1;
    const in_addr interface {
        htonl(self.ip.number())
    };
    const bool isChosen = self.ip.isV6() ? setOption(socket, IPPROTO_IPV6, IPV6_MULTICAST_IF, interfaceWith(self.ip))
            && setOption(socket, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, hops)
                                         : setOption(socket, IPPROTO_IP, IP_MULTICAST_IF, interface)
            && setOption(socket, IPPROTO_IP, IP_MULTICAST_TTL, std::uint8_t(hops));
    if (!isChosen)
        return systemError("cannot choose the interface of multicasts", errno);
    return made;
}

Result<UdpSocket> UdpSocket::openGroup(Endpoint group, Ip interfaceIp)
{
    auto made = make(group, true);
    if (!made)
        return made;
    const int socket = made->m_socket.get();
    const ip_mreq membership { { htonl(group.ip.number()) }, { htonl(interfaceIp.number()) } };
    const ipv6_mreq membership6 { SystemAddress::bytesOf(group.ip), interfaceWith(interfaceIp) };
    const bool hasJoined = group.ip.isV6() ? setOption(socket, IPPROTO_IPV6, IPV6_JOIN_GROUP, membership6)
            && setOption(socket, IPPROTO_IPV6, IPV6_MULTICAST_ALL, 0)
                                           : setOption(socket, IPPROTO_IP, IP_ADD_MEMBERSHIP, membership)
            && setOption(socket, IPPROTO_IP, IP_MULTICAST_ALL, 0);
    if (!hasJoined)
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

Result<void> UdpSocket::passOnly(std::uint64_t cluster) const
{
    // As the filter of a UDP socket sees it, a packet begins with the header of UDP. Words are read as big-endian.
    constexpr std::uint32_t kBegin = 8, kMagic = 0x4c485253; // "LHRS"
    const std::uint64_t asRead = be64toh(cluster); // the header is little-endian
    const auto load = [](std::uint16_t size, std::uint32_t at) {
        return sock_filter { std::uint16_t(BPF_LD | size | BPF_ABS), 0, 0, kBegin + at };
    };
    // Goes on if they are equal, otherwise to the last instruction but the given number.
    const auto need = [](std::uint32_t value, std::uint8_t toEnd) {
        return sock_filter { BPF_JMP | BPF_JEQ | BPF_K, 0, toEnd, value };
    };
    std::array program {
        sock_filter { BPF_LD | BPF_W | BPF_LEN, 0, 0, 0 },
        sock_filter { BPF_JMP | BPF_JGE | BPF_K, 0, 9, std::uint32_t(kBegin + kEnvelopeBytes) }, load(BPF_W, 0),
        need(kMagic, 7), load(BPF_B, 4), need(kProtocolVersion, 5), load(BPF_W, kClusterAt),
        need(std::uint32_t(asRead >> 32), 3), load(BPF_W, kClusterAt + 4), need(std::uint32_t(asRead), 1),
        sock_filter { BPF_RET | BPF_K, 0, 0, 0xffffffff }, // all of it
        sock_filter { BPF_RET | BPF_K, 0, 0, 0 }, // nothing
    };
    const sock_fprog whole { std::uint16_t(program.size()), program.data() };
    if (!setOption(m_socket.get(), SOL_SOCKET, SO_ATTACH_FILTER, whole))
        return systemError("no filter at a UDP socket", errno);
    return {};
}

void UdpSocket::passAll() const
{
    const int unused = 0;
    setOption(m_socket.get(), SOL_SOCKET, SO_DETACH_FILTER, unused);
}

void UdpSocket::interrupt() const
{
    // Returns "not connected", but still wakes waiting callers and makes all later calls return at once.
    ::shutdown(m_socket.get(), SHUT_RD);
}

bool UdpSocket::sendOne(OutDatagram& datagram) const
{
    const SystemAddress address(datagram.to);
    ssize_t sent = -1;
    do
        sent = ::sendto(
            m_socket.get(), datagram.bytes.data(), datagram.bytes.size(), MSG_DONTWAIT, address.name(), address.size());
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
        std::array<SystemAddress, kSendCount> addresses;
        const std::size_t count = std::min(datagrams.size(), kSendCount);
        for (std::size_t i = 0; i < count; ++i) {
            addresses[i] = datagrams[i].to;
            vectors[i] = { const_cast<char*>(datagrams[i].bytes.data()), datagrams[i].bytes.size() };
            headers[i] = {};
            headers[i].msg_hdr.msg_name = addresses[i].name();
            headers[i].msg_hdr.msg_namelen = addresses[i].size();
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
