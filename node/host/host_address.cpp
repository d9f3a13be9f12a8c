// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/host/host_address.h"

#include "common/ip.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

namespace lhrs {

namespace {

// Whether others reach this computer there.
bool isReachable(Ip ip) { return !ip.isAny() && !ip.isLoopback() && !ip.isMulticast() && !ip.isLinkLocal(); }

} // namespace

std::string addressReachedBySsh(const char* connection)
{
    if (connection == nullptr)
        return {};
    std::istringstream words(connection); // client, its port, server, its port
    std::string client, port, server;
    words >> client >> port >> server;
    const auto ip = Ip::parse(server);
    return ip && isReachable(*ip) ? ip->text() : std::string();
}

std::vector<std::string> interfaceAddresses()
{
    ifaddrs* all = nullptr;
    if (::getifaddrs(&all) != 0)
        return {};
    std::vector<std::string> four, six;
    for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0)
            continue;
        const int family = one->ifa_addr->sa_family;
        const void* const bytes = family == AF_INET
            ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr)
            : &reinterpret_cast<const sockaddr_in6*>(one->ifa_addr)->sin6_addr;
        std::array<char, INET6_ADDRSTRLEN> text {};
        if ((family != AF_INET && family != AF_INET6)
            || ::inet_ntop(family, bytes, text.data(), text.size()) == nullptr)
            continue;
        if (const auto ip = Ip::parse(text.data()); ip && isReachable(*ip))
            (family == AF_INET ? four : six).push_back(ip->text());
    }
    ::freeifaddrs(all);
    four.insert(four.end(), six.begin(), six.end());
    return four;
}

std::string hostAddress()
{
    const std::vector<std::string> own = interfaceAddresses();
    // The variable may come from the login node of a job that runs elsewhere.
    const std::string reached = addressReachedBySsh(std::getenv("SSH_CONNECTION"));
    if (own.empty() || std::find(own.begin(), own.end(), reached) == own.end())
        return own.empty() ? std::string() : own.front();
    // All hosts of a cluster have addresses of one family: IPv4, unless this computer has none.
    const auto isV6 = [](const std::string& address) { return address.find(':') != std::string::npos; };
    return isV6(reached) == isV6(own.front()) ? reached : own.front();
}

} // namespace lhrs
