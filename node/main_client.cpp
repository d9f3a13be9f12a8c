// SPDX-License-Identifier: GPL-3.0-or-later
// A client of the file; several may run.
#include "node/core/client.h"
#include "node/process/options.h"
#include "node/runtime/program.h"

int main(int count, char** arguments)
{
    using namespace lhrs;
    const Parsed<ClientLine> parsed = parseClientLine(count, arguments);
    if (!parsed.line)
        return explain(parsed.exitCode, parsed.text);
    return runProgram(parsed.line->process, pb::CLIENT, pb::NO_ROLE, [](const pb::ProcessInfo& self, Address coordinator, std::uint64_t seed) {
        return std::make_unique<Client>(ClientOptions { self, coordinator, seed });
    });
}
