// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace lhrs {

// Returns a descriptor from which the program reads SIGTERM and SIGINT as bytes. Call it before the first thread
// starts, so that all threads inherit the mask. From then on, writing to a closed connection is an error of the call,
// not a signal.
int openSignals();

// Makes the program end when its parent ends. False: the parent has already ended.
bool dieWithParent();

// Prints the result of a command line that starts no process: help to stdout, a wrong option to stderr. Returns the
// code.
int explain(int exitCode, const std::string& text);

} // namespace lhrs
