// SPDX-License-Identifier: GPL-3.0-or-later
// A server of an LH*RS file: a spare that waits to become a data bucket or a parity bucket.
#include "node/lhrs/server/node_machine.h"
#include "node/runtime/program.h"

int main(int argc, char** argv)
{
    const auto parsed = lhrs::parseNodeLine(argc, argv);
    if (!parsed.line)
        return lhrs::explain(parsed.exitCode, parsed.text);
    const lhrs::NodeLine& line = *parsed.line;
    return lhrs::runProgram(line.process, lhrs::pb::NODE, line.pool,
        [&line](const lhrs::pb::ProcessInfo& self, lhrs::Address coordinator, std::uint64_t seed) {
            return std::make_unique<lhrs::NodeMachine>(lhrs::NodeOptions { self, coordinator, line.pool, seed });
        });
}
