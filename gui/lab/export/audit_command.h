// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace lhrs::gui {

// The option of lhrs-play that audits a running cluster once. Other programs get the parity check of this one by it.
struct AuditCommand {
    std::string group; // a number, or "all"; empty: nothing is audited
};
void addAuditOptions(CLI::App& app, AuditCommand& command);

// Prints {"ranks", "unequal", "first"} as JSON to standard output and returns the exit code. It asks questions only,
// so a simulation that waits for commands goes on as if it had not been asked. `endpoint`: the coordinator's.
int audit(const AuditCommand& command, const std::string& endpoint);

} // namespace lhrs::gui
