// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/config.pb.h"
#include "proto/message.pb.h"

#include <cstdint>
#include <optional>
#include <string>

namespace lhrs {

// Exit codes of the programs.
inline constexpr int kExitClean = 0;
inline constexpr int kExitFailed = 1;        // the world did not allow it, e.g. a port in use
inline constexpr int kExitUsage = 2;         // a wrong command line or configuration
inline constexpr int kExitNoCoordinator = 3; // no coordinator answered

// Where one process listens or another one does; IPv4 in host byte order.
struct HostPort {
    std::uint32_t ip = 0x7f000001;
    std::uint16_t port = 0; // 0: the system chooses
    bool operator==(const HostPort&) const = default;
};

// What every program is told.
struct ProcessOptions {
    HostPort listen; // UDP and TCP, the same number
    std::optional<HostPort> coordinator;
    std::string name;
    std::uint16_t eventsPort = 0;
    std::uint16_t controlPort = 0;
    std::string logLevel = "info";
    unsigned workingThreads = 4;
    bool diesWithParent = false;
    std::uint64_t memory = 0; // of a server: bytes that it may take; 0: as much as the system allows
    bool hasGate = false; // somebody may hold its messages and its clock
};

struct NodeLine {
    ProcessOptions process;
    pb::Role pool = pb::DATA;
};

struct CoordinatorLine {
    ProcessOptions process;
    pb::FileConfig config;
    pb::Timers timers;              // as given; zero is the default of the field
    double timeScale = 1;           // all timers, given or default, are multiplied by it
    std::string recruiting = "auto"; // auto, multicast or registry
    bool isNewFile = false;          // no file is running at this address: nobody has to be heard first
    bool isReplacement = false;      // a file is running: none is made, whoever is heard
};

struct ClientLine {
    ProcessOptions process;
};

// lhrs-sim: all that the coordinator is told, and what is simulated around it.
struct SimLine {
    CoordinatorLine file;
    std::uint64_t seed = 1;
    std::uint32_t dataServers = 8;
    std::uint32_t parityServers = 6;
    double speed = 1;      // of real time; 0: as fast as possible
    bool isPaused = false; // at the start
    std::optional<std::int64_t> wallOfZero; // ns since 1970 that watchers are told for virtual zero; none: when it first runs
    std::uint32_t delayUs = 100;
    std::uint32_t jitterUs = 50;
    std::uint32_t stepUs = 5;
    bool playsCase = false; // the case that the seed stands for in the tests
    std::optional<pb::Case> told; // another case
    bool withMessages = false;    // in its events
};

// A command line that was understood, or what to print instead and the code to exit with.
template <class Line>
struct Parsed {
    std::optional<Line> line;
    int exitCode = kExitClean;
    std::string text; // help or version for stdout where exitCode is 0, else one sentence for stderr
};

Parsed<NodeLine> parseNodeLine(int count, const char* const* arguments);
Parsed<CoordinatorLine> parseCoordinatorLine(int count, const char* const* arguments);
Parsed<ClientLine> parseClientLine(int count, const char* const* arguments);
Parsed<SimLine> parseSimLine(int count, const char* const* arguments);

// All times multiplied by the factor, at least 1 ms; counts stay. The defaults are filled in already.
pb::Timers scaleTimes(pb::Timers timers, double factor);

// The log of the process: lines on stderr, from this level on; failed checks go there, too.
void openLog(const ProcessOptions& options);

} // namespace lhrs
