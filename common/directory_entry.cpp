// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/directory_entry.h"

#include <algorithm>
#include <charconv>

namespace lhrs {

namespace {

constexpr std::string_view kScheme = "tcp://";
constexpr std::size_t kHostMax = 253; // longest name in DNS

bool isHostCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-'
        || c == '_' || c == ':' || c == '[' || c == ']' || c == '%'; // for an IPv6 address, including its interface
}

bool isControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

} // namespace

bool isTcpEndpoint(std::string_view endpoint)
{
    if (!endpoint.starts_with(kScheme))
        return false;
    endpoint.remove_prefix(kScheme.size());
    const std::size_t colon = endpoint.rfind(':');
    if (colon == std::string_view::npos || colon == 0 || colon > kHostMax
        || !std::ranges::all_of(endpoint.substr(0, colon), isHostCharacter))
        return false;
    const std::string_view digits = endpoint.substr(colon + 1);
    unsigned port = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    return error == std::errc() && end == digits.data() + digits.size() && port >= 1 && port <= 65'535;
}

std::string whatIsWrong(const pb::ProcessInfo& process)
{
    if (process.node() == 0)
        return "it has no process number";
    if (!pb::ProcessKind_IsValid(process.kind()))
        return "its kind is none";
    if (process.name().size() > kProcessNameMax || std::ranges::any_of(process.name(), isControl))
        return "its name is too long, or no text of one line";
    if (process.pid() > kPidMax)
        return "its pid is beyond 2147483647";
    for (const std::string& endpoint : { process.control_endpoint(), process.events_endpoint() })
        if (!endpoint.empty() && !isTcpEndpoint(endpoint))
            return "one of its endpoints is not tcp://HOST:PORT";
    return {};
}

} // namespace lhrs
