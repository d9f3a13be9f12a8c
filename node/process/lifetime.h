// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace lhrs {

// Returns a descriptor from which the program reads SIGTERM and SIGINT as bytes. Call it before the first thread
// starts, so that all threads inherit the mask. From then on, writing to a closed connection is reported as an error of
// the call, not as a signal.
int openSignals();

// Makes the program end when its parent process ends. False: the parent has already ended.
bool dieWithParent();

// Prints the result of a command line that starts no process: help to stdout, an error in an option to stderr. Returns
// the exit code.
int explain(int exitCode, const std::string& text);

} // namespace lhrs
