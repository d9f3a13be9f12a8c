// SPDX-License-Identifier: GPL-3.0-or-later
// The process that all others of a cluster register with.
#include "node/lhrs/programs/file_programs.h"
#include "node/process/systems.h"
#include "node/walk/programs/walk_programs.h"

int main(int count, char** arguments)
{
    static constexpr lhrs::SystemProgram kSystems[] = {
        { "lhrs", lhrs::runFileCoordinator },
        { "walk", lhrs::runWalkMaster },
    };
    return lhrs::runOfSystem(kSystems, count, arguments);
}
