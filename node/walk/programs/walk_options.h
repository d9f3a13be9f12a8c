// SPDX-License-Identifier: GPL-3.0-or-later
// The command lines of the programs of a walking ring.
#pragma once

#include "node/door/program/door_options.h"
#include "node/process/options.h"
#include "proto/config.pb.h"

namespace lhrs {

struct WalkMemberLine { // for a node or a client
    ProcessOptions process;
    DoorOptions door; // of a client
};

struct WalkMasterLine {
    ProcessOptions process;
    unsigned bits = 32; // M: ids are numbers modulo 2^M
    std::uint32_t nodes = 8; // this many nodes join by themselves when they register
    pb::Timers timers; // as given; zero means the default of the field
    double timeScale = 1; // factor on all timers, given or default
};

// lhrs-sim: the master's options, and what is simulated around it.
struct WalkSimLine : SimOptions {
    WalkMasterLine ring;
    std::uint32_t servers = 8; // processes at the start
};

Parsed<WalkMemberLine> parseWalkNodeLine(int count, const char* const* arguments);
Parsed<WalkMemberLine> parseWalkClientLine(int count, const char* const* arguments);
Parsed<WalkMasterLine> parseWalkMasterLine(int count, const char* const* arguments);
Parsed<WalkSimLine> parseWalkSimLine(int count, const char* const* arguments);

} // namespace lhrs
