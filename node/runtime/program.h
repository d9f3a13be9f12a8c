// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/machine.h"
#include "node/process/lifetime.h"
#include "node/process/options.h"
#include "node/runtime/program_part.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace lhrs {

// Makes the machine of a program once the addresses of the process and the coordinator are known. `seed` is random.
using MakeMachine
    = std::function<std::unique_ptr<Machine>(const pb::ProcessInfo& self, Address coordinator, std::uint64_t seed)>;

// The whole life of a program: log, signals, sockets, the line "ready NAME udp=... tcp=... control=... events=..." on
// stdout, the machine, and the end by signal, command or a missing coordinator. `part`: what it has beside the machine;
// null: nothing. Returns the exit code.
int runProgram(const ProcessOptions& options, pb::ProcessKind kind, pb::Role pool, const MakeMachine& make,
    ProgramPart* part = nullptr);

} // namespace lhrs
