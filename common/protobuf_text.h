// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"

#include <google/protobuf/message.h>

#include <functional>
#include <string>

namespace lhrs {

// What differs between versions of the protobuf library: since its version 22, texts are views and the log is that of
// Abseil.

// Reads messages in the text format into `target`; fields that the text sets replace those that are there. The error
// names line and column of the first mistake.
Result<void> mergeText(const std::string& text, google::protobuf::Message& target);

// From now on the library's log lines go to `take` instead of to stderr; null: nowhere. Call it once, before there are
// other threads.
void takeProtobufLog(std::function<void(const std::string& line)> take);

} // namespace lhrs
