// SPDX-License-Identifier: GPL-3.0-or-later
// A whole simulated cluster in one process.
#include "node/lhrs/programs/file_programs.h"
#include "node/process/systems.h"
#include "node/walk/programs/walk_programs.h"

int main(int count, char** arguments)
{
    static constexpr lhrs::SystemProgram kSystems[] = {
        { "lhrs", lhrs::runFileSimulation },
        { "walk", lhrs::runWalkSimulation },
    };
    return lhrs::runOfSystem(kSystems, count, arguments);
}
