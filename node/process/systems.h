// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

namespace lhrs {

// The program of one system: takes the command line and returns the exit code.
struct SystemProgram {
    std::string_view name; // of the system, as --system names it
    int (*run)(int count, char** arguments);
};

// Runs the program of the system that --system NAME on the command line names, with the other arguments; the first one
// if there is no --system. Returns the exit code: a name that is none of theirs is told with those that are.
int runOfSystem(std::span<const SystemProgram> systems, int count, char** arguments);

} // namespace lhrs
