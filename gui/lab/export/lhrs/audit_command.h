// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/keys/key_file.h"

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace lhrs::gui {

// The option of lhrs-play that audits a running cluster once. Other programs use it to get this program's parity check.
struct AuditCommand {
    std::string group; // a number, or "all"; empty: nothing is audited
};
void addAuditOptions(CLI::App& app, AuditCommand& command);

// Prints {"ranks", "unequal", "first"} as JSON to standard output and returns the exit code. It only sends queries, so
// it does not affect a simulation that waits for commands. `endpoint`: the coordinator's.
// `key`: of the cluster, if it has keys.
int audit(const AuditCommand& command, const std::string& endpoint, const std::optional<KeyFile>& key);

} // namespace lhrs::gui
