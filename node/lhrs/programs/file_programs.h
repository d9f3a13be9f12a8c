// SPDX-License-Identifier: GPL-3.0-or-later
// The programs of an LH*RS file. Each takes the command line and returns the exit code.
#pragma once

namespace lhrs {

// A server: a spare that waits to become a data bucket or a parity bucket.
int runFileNode(int count, char** arguments);
int runFileCoordinator(int count, char** arguments);
// A client; several may run.
int runFileClient(int count, char** arguments);
// A whole simulated file, operated from outside; or a test case that is played, to be watched.
int runFileSimulation(int count, char** arguments);

} // namespace lhrs
