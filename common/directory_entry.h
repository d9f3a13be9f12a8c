// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/process.pb.h"

#include <string>
#include <string_view>

namespace lhrs {

// Limits on what a process says about itself.
inline constexpr std::size_t kProcessNameMax = 255; // bytes of the name
inline constexpr std::uint32_t kPidMax = 0x7fffffff; // pid_t is signed

// Whether ZeroMQ can connect to this endpoint: tcp://HOST:PORT, HOST an address or a name, PORT 1 to 65535.
bool isTcpEndpoint(std::string_view endpoint);

// What is wrong with a directory entry, in words; empty: nothing. The coordinator checks it when a process registers,
// and a reader of the directory checks it again: an invalid entry must end neither of them. Endpoints may be missing,
// because the machines of the simulator have none.
std::string whatIsWrong(const pb::ProcessInfo& process);

} // namespace lhrs
