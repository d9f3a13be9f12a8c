// SPDX-License-Identifier: GPL-3.0-or-later
// The programs of a walking ring. Each takes the command line and returns the exit code.
#pragma once

namespace lhrs {

int runWalkNode(int count, char** arguments);
int runWalkMaster(int count, char** arguments);
int runWalkClient(int count, char** arguments);
// A whole simulated ring, operated from outside.
int runWalkSimulation(int count, char** arguments);

} // namespace lhrs
