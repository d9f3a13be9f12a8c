// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/programs/file_programs.h"

#include "node/lhrs/programs/file_options.h"
#include "node/lhrs/programs/recruiting_named.h"
#include "node/lhrs/server/file_machines.h"
#include "node/machine/ack_list.h"
#include "node/process/lifetime.h"
#include "node/sim/lhrs/simulation.h"
#include "node/sim/lhrs/swarm.h"
#include "node/sim/program/sim_program.h"

#include <utility>

namespace lhrs {

namespace {

// A test case that is played for watchers.
class PlayedCase : public PlayedRun {
public:
    PlayedCase(const pb::Case& told, std::string name) : m_simulation(told), m_name(std::move(name)) { }
    std::string name() const override { return m_name; }
    SimCluster& cluster() override { return m_simulation.steeredCluster(); }
    void setListener(Listener listener) override { m_simulation.setListener(std::move(listener)); }
    std::string play() override
    {
        return m_simulation.run()
            ? std::string()
            : "I" + std::to_string(m_simulation.failure()->invariant) + ": " + m_simulation.failure()->text;
    }

private:
    Simulation m_simulation;
    const std::string m_name;
};

} // namespace

int runFileSimulation(int count, char** arguments)
{
    const auto parsed = parseSimLine(count, arguments);
    if (!parsed.line)
        return explain(parsed.exitCode, parsed.text);
    const SimLine& line = *parsed.line;
    if (!line.playsCase) {
        const FileMachines machines({ line.file.config, scaleTimes(withDefaults(line.file.timers), line.file.timeScale),
            recruitingNamed(line.file.recruiting), line.dataServers, line.parityServers });
        return runSimulated(line.file.process, line, machines);
    }
    pb::Case told = line.told ? *line.told : drawCase(line.seed);
    told.set_with_messages(told.with_messages() || line.withMessages);
    const std::string name = !line.told ? "the case of seed " + std::to_string(line.seed)
        : told.tells().empty()          ? "a case"
                                        : told.tells();
    PlayedCase played(told, name);
    SimOptions options = line;
    options.seed = line.told ? told.seed() : line.seed;
    return runPlayed(line.file.process, options, played);
}

} // namespace lhrs
