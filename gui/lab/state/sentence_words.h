// SPDX-License-Identifier: GPL-3.0-or-later
// What the sentences of all events are made of.
#pragma once

#include "proto/event.pb.h"

#include <string>

namespace lhrs::gui {

std::string num(std::uint64_t number);
std::string counted(std::uint64_t number, const char* one, const char* many);
std::string millisecondsOf(std::int64_t ns);
std::string imageText(const pb::FileState& image);
// ": reason." or "."
std::string because(const std::string& reason);
// "1, 2 and 5"; only the first ones where there are many.
std::string listed(const google::protobuf::RepeatedField<std::uint32_t>& numbers);
// The sentence of an event of scans, or of merges; "" of any other. `who`: the process, as a subject.
std::string scanSentence(const std::string& who, const pb::Event& event);
std::string mergeSentence(const std::string& who, const pb::Event& event);

} // namespace lhrs::gui
