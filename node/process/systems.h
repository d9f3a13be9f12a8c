// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

namespace lhrs {

// The program of one system: takes the command line and returns the exit code.
struct SystemProgram {
    std::string_view name; // name of the system, as given to --system
    int (*run)(int count, char** arguments);
};

// Runs the program of the system that is named by --system NAME on the command line, with the other arguments; without
// --system, the first one. Returns the exit code. If the name is unknown, the error lists the known ones.
int runOfSystem(std::span<const SystemProgram> systems, int count, char** arguments);

} // namespace lhrs
