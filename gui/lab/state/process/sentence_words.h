// SPDX-License-Identifier: GPL-3.0-or-later
// Shared parts of the sentences of all events.
#pragma once

#include "proto/event.pb.h"

#include <string>

namespace lhrs::gui {

std::string num(std::uint64_t number);
std::string counted(std::uint64_t number, const char* one, const char* many);
std::string millisecondsOf(std::int64_t ns);
// ": reason." or "."
std::string because(const std::string& reason);
// "1, 2 and 5"; a long list is cut after the first numbers.
std::string listed(const google::protobuf::RepeatedField<std::uint32_t>& numbers);

} // namespace lhrs::gui
