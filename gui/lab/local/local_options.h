// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/hosts/host_list.h"
#include "gui/lab/local/lhrs/file_lines.h"
#include "gui/lab/local/walk/ring_lines.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lhrs::gui {

// One process that simulates all others on a virtual clock.
struct SimulatedOptions {
    std::uint64_t seed = 1;
    double speed = 1; // relative to real time; 0: as fast as possible
    bool isCase = false; // plays the test case that belongs to the seed; it can be watched, not operated
    bool withMessages = false; // of a case: includes message events, which may change the run
    // Virtual time advances only while a call waits for it: seed and calls determine the run.
    bool waitsForScript = false;
};

// The options for starting a cluster of local processes: a file, or else a ring.
struct LocalOptions : FileOptions {
    std::optional<SimulatedOptions> simulated = {}; // empty: real processes
    bool slowTimers = false; // "classroom": five times slower
    bool hasGate = false; // messages and clocks can be held; a simulated cluster always has a gate
    bool hasKeys = true; // real processes have keys of their own, so that nobody else here can speak to them
    std::vector<HostEntry> hosts = {}; // where real processes run; empty: on this computer
    std::optional<RingOptions> ring = {}; // then the options of a file do not count
};

// What its programs are told. `timeScale`: the factor of all timeouts, beside that of slow timers.
SystemLines linesOf(const LocalOptions& options, unsigned timeScale = 1);

} // namespace lhrs::gui
