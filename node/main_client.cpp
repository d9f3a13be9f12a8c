// SPDX-License-Identifier: GPL-3.0-or-later
// A client of an LH*RS file; several may run.
#include "node/lhrs/client/client.h"
#include "node/runtime/program.h"

int main(int argc, char** argv)
{
    const auto parsed = lhrs::parseClientLine(argc, argv);
    if (!parsed.line)
        return lhrs::explain(parsed.exitCode, parsed.text);
    return lhrs::runProgram(parsed.line->process, lhrs::pb::CLIENT, lhrs::pb::NO_ROLE,
        [](const lhrs::pb::ProcessInfo& self, lhrs::Address coordinator, std::uint64_t seed) {
            return std::make_unique<lhrs::Client>(lhrs::ClientOptions { self, coordinator, seed });
        });
}
