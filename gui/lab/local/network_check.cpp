// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/local/network_check.h"

#include "common/network/multicast_group.h"
#include "common/number_words.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr std::uint32_t kPortsOfProcess = 4; // UDP, TCP, events, commands
constexpr std::uint16_t kPortOfTry = 1; // placeholder for a coordinator's port, which is never this low
constexpr int kPatience = 200; // ms; a datagram to this computer takes microseconds

class Socket {
public:
    explicit Socket(int type) : m_number(::socket(AF_INET, type | SOCK_CLOEXEC, 0)) { }
    ~Socket()
    {
        if (m_number >= 0)
            ::close(m_number);
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    Socket(Socket&&) = delete;
    Socket& operator=(Socket&&) = delete;
    int number() const { return m_number; }

private:
    int m_number;
};

sockaddr_in addressOf(Ip ip, std::uint16_t port)
{
    sockaddr_in address {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(ip.number());
    address.sin_port = htons(port);
    return address;
}

// The free port that was bound; 0: errno says why there is none.
std::uint16_t bindTo(int socket, Ip ip)
{
    sockaddr_in address = addressOf(ip, 0);
    socklen_t size = sizeof address;
    const bool isBound = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), size) == 0
        && ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    return isBound ? ntohs(address.sin_port) : 0;
}

} // namespace

Result<std::string> endpointOf(const std::string& address)
{
    constexpr std::string_view kHost = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.";
    const std::size_t colon = address.rfind(':');
    const std::string host = address.substr(0, colon);
    const bool isV6 = host.starts_with('[') && host.ends_with(']') && Ip::parse(host.substr(1, host.size() - 2));
    const bool isName = isV6 || (!host.empty() && host.find_first_not_of(kHost) == std::string::npos);
    const bool isNumber = host.find_first_not_of("0123456789.") == std::string::npos;
    if (colon == std::string::npos || !isName || (isNumber && !Ip::parse(host))
        || !readNumber<std::uint16_t>(address.substr(colon + 1), 1, 65'535))
        return Error { "“" + address
            + "” is not an address. Write HOST:PORT, the coordinator’s control endpoint, for example 127.0.0.1:4712." };
    return "tcp://" + address;
}

std::string portTrouble(std::uint32_t processes)
{
    for (const auto& [type, name] : { std::pair(SOCK_DGRAM, "UDP"), std::pair(SOCK_STREAM, "TCP") }) {
        const Socket socket(type);
        if (socket.number() < 0 || bindTo(socket.number(), INADDR_LOOPBACK) == 0)
            return std::string("No ") + name + " port of 127.0.0.1 can be opened (" + std::strerror(errno)
                + "). Processes talk to each other there: allow it, or simulate them.";
    }
    std::uint32_t first = 0, last = 0;
    if (!(std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> first >> last) || last < first)
        return {}; // unknown: the first process that finds no port will report it
    const std::uint32_t there = last - first + 1, wanted = processes * kPortsOfProcess;
    if (wanted <= there)
        return {};
    return std::to_string(processes) + " processes take " + std::to_string(wanted)
        + " ports, and this computer gives out " + std::to_string(there) + ". Take fewer servers, or simulate them.";
}

std::string multicastTrouble()
{
    const auto failed = [](const char* what) { return std::string(what) + ": " + std::strerror(errno); };
    const Socket in(SOCK_DGRAM), out(SOCK_DGRAM);
    const Endpoint group = multicastGroup(pb::DATA, { kLoopback, kPortOfTry });
    const std::uint16_t port = in.number() < 0 || out.number() < 0 ? std::uint16_t(0) : bindTo(in.number(), INADDR_ANY);
    if (port == 0)
        return failed("no socket");
    ip_mreq membership {};
    membership.imr_multiaddr.s_addr = htonl(group.ip.number());
    membership.imr_interface.s_addr = htonl(INADDR_LOOPBACK);
    if (::setsockopt(in.number(), IPPROTO_IP, IP_ADD_MEMBERSHIP, &membership, sizeof membership) != 0)
        return failed("the group cannot be joined");
    const unsigned char loop = 1, hops = 0; // datagrams stay on this computer
    const in_addr loopback { htonl(INADDR_LOOPBACK) };
    if (::setsockopt(out.number(), IPPROTO_IP, IP_MULTICAST_IF, &loopback, sizeof loopback) != 0
        || ::setsockopt(out.number(), IPPROTO_IP, IP_MULTICAST_LOOP, &loop, sizeof loop) != 0
        || ::setsockopt(out.number(), IPPROTO_IP, IP_MULTICAST_TTL, &hops, sizeof hops) != 0)
        return failed("the loopback interface does not take it");
    const sockaddr_in to = addressOf(group.ip, port);
    if (::sendto(out.number(), "?", 1, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 1)
        return failed("it cannot be sent");
    pollfd waits { in.number(), POLLIN, 0 };
    return ::poll(&waits, 1, kPatience) == 1 ? std::string() : "what is sent does not come back";
}

} // namespace lhrs::gui
