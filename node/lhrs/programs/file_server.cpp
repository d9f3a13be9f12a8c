// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/programs/file_programs.h"

#include "node/door/program/door.h"
#include "node/lhrs/client/client.h"
#include "node/lhrs/coordinator/coordinator.h"
#include "node/lhrs/programs/file_options.h"
#include "node/lhrs/programs/recruiting_named.h"
#include "node/lhrs/server/node_machine.h"
#include "node/machine/ack_list.h"
#include "node/process/lifetime.h"
#include "node/runtime/program.h"

namespace lhrs {

int runFileNode(int count, char** arguments)
{
    const auto parsed = parseNodeLine(count, arguments);
    if (!parsed.line)
        return explain(parsed.exitCode, parsed.text);
    const NodeLine& line = *parsed.line;
    return runProgram(line.process, pb::NODE, line.pool,
        [&line](const pb::ProcessInfo& self, Address coordinator, std::uint64_t seed) {
            return std::make_unique<NodeMachine>(NodeOptions { self, coordinator, line.pool, seed });
        });
}

int runFileCoordinator(int count, char** arguments)
{
    const auto parsed = parseCoordinatorLine(count, arguments);
    if (!parsed.line)
        return explain(parsed.exitCode, parsed.text);
    const CoordinatorLine& line = *parsed.line;
    const pb::Timers timers = scaleTimes(withDefaults(line.timers), line.timeScale);
    return runProgram(
        line.process, pb::COORDINATOR, pb::NO_ROLE, [&](const pb::ProcessInfo& self, Address, std::uint64_t seed) {
            return std::make_unique<Coordinator>(CoordinatorOptions { self, line.config, timers,
                recruitingNamed(line.recruiting), seed, !line.isNewFile, line.isReplacement });
        });
}

int runFileClient(int count, char** arguments)
{
    const auto parsed = parseClientLine(count, arguments);
    if (!parsed.line)
        return explain(parsed.exitCode, parsed.text);
    const ClientLine& line = *parsed.line;
    std::optional<Door> door;
    if (line.door.isWanted())
        door.emplace(line.door, line.process);
    return runProgram(
        line.process, pb::CLIENT, pb::NO_ROLE,
        [&door](const pb::ProcessInfo& self, Address coordinator, std::uint64_t seed) {
            return std::make_unique<Client>(
                ClientOptions { self, coordinator, seed, door ? &door->records() : nullptr });
        },
        door ? &*door : nullptr);
}

} // namespace lhrs
