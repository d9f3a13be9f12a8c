// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace lhrs::gui {

// What a cluster of processes needs of this computer's network, tried before anything is started.

// Why so many processes would not find ports on the loopback interface, in a sentence with what to do; empty: they do.
std::string portTrouble(std::uint32_t processes);
// Why a multicast datagram does not come back to this computer; empty: it does. Spares are recruited by the registry then.
std::string multicastTrouble();

} // namespace lhrs::gui
