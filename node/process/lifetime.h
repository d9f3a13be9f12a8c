// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace lhrs {

// SIGTERM and SIGINT as bytes of a descriptor that the program waits for; to be called before its first thread starts,
// so that all inherit it. Who does not read any more is an error of the call from now on, not a signal.
int openSignals();

// The program ends when the one that started it ends. False: that has ended meanwhile.
bool dieWithParent();

// Prints what a command line led to instead of a process: help to stdout, a wrong option to stderr. Returns the code.
int explain(int exitCode, const std::string& text);

} // namespace lhrs
