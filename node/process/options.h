// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/keys/key_file.h"
#include "common/network/endpoint.h"
#include "proto/config.pb.h"
#include "proto/message.pb.h"

#include <cstdint>
#include <optional>
#include <string>

namespace lhrs {

// Exit codes of the programs.
inline constexpr int kExitClean = 0;
inline constexpr int kExitFailed = 1; // a failure outside the program, e.g. a port in use
inline constexpr int kExitUsage = 2; // a wrong command line or configuration
inline constexpr int kExitNoCoordinator = 3; // no coordinator answered, or it takes no further client

// Options common to all programs of all systems.
struct ProcessOptions {
    Endpoint listen { kLoopback, 0 }; // UDP and TCP use the same port number; 0: the system chooses
    std::optional<KeyFile> key; // what its messages and its sockets are sealed with; unset: nothing
    std::optional<Endpoint> coordinator;
    std::string name;
    std::uint16_t eventsPort = 0;
    std::uint16_t controlPort = 0;
    std::string logLevel = "info";
    unsigned workingThreads = 4;
    bool diesWithParent = false;
    std::uint64_t memory = 0; // for a server: limit in bytes; 0: as much as the system allows
    bool hasGate = false; // its messages and its clock may be held by a command
    bool allowsFaults = false; // faults may be injected although it listens beyond loopback
    std::string system; // as in ProcessInfo; empty: the first system
};

// For lhrs-sim of any system: how time advances, and what the simulated network does.
struct SimOptions {
    std::uint64_t seed = 1;
    double speed = 1; // factor of real time; 0: as fast as possible
    bool isPaused = false; // at the start
    // The time in ns since 1970 that watchers see for virtual time 0; unset: the time at which virtual time first runs.
    std::optional<std::int64_t> wallOfZero;
    std::uint32_t delayUs = 100;
    std::uint32_t jitterUs = 50;
    std::uint32_t stepUs = 5;
};

// A parsed command line, or what to print instead and the exit code.
template <class Line> struct Parsed {
    std::optional<Line> line;
    int exitCode = kExitClean;
    std::string text; // help or version for stdout if exitCode is 0, otherwise one sentence for stderr
};

// Multiplies all times by the factor, to at least 1 ms; counts stay. The defaults are already filled in.
pb::Timers scaleTimes(pb::Timers timers, double factor);

// Opens the log of the process: lines on stderr from this level on, including failed checks.
void openLog(const ProcessOptions& options);

} // namespace lhrs
