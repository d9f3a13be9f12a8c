// SPDX-License-Identifier: GPL-3.0-or-later
// The options of a client that has a door for other clients.
#pragma once

#include "node/process/options.h"

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace lhrs {

struct DoorOptions {
    std::optional<std::uint16_t> port; // on 127.0.0.1; 0: the system chooses; unset: none
    std::string socket; // path of a Unix-domain socket; empty: none
    bool isWanted() const { return port || !socket.empty(); }
};

// --resp-port and --resp-socket.
void addDoor(CLI::App& app, DoorOptions& options);
// Refuses a port that could be expected to be beyond loopback.
Result<void> checkDoor(const DoorOptions& options, const ProcessOptions& process);

} // namespace lhrs
