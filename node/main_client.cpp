// SPDX-License-Identifier: GPL-3.0-or-later
// A client of a cluster; several may run.
#include "node/lhrs/programs/file_programs.h"
#include "node/process/systems.h"
#include "node/walk/programs/walk_programs.h"

int main(int count, char** arguments)
{
    static constexpr lhrs::SystemProgram kSystems[] = {
        { "lhrs", lhrs::runFileClient },
        { "walk", lhrs::runWalkClient },
    };
    return lhrs::runOfSystem(kSystems, count, arguments);
}
