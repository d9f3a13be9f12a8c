// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "common/multicast_group.h"
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

// A datagram to send: bytes that the sender owns until the call returns.
struct OutDatagram {
    Endpoint to;
    std::string_view bytes;
    int error = 0; // the system's number, when it could not be sent
};

// Room for the datagrams of one system call, used again and again. Belongs to one receiving thread.
class DatagramBatch {
public:
    static constexpr std::size_t kCount = 32;
    DatagramBatch();
    DatagramBatch(const DatagramBatch&) = delete;
    DatagramBatch& operator=(const DatagramBatch&) = delete;

    std::size_t size() const { return m_size; }
    std::string_view operator[](std::size_t i) const { return { m_bytes.get() + i * kDatagramMax, m_headers[i].msg_len }; }
    // Datagrams that the kernel dropped since the last batch because the socket's buffer was full.
    std::uint32_t lostBefore() const { return m_lostBefore; }

private:
    friend class UdpSocket;
    struct alignas(cmsghdr) Control {
        char bytes[CMSG_SPACE(sizeof(std::uint32_t))];
    };
    const std::unique_ptr<char[]> m_bytes; // never written before it is needed: memory only for what arrives
    std::vector<iovec> m_vectors;
    std::vector<Control> m_controls;
    std::vector<mmsghdr> m_headers;
    std::size_t m_size = 0;
    std::uint32_t m_lostSum = 0;
    std::uint32_t m_lostBefore = 0;
};

// A UDP socket over IPv4 that takes and gives many datagrams in one system call. Sending is thread-safe, receiving is
// for one thread.
class UdpSocket {
public:
    // For datagrams to and from this process. Port 0: the system chooses. Multicasts leave by the interface of `self`
    // and with TTL 0 when that is loopback.
    static Result<UdpSocket> open(Endpoint self);
    // Hears what is sent to the group on the interface with this address; other sockets may hear it as well.
    static Result<UdpSocket> openGroup(Endpoint group, std::uint32_t interfaceIp);

    Endpoint self() const { return m_self; }
    // Bytes of the receive buffer as the kernel granted it.
    int receiveBuffer() const { return m_receiveBuffer; }

    // What the kernel holds for us, as bytes of its buffer, and datagrams that found no room.
    struct Buffered {
        std::size_t bytes = 0, bound = 0, dropped = 0;
    };
    Buffered buffered() const;

    // Waits for at least one datagram and takes what is there. Before it sleeps it looks again and again for so long, and
    // gives way to others meanwhile.
    Result<void> receive(DatagramBatch& batch, std::chrono::microseconds spin = {}) const;
    // From any thread: a receive() that waits, and each later one, returns at once with nothing of use. Its caller then
    // looks at its stop token.
    void interrupt() const;
    // Returns how many could not be sent; those have their error, the others are on their way.
    std::size_t send(std::span<OutDatagram> datagrams) const;

private:
    bool sendOne(OutDatagram& datagram) const;
    static Result<UdpSocket> make(Endpoint self, bool isShared);
    Descriptor m_socket;
    Endpoint m_self;
    int m_receiveBuffer = 0;
};

} // namespace lhrs
