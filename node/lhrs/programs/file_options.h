// SPDX-License-Identifier: GPL-3.0-or-later
// The command lines of the programs of an LH*RS file.
#pragma once

#include "node/door/program/door_options.h"
#include "node/process/options.h"
#include "proto/config.pb.h"

#include <optional>
#include <string>

namespace lhrs {

struct NodeLine {
    ProcessOptions process;
    pb::Role pool = pb::DATA;
};

struct CoordinatorLine {
    ProcessOptions process;
    pb::FileConfig config;
    pb::Timers timers; // as given; zero means the default of the field
    double timeScale = 1; // factor on all timers, given or default
    std::string recruiting = "auto"; // auto, multicast or registry
    bool isNewFile = false; // no file is running at this address, so the coordinator need not listen for one first
    bool isReplacement = false; // a file is running, so none is created, whatever is heard
};

struct ClientLine {
    ProcessOptions process;
    DoorOptions door;
};

// lhrs-sim: the coordinator's options, and what is simulated around it.
struct SimLine : SimOptions {
    CoordinatorLine file;
    std::uint32_t dataServers = 8;
    std::uint32_t parityServers = 6;
    bool playsCase = false; // plays the case that the tests derive from the seed
    std::optional<pb::Case> told; // a case given explicitly
    bool withMessages = false; // its events include messages
};

Parsed<NodeLine> parseNodeLine(int count, const char* const* arguments);
Parsed<CoordinatorLine> parseCoordinatorLine(int count, const char* const* arguments);
Parsed<ClientLine> parseClientLine(int count, const char* const* arguments);
Parsed<SimLine> parseSimLine(int count, const char* const* arguments);

} // namespace lhrs
