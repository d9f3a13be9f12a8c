// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/process.pb.h"

#include <string>
#include <string_view>

namespace lhrs {

// Limits of what a process says of itself.
inline constexpr std::size_t kProcessNameMax = 255;  // bytes of its name
inline constexpr std::uint32_t kPidMax = 0x7fffffff; // pid_t is signed

// Whether ZeroMQ can connect to it: tcp://HOST:PORT, HOST an address or a name, PORT 1 to 65535.
bool isTcpEndpoint(std::string_view endpoint);

// What is wrong with an entry of the directory, in words; empty: nothing. A coordinator asks when a process makes itself known,
// and a reader of the list asks again: one bad entry must not end either of them. Endpoints may be missing: the machines of
// the simulator have none.
std::string whatIsWrong(const pb::ProcessInfo& process);

} // namespace lhrs
