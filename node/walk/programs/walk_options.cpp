// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/walk/programs/walk_options.h"

#include "node/process/option_parts.h"
#include "node/walk/id_ring.h"

namespace lhrs {

namespace {

constexpr const char* kSystem = "walk";
constexpr std::uint32_t kNodesMax = 300; // the number of steps grows with the nodes: (N - 1) / 2 on average

void addRing(CLI::App& app, WalkMasterLine& line)
{
    addOption(app, "--bits", "M: ids are numbers modulo 2^M, 8 to 64 (32)", "M",
        into<unsigned>(line.bits, IdRing::kBitsMin, IdRing::kBitsMax, "a number of bits"));
    addOption(app, "--nodes",
        "Number of nodes that join by themselves as they register, 0 to 300; the others wait for an order (8)", "N",
        into<std::uint32_t>(line.nodes, 0, kNodesMax, "a number of nodes"));
    addTimes(app, line.timers, line.timeScale);
}

} // namespace

Parsed<WalkMemberLine> parseWalkNodeLine(int count, const char* const* arguments)
{
    CLI::App app("A node of a ring that walks: it knows only its successor, and passes each query on until it reaches "
                 "the owner of its key.",
        "lhrs-node");
    WalkMemberLine line;
    addSystem(app, kSystem);
    addCommon(app, line.process, true);
    return finish<WalkMemberLine>(
        app, line, count, arguments, [](WalkMemberLine& l) { return needCoordinator(l.process, "node"); });
}

Parsed<WalkMemberLine> parseWalkClientLine(int count, const char* const* arguments)
{
    CLI::App app("A client of a ring that walks: carries out operations and workloads on command.", "lhrs-client");
    WalkMemberLine line;
    addSystem(app, kSystem);
    addCommon(app, line.process, true);
    addDoor(app, line.door);
    return finish<WalkMemberLine>(app, line, count, arguments, [](WalkMemberLine& l) {
        const auto needed = needCoordinator(l.process, "client");
        return needed ? checkDoor(l.door, l.process) : needed;
    });
}

Parsed<WalkMasterLine> parseWalkMasterLine(int count, const char* const* arguments)
{
    CLI::App app("The master of a ring that walks: nodes join and leave on its orders, one after the other.",
        "lhrs-coordinator");
    WalkMasterLine line;
    addSystem(app, kSystem);
    addCommon(app, line.process, false);
    addKeyMaking(app);
    addRing(app, line);
    return finish<WalkMasterLine>(app, line, count, arguments, [](WalkMasterLine& l) {
        if (l.process.name.empty())
            l.process.name = "coordinator";
        return needKey(l.process, false);
    });
}

Parsed<WalkSimLine> parseWalkSimLine(int count, const char* const* arguments)
{
    CLI::App app("A whole simulated ring in one process: the same machines on a virtual clock, behind the same events "
                 "and commands.",
        "lhrs-sim");
    WalkSimLine line;
    addSystem(app, kSystem);
    addWatched(app, line.ring.process);
    addSimulation(app, line);
    addOption(app, "--servers", "Processes at the start that can become nodes, 0 to 300 (8)", "N",
        into<std::uint32_t>(line.servers, 0, kNodesMax, "a number of processes"));
    addRing(app, line.ring);
    return finish<WalkSimLine>(app, line, count, arguments, [](WalkSimLine& l) {
        if (l.ring.process.name.empty())
            l.ring.process.name = "simulation";
        return Result<void>();
    });
}

} // namespace lhrs
