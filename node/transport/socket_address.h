// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/network/endpoint.h"
#include "common/errors.h"

#include <arpa/inet.h>
#include <endian.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace lhrs {

// An endpoint as the system's calls take and give it.
class SystemAddress {
public:
    SystemAddress() = default; // to be filled by the system
    SystemAddress(Endpoint end)
    {
        if (!end.ip.isV6()) {
            m_name.v4.sin_family = AF_INET;
            m_name.v4.sin_port = htons(end.port);
            m_name.v4.sin_addr.s_addr = htonl(end.ip.number());
            m_size = sizeof m_name.v4;
            return;
        }
        m_name.v6.sin6_family = AF_INET6;
        m_name.v6.sin6_port = htons(end.port);
        m_name.v6.sin6_addr = bytesOf(end.ip);
        m_size = sizeof m_name.v6;
    }

    static in6_addr bytesOf(Ip ip)
    {
        const std::uint64_t halves[] { htobe64(ip.high()), htobe64(ip.low()) };
        in6_addr bytes;
        static_assert(sizeof bytes == sizeof halves);
        std::memcpy(&bytes, halves, sizeof bytes);
        return bytes;
    }

    Endpoint end() const
    {
        if (m_name.any.sa_family != AF_INET6)
            return { ntohl(m_name.v4.sin_addr.s_addr), ntohs(m_name.v4.sin_port) };
        std::uint64_t halves[2];
        std::memcpy(halves, &m_name.v6.sin6_addr, sizeof halves);
        return { Ip::v6(be64toh(halves[0]), be64toh(halves[1])), ntohs(m_name.v6.sin6_port) };
    }

    const sockaddr* name() const { return &m_name.any; }
    sockaddr* name() { return &m_name.any; }
    socklen_t size() const { return m_size; }
    socklen_t* sizeToFill() { return &m_size; }

private:
    union Name {
        sockaddr_in6 v6; // the longest, so that all of it begins as zeros
        sockaddr_in v4;
        sockaddr any;
    } m_name {};
    socklen_t m_size = sizeof m_name;
};

inline int familyOf(Ip ip) { return ip.isV6() ? AF_INET6 : AF_INET; }

inline std::string textOf(Endpoint end) { return end.ip.textWith(end.port); }

// The system's error message for the last call, appended to `what`.
inline Error systemError(const std::string& what, int number) { return Error { what + ": " + std::strerror(number) }; }

// Owns a file descriptor.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : m_number(number) { }
    Descriptor(Descriptor&& other) noexcept : m_number(std::exchange(other.m_number, -1)) { }
    Descriptor& operator=(Descriptor&& other) noexcept
    {
        std::swap(m_number, other.m_number);
        return *this;
    }
    ~Descriptor()
    {
        if (m_number >= 0)
            ::close(m_number);
    }
    void close() { Descriptor closed(std::exchange(m_number, -1)); }
    int get() const { return m_number; }
    explicit operator bool() const { return m_number >= 0; }

private:
    int m_number = -1;
};

} // namespace lhrs
