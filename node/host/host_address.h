// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace lhrs {

// The IPv4 address at which other computers reach this one. The one at which ssh was reached (SSH_CONNECTION), because
// that is a way which works; otherwise that of the first interface that is up and not the loopback interface; empty if
// there is none.
std::string hostAddress();
// The second part: without looking at ssh.
std::string firstInterfaceAddress();
// The server's address in the words of SSH_CONNECTION; empty if it is not an IPv4 address beyond loopback.
std::string addressReachedBySsh(const char* connection);

} // namespace lhrs
