// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/config.pb.h"

#include <cstdint>
#include <optional>

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

// A ring that walks, in place of a file.
struct RingOptions {
    unsigned bits = 32; // M: ids are numbers modulo 2^M
    std::uint32_t nodes = 8; // so many join the ring as it starts
    std::uint32_t outside = 2; // further processes, which wait
    bool operator==(const RingOptions&) const = default;
};

// The options for starting a cluster of local processes.
struct LocalOptions {
    pb::FileConfig config;
    std::optional<SimulatedOptions> simulated = {}; // empty: real processes
    bool slowTimers = false; // "classroom": five times slower
    std::uint32_t dataServers = 9; // spares before the file takes any
    std::uint32_t parityServers = 7;
    bool hasGate = false; // messages and clocks can be held; a simulated cluster always has a gate
    std::optional<RingOptions> ring = {}; // a cluster of this system instead: file and servers above do not count
};

} // namespace lhrs::gui
