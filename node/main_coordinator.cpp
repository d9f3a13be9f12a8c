// SPDX-License-Identifier: GPL-3.0-or-later
// The coordinator of an LH*RS file.
#include "node/machine/ack_list.h"
#include "node/lhrs/coordinator/coordinator.h"
#include "node/runtime/program.h"

int main(int argc, char** argv)
{
    const auto parsed = lhrs::parseCoordinatorLine(argc, argv);
    if (!parsed.line)
        return lhrs::explain(parsed.exitCode, parsed.text);
    const lhrs::CoordinatorLine& line = *parsed.line;
    const lhrs::pb::Timers timers = lhrs::scaleTimes(lhrs::withDefaults(line.timers), line.timeScale);
    const lhrs::Recruiting recruiting = line.recruiting == "multicast" ? lhrs::Recruiting::Multicast
        : line.recruiting == "registry"                                ? lhrs::Recruiting::Registry
                                                                       : lhrs::Recruiting::Auto;
    return lhrs::runProgram(line.process, lhrs::pb::COORDINATOR, lhrs::pb::NO_ROLE,
        [&](const lhrs::pb::ProcessInfo& self, lhrs::Address, std::uint64_t seed) {
            return std::make_unique<lhrs::Coordinator>(
                lhrs::CoordinatorOptions { self, line.config, timers, recruiting, seed, !line.isNewFile, line.isReplacement });
        });
}
