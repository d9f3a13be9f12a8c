// SPDX-License-Identifier: GPL-3.0-or-later
// A server of a cluster.
#include "node/lhrs/programs/file_programs.h"
#include "node/process/systems.h"

int main(int count, char** arguments)
{
    static constexpr lhrs::SystemProgram kSystems[] = {
        { "lhrs", lhrs::runFileNode },
    };
    return lhrs::runOfSystem(kSystems, count, arguments);
}
