// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace lhrs {

// The address at which other computers reach this one: the one by which ssh came (SSH_CONNECTION), because that
// path works, unless it is of IPv6 and there is one of IPv4; otherwise that of the first interface, of IPv4 if it has
// one. Empty: it has only the loopback interface.
std::string hostAddress();
// The addresses of the interfaces that are up, IPv4 first, without those of the loopback interface.
std::vector<std::string> interfaceAddresses();
// The server's address in the words of SSH_CONNECTION; empty if it is none that other computers reach.
std::string addressReachedBySsh(const char* connection);

} // namespace lhrs
