// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/network/endpoint.h"
#include "common/errors.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace lhrs {

inline constexpr std::uint32_t kLoopback = 0x7f000001;
constexpr bool isLoopback(std::uint32_t ip) { return ip >> 24 == 127; }
constexpr bool isMulticast(Endpoint end) { return end.ip >> 28 == 14; } // 224.0.0.0 to 239.255.255.255

inline sockaddr_in toSystem(Endpoint end)
{
    sockaddr_in address {};
    address.sin_family = AF_INET;
    address.sin_port = htons(end.port);
    address.sin_addr.s_addr = htonl(end.ip);
    return address;
}

inline Endpoint fromSystem(const sockaddr_in& address)
{
    return { ntohl(address.sin_addr.s_addr), ntohs(address.sin_port) };
}

// "127.0.0.1:4711".
inline std::string textOf(Endpoint end)
{
    char text[INET_ADDRSTRLEN] = {};
    const in_addr ip { htonl(end.ip) };
    ::inet_ntop(AF_INET, &ip, text, sizeof text);
    return std::string(text) + ':' + std::to_string(end.port);
}

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
