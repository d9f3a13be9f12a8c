// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/process/run_state.h"

#include <string>

namespace lhrs::gui {

// The name of an event's kind, e.g. "ProcessStarted"; "" for an empty event.
std::string kindName(const pb::Event& event);
// "alice 12" for the client's operation 12; "" for none.
std::string operationShown(const pb::RequestId& operation, const RunState& state);
// A process for the reader: its name, else its number in hexadecimal.
std::string processShown(ProcessId process, const RunState& state);
// An operation kind or a result in words: "insert", "not found".
std::string operationWord(pb::OperationKind kind);
std::string resultWord(pb::ResultCode result);
std::string pathWord(pb::Path path); // how an operation's answer came: "direct", "forwarded"
std::string transportWord(pb::Transport transport); // "TCP"

} // namespace lhrs::gui
