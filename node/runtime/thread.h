// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <stop_token>
#include <thread>

namespace lhrs {

// Starts a thread under a name of at most 15 characters, which system tools show. An exception that leaves the function
// is logged and ends the process.
std::jthread spawn(const char* name, std::function<void(std::stop_token)> function);

} // namespace lhrs
