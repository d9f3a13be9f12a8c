// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/host/host_address.h"

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

bool isBeyondLoopback(in_addr address)
{
    const std::uint32_t ip = ntohl(address.s_addr);
    return ip != 0 && ip >> 24 != 127;
}

} // namespace

std::string addressReachedBySsh(const char* connection)
{
    if (connection == nullptr)
        return {};
    std::istringstream words(connection); // client, its port, server, its port
    std::string client, port, server;
    words >> client >> port >> server;
    in_addr address {};
    return ::inet_pton(AF_INET, server.c_str(), &address) == 1 && isBeyondLoopback(address) ? server : std::string();
}

std::vector<std::string> interfaceAddresses()
{
    ifaddrs* all = nullptr;
    if (::getifaddrs(&all) != 0)
        return {};
    std::vector<std::string> found;
    for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET || (one->ifa_flags & IFF_UP) == 0)
            continue;
        const in_addr address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr;
        std::array<char, INET_ADDRSTRLEN> text {};
        if (isBeyondLoopback(address) && ::inet_ntop(AF_INET, &address, text.data(), text.size()) != nullptr)
            found.emplace_back(text.data());
    }
    ::freeifaddrs(all);
    return found;
}

std::string hostAddress()
{
    const std::vector<std::string> own = interfaceAddresses();
    // The variable may come from the login node of a job that runs elsewhere.
    const std::string reached = addressReachedBySsh(std::getenv("SSH_CONNECTION"));
    if (std::find(own.begin(), own.end(), reached) != own.end())
        return reached;
    return own.empty() ? std::string() : own.front();
}

} // namespace lhrs
