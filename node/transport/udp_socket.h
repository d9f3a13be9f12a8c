// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "common/network/multicast_group.h"
#include "common/wire.h"
#include "node/transport/socket_address.h"
#include "proto/message.pb.h"

#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace lhrs {

// A datagram to send; the caller owns the bytes until the call returns.
struct OutDatagram {
    Endpoint to;
    std::string_view bytes;
    int error = 0; // errno, if it could not be sent
};

// Room for the datagrams of one system call, reused. Belongs to one receiving thread.
class DatagramBatch {
public:
    static constexpr std::size_t kCount = 32;
    DatagramBatch();
    DatagramBatch(const DatagramBatch&) = delete;
    DatagramBatch& operator=(const DatagramBatch&) = delete;

    std::size_t size() const { return m_size; }
    std::string_view operator[](std::size_t i) const
    {
        return { m_bytes.get() + i * kDatagramMax, m_headers[i].msg_len };
    }
    // Where datagram `i` came from, as it claims; a sender can write any address there.
    Endpoint from(std::size_t i) const { return m_names[i].end(); }
    // Number of datagrams that the kernel has dropped since the last batch because the socket's buffer was full.
    std::uint32_t lostBefore() const { return m_lostBefore; }

private:
    friend class UdpSocket;
    struct alignas(cmsghdr) Control {
        char bytes[CMSG_SPACE(sizeof(std::uint32_t))];
    };
    const std::unique_ptr<char[]> m_bytes; // not initialized, so that only pages that receive data take memory
    std::vector<iovec> m_vectors;
    std::vector<Control> m_controls;
    std::vector<SystemAddress> m_names;
    std::vector<mmsghdr> m_headers;
    std::size_t m_size = 0;
    std::uint32_t m_lostSum = 0;
    std::uint32_t m_lostBefore = 0;
};

// A UDP socket over IPv4 or IPv6 that sends and receives many datagrams in one system call. Sending is thread-safe;
// only one thread may receive.
class UdpSocket {
public:
    // For datagrams to and from this process. Port 0: the system chooses. Multicasts are sent through the interface of
    // `self`, with TTL 0 if that is loopback.
    static Result<UdpSocket> open(Endpoint self);
    // Receives what is sent to the group on the interface with this address; other sockets may receive it too.
    static Result<UdpSocket> openGroup(Endpoint group, Ip interfaceIp);

    Endpoint self() const { return m_self; }
    // Size in bytes of the receive buffer that the kernel granted.
    int receiveBuffer() const { return m_receiveBuffer; }

    // What the kernel holds for this socket, in bytes of its buffer, and the number of datagrams that did not fit.
    struct Buffered {
        std::size_t bytes = 0, bound = 0, dropped = 0;
    };
    Buffered buffered() const;

    // Waits for at least one datagram and takes everything available. Before it sleeps, it polls for the time `spin`,
    // yielding to other threads.
    Result<void> receive(DatagramBatch& batch, std::chrono::microseconds spin = {}) const;
    // From now on the kernel throws away what does not begin like a packet of this cluster and this version, and counts
    // it like what does not fit; or it takes everything again.
    Result<void> passOnly(std::uint64_t cluster) const;
    void passAll() const;
    // May be called from any thread: a waiting receive(), and each later one, returns at once without data. The caller
    // of receive() then checks its stop token.
    void interrupt() const;
    // Returns the number of datagrams that could not be sent; those have `error` set, and the others have been sent.
    std::size_t send(std::span<OutDatagram> datagrams) const;

private:
    bool sendOne(OutDatagram& datagram) const;
    static Result<UdpSocket> make(Endpoint self, bool isShared);
    Descriptor m_socket;
    Endpoint m_self;
    int m_receiveBuffer = 0;
};

} // namespace lhrs
