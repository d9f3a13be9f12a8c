// SPDX-License-Identifier: GPL-3.0-or-later
// The coordinator of one file.
#include "node/core/ack_list.h"
#include "node/core/coordinator.h"
#include "node/process/options.h"
#include "node/runtime/program.h"

int main(int count, char** arguments)
{
    using namespace lhrs;
    const Parsed<CoordinatorLine> parsed = parseCoordinatorLine(count, arguments);
    if (!parsed.line)
        return explain(parsed.exitCode, parsed.text);
    const CoordinatorLine& line = *parsed.line;
    return runProgram(line.process, pb::COORDINATOR, pb::NO_ROLE, [&line](const pb::ProcessInfo& self, Address, std::uint64_t seed) {
        const Recruiting recruiting = line.recruiting == "multicast" ? Recruiting::Multicast
            : line.recruiting == "registry"                          ? Recruiting::Registry
                                                                     : Recruiting::Auto;
        return std::make_unique<Coordinator>(CoordinatorOptions { self, line.config, scaled(line.timers, line.timeScale), recruiting, seed });
    });
}
