// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/walk/programs/walk_programs.h"

#include "node/door/program/door.h"
#include "node/machine/ack_list.h"
#include "node/process/lifetime.h"
#include "node/runtime/program.h"
#include "node/sim/program/sim_program.h"
#include "node/walk/programs/walk_options.h"
#include "node/walk/walk_machines.h"

#include <utility>

namespace lhrs {

namespace {

WalkMachines::Options machinesOf(const WalkMasterLine& line, std::uint32_t servers)
{
    return { line.bits, servers, line.nodes, scaleTimes(withDefaults(line.timers), line.timeScale) };
}

int runLive(
    const ProcessOptions& process, pb::ProcessKind kind, WalkMachines::Options options, const DoorOptions& doors = {})
{
    const WalkMachines machines(std::move(options));
    ProcessOptions ofSystem = process;
    ofSystem.system = machines.system();
    std::optional<Door> door;
    if (doors.isWanted())
        door.emplace(doors, ofSystem);
    return runProgram(
        ofSystem, kind, pb::NO_ROLE,
        [&machines](const pb::ProcessInfo& self, Address coordinator, std::uint64_t seed) {
            return machines.make({ self, coordinator, seed, false });
        },
        door ? &*door : nullptr);
}

} // namespace

int runWalkNode(int count, char** arguments)
{
    const auto parsed = parseWalkNodeLine(count, arguments);
    return parsed.line ? runLive(parsed.line->process, pb::NODE, {}) : explain(parsed.exitCode, parsed.text);
}

int runWalkClient(int count, char** arguments)
{
    const auto parsed = parseWalkClientLine(count, arguments);
    return parsed.line ? runLive(parsed.line->process, pb::CLIENT, {}, parsed.line->door)
                       : explain(parsed.exitCode, parsed.text);
}

int runWalkMaster(int count, char** arguments)
{
    const auto parsed = parseWalkMasterLine(count, arguments);
    return parsed.line ? runLive(parsed.line->process, pb::COORDINATOR, machinesOf(*parsed.line, 0))
                       : explain(parsed.exitCode, parsed.text);
}

int runWalkSimulation(int count, char** arguments)
{
    const auto parsed = parseWalkSimLine(count, arguments);
    if (!parsed.line)
        return explain(parsed.exitCode, parsed.text);
    return runSimulated(
        parsed.line->ring.process, *parsed.line, WalkMachines(machinesOf(parsed.line->ring, parsed.line->servers)));
}

} // namespace lhrs
