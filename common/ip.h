// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/group.pb.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace lhrs {

// An address of IPv4 or IPv6 as a value, without the zone of a link-local address. In the simulator it is the number of
// a process, held like an address of IPv4.
class Ip {
public:
    // `number`: an address of IPv4 in host byte order, or the number of a simulated process; 0: none.
    constexpr Ip(std::uint32_t number = 0) : m_low(kMapped | number) { }
    // An address of IPv6, most significant half first. One that stands for an address of IPv4 (::ffff:a.b.c.d) is that
    // address, so that each computer has one name.
    static constexpr Ip v6(std::uint64_t high, std::uint64_t low)
    {
        Ip ip;
        ip.m_high = high;
        ip.m_low = low;
        return ip;
    }
    static Ip from(const pb::Address& address)
    {
        return address.ip6_high() == 0 && address.ip6_low() == 0 ? Ip(address.ip())
                                                                 : v6(address.ip6_high(), address.ip6_low());
    }
    void to(pb::Address& address) const
    {
        address.set_ip(number());
        address.set_ip6_high(isV6() ? m_high : 0);
        address.set_ip6_low(isV6() ? m_low : 0);
    }
    // "10.0.0.7" or "fd00::7"; nothing if it is neither.
    static std::optional<Ip> parse(const std::string& text);

    constexpr bool isV6() const { return m_high != 0 || m_low >> 32 != kMapped >> 32; }
    // The address of IPv4, or the number of the simulated process; 0 for IPv6.
    constexpr std::uint32_t number() const { return isV6() ? 0 : std::uint32_t(m_low); }
    constexpr std::uint64_t high() const { return m_high; }
    constexpr std::uint64_t low() const { return m_low; }
    // 0.0.0.0 or ::, with which a program listens everywhere, but cannot be reached.
    constexpr bool isAny() const { return isV6() ? m_high == 0 && m_low == 0 : number() == 0; }
    constexpr bool isLoopback() const { return isV6() ? m_high == 0 && m_low == 1 : number() >> 24 == 127; }
    // 224.0.0.0 to 239.255.255.255, or ff00::/8.
    constexpr bool isMulticast() const { return isV6() ? m_high >> 56 == 0xff : number() >> 28 == 14; }
    // fe80::/10, which reaches a neighbour only together with the name of an interface.
    constexpr bool isLinkLocal() const { return m_high >> 54 == 0xfe80 >> 6; }

    // "10.0.0.7" or "fd00::7".
    std::string text() const;
    // "10.0.0.7:4000" or "[fd00::7]:4000".
    std::string textWith(std::uint32_t port) const;

    constexpr auto operator<=>(const Ip&) const = default;

private:
    static constexpr std::uint64_t kMapped = 0xffff'0000'0000; // ::ffff:0:0
    std::uint64_t m_high = 0, m_low = 0;
};

inline constexpr Ip kLoopback { 0x7f000001 };
inline constexpr Ip kLoopback6 = Ip::v6(0, 1);

// The address and the port of UDP as text.
std::string udpText(const pb::Address& address);

} // namespace lhrs
