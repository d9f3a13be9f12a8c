// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"

#include <cstdint>
#include <string>

namespace lhrs::gui {

// What a cluster of processes needs of this computer's network, tried before anything is started.

// Why so many processes would not find ports on the loopback interface, in a sentence with what to do; empty: they do.
std::string portTrouble(std::uint32_t processes);
// What a person names as HOST:PORT, as the endpoint of its commands, tcp://HOST:PORT; whether it answers is not tried.
Result<std::string> endpointOf(const std::string& address);
// Why a multicast datagram does not come back to this computer; empty: it does. Spares are recruited by the registry then.
std::string multicastTrouble();

} // namespace lhrs::gui
