// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace lhrs {

// The IPv4 address at which other computers reach this one: the one by which ssh came (SSH_CONNECTION), because that
// path works; otherwise that of the first interface. Empty: it has only the loopback interface.
std::string hostAddress();
// The IPv4 addresses of the interfaces that are up, without those of the loopback interface.
std::vector<std::string> interfaceAddresses();
// The server's address in the words of SSH_CONNECTION; empty if it is not an IPv4 address beyond loopback.
std::string addressReachedBySsh(const char* connection);

} // namespace lhrs
