// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"

#include <cstdint>
#include <string>

namespace lhrs::gui {

// Checks what a cluster of processes needs of this computer's network, before anything is started.

// Why this many processes would not find ports on the loopback interface, with a remedy, in a sentence; empty if they
// would.
std::string portTrouble(std::uint32_t processes);
// Converts HOST:PORT as entered into the control endpoint tcp://HOST:PORT. It does not try to connect.
Result<std::string> endpointOf(const std::string& address);
// Why a multicast datagram does not come back to this computer; empty if it does. Without multicast, servers are
// recruited by the registry.
std::string multicastTrouble();

} // namespace lhrs::gui
