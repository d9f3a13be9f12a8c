// SPDX-License-Identifier: GPL-3.0-or-later
// A spare that waits in its pool to become a data bucket or a parity bucket.
#include "node/core/node_machine.h"
#include "node/process/options.h"
#include "node/runtime/program.h"

int main(int count, char** arguments)
{
    using namespace lhrs;
    const Parsed<NodeLine> parsed = parseNodeLine(count, arguments);
    if (!parsed.line)
        return explain(parsed.exitCode, parsed.text);
    const pb::Role pool = parsed.line->pool;
    return runProgram(parsed.line->process, pb::NODE, pool, [pool](const pb::ProcessInfo& self, Address coordinator, std::uint64_t seed) {
        return std::make_unique<NodeMachine>(NodeOptions { self, coordinator, pool, seed });
    });
}
