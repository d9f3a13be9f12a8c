// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/ip.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>

namespace lhrs {

namespace {

std::uint64_t halfOf(const in6_addr& address, std::size_t first)
{
    std::uint64_t half = 0;
    for (std::size_t i = 0; i < 8; ++i)
        half = half << 8 | address.s6_addr[first + i];
    return half;
}

} // namespace

std::optional<Ip> Ip::parse(const std::string& text)
{
    in_addr four {};
    if (::inet_pton(AF_INET, text.c_str(), &four) == 1)
        return Ip(ntohl(four.s_addr));
    in6_addr six {};
    if (::inet_pton(AF_INET6, text.c_str(), &six) == 1)
        return v6(halfOf(six, 0), halfOf(six, 8));
    return {};
}

std::string Ip::text() const
{
    std::array<char, INET6_ADDRSTRLEN> text {};
    if (isV6()) {
        in6_addr address {};
        for (std::size_t i = 0; i < 16; ++i)
            address.s6_addr[i] = std::uint8_t((i < 8 ? m_high : m_low) >> (8 * (7 - i % 8)));
        ::inet_ntop(AF_INET6, &address, text.data(), text.size());
    } else {
        const in_addr address { htonl(number()) };
        ::inet_ntop(AF_INET, &address, text.data(), text.size());
    }
    return text.data();
}

std::string Ip::textWith(std::uint32_t port) const
{
    return (isV6() ? '[' + text() + ']' : text()) + ':' + std::to_string(port);
}

std::string udpText(const pb::Address& address) { return Ip::from(address).textWith(address.udp_port()); }

} // namespace lhrs
