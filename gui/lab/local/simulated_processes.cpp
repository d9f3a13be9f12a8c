// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/local/simulated_processes.h"

#include "common/number_words.h"
#include "gui/lab/control/control_client.h"
#include "gui/lab/control/fault_orders.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/local/cluster_programs.h"
#include "common/end_reasons.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

using std::chrono::milliseconds;

#if defined(__SANITIZE_ADDRESS__) || defined(_GLIBCXX_TSAN) // sanitizers slow everything down
constexpr milliseconds kSimulatorAnswer(50'000);
#else
constexpr milliseconds kSimulatorAnswer(5'000);
#endif
constexpr std::uint64_t kNobody = 0;

std::string speedWord(double speed) { return speed == 0 ? "max" : numberWord(speed); }

// Sends each process its own command, all at one instant. Returns the first answer that is not a reply as the error.
Result<std::vector<pb::CommandReply>> askEach(
    ControlClient& control, const ClusterProcesses::Processes& processes, const pb::Command& command)
{
    std::vector<std::pair<CallTarget, pb::Command>> calls;
    for (const std::uint64_t process : processes)
        calls.emplace_back(process, command);
    std::vector<pb::CommandReply> replies;
    for (Answer& answer : callAtOneInstant(control, calls, kSimulatorAnswer)) {
        if (!answer)
            return Error { answer.text };
        replies.push_back(std::move(answer.reply));
    }
    return replies;
}

} // namespace

SimulatedProcesses::SimulatedProcesses(const ProcessParts& parts, const LocalOptions& options)
    : m_parts(parts), m_options(options)
{
}

// ---- starting

Result<void> SimulatedProcesses::begin(const std::stop_token& stop)
{
    const SystemLines lines = linesOf(m_options);
    const SimulatedOptions& simulated = *m_options.simulated;
    if (simulated.isCase && !lines.whyNoCase.empty())
        return Error { lines.whyNoCase };
    std::vector<std::string> arguments = lines.coordinator;
    for (const auto& more : { lines.withoutServers, lines.always })
        arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(),
        { "--seed", std::to_string(simulated.seed), "--speed", speedWord(simulated.speed), "--paused" });
    if (simulated.waitsForScript) // the run continues at the time that the former cluster reached
        arguments.insert(arguments.end(),
            { "--wall-of-zero", std::to_string(m_parts.ingest.startedWallNs() + m_parts.ingest.nowNs()) });
    if (simulated.isCase)
        arguments.emplace_back("--case");
    if (simulated.withMessages)
        arguments.emplace_back("--messages");
    const auto simulator = m_parts.programs.program("lhrs-sim", "simulation", std::move(arguments));
    if (!simulator)
        return simulator.error();
    const auto started = m_parts.programs.start({ *simulator }, stop);
    if (!started)
        return started.error();
    m_parts.ingest.peerKeys().use(std::nullopt);
    m_parts.ingest.watchEvents(started->front().word("events"));
    const std::string endpoint = started->front().word("control");
    pb::Command question;
    question.mutable_who_are_you();
    const Answer answer = m_parts.control.callAndWait(endpoint, question, kSimulatorAnswer, stop);
    if (!answer) {
        m_parts.programs.keepLogs();
        return Error { "The simulator runs, but does not answer at " + endpoint + ": " + answer.text };
    }
    m_simulator = endpoint;
    m_started.insert(answer.reply.process().node());
    m_parts.control.addProcess(answer.reply.process());
    return {};
}

Result<void> SimulatedProcesses::complete(const std::vector<NewServers>& pools, const std::stop_token& stop)
{
    const SimulatedOptions& simulated = *m_options.simulated;
    if (simulated.waitsForScript) { // must be known before any command that a process answers
        pb::Command stand;
        stand.mutable_set_clock()->set_is_paused(true);
        stand.mutable_set_clock()->set_waits_for_commands(true);
        const Answer stands = m_parts.control.callAndWait(m_simulator, stand, kSimulatorAnswer, stop);
        if (!stands)
            return Error { stands.text };
        m_parts.control.learnSimulation(stands.reply.simulation());
    }
    for (const NewServers& servers : pools)
        if (const auto added = addServers(servers, stop); !added)
            return added;
    m_parts.control.watchCluster(m_simulator);
    pb::Command run;
    run.mutable_set_clock()->set_factor(simulated.speed);
    const Answer runs = m_parts.control.callAndWait(m_simulator, run, kSimulatorAnswer, stop);
    if (!runs)
        return Error { runs.text };
    m_parts.control.learnSimulation(runs.reply.simulation());
    return {};
}

Result<void> SimulatedProcesses::addServers(const NewServers& servers, const std::stop_token& stop)
{
    pb::StartProcesses wanted;
    wanted.set_kind(pb::NODE);
    wanted.set_pool(servers.pool.role);
    wanted.mutable_names()->Assign(servers.names.begin(), servers.names.end());
    const auto more = start(wanted, stop);
    return more ? Result<void>() : Result<void>(more.error());
}

Result<pb::ProcessInfo> SimulatedProcesses::startClient(const std::string& name, const std::stop_token& stop)
{
    pb::StartProcesses wanted;
    wanted.set_kind(pb::CLIENT);
    wanted.add_names(name);
    auto started = start(wanted, stop);
    return started ? Result<pb::ProcessInfo>(started->front()) : Result<pb::ProcessInfo>(started.error());
}

ClusterProcesses::Started SimulatedProcesses::start(const pb::StartProcesses& wanted, const std::stop_token& stop)
{
    std::vector<pb::ProcessInfo> processes;
    if (wanted.names().empty() && wanted.again().empty())
        return processes;
    pb::Command command;
    *command.mutable_start_processes() = wanted;
    const Answer answer = m_parts.control.callAndWait(m_simulator, command, kSimulatorAnswer, stop);
    if (!answer)
        return Error { answer.text };
    for (const auto& entry : answer.reply.processes().processes()) {
        processes.push_back(entry.process());
        m_started.insert(entry.process().node());
        m_parts.control.addProcess(entry.process());
    }
    return processes;
}

ClusterProcesses::Started SimulatedProcesses::restart(const Processes& processes, const std::stop_token& stop)
{
    pb::StartProcesses wanted;
    wanted.mutable_again()->Add(processes.begin(), processes.end());
    auto started = start(wanted, stop);
    if (!started)
        return started;
    for (const std::uint64_t process : processes) {
        m_parts.control.endProcess(process, kStartedAgain);
        m_started.erase(process);
    }
    return started;
}

// ---- faults

Result<void> SimulatedProcesses::check(const Processes& processes) const
{
    for (const std::uint64_t process : processes) {
        const auto known = m_parts.control.find(process);
        if (!known)
            return Error { "There is no such process." };
        if (known->hasEnded)
            return Error { "The process " + known->info.name() + " has ended already." };
    }
    return {};
}

Result<void> SimulatedProcesses::kill(const Processes& processes)
{
    if (const auto checked = check(processes); !checked)
        return checked;
    pb::Command command;
    pb::Fault& fault = *command.mutable_arm_fault()->mutable_fault();
    fault = newFault(m_parts.control, milliseconds(1000), kNobody);
    fault.mutable_crash();
    if (const auto killed = askEach(m_parts.control, processes, command); !killed)
        return killed.error();
    if (m_options.simulated->waitsForScript) { // their last reports must come before their ends in every run
        pb::Command question;
        question.mutable_describe_simulation();
        const Answer answer = m_parts.control.callAndWait(m_simulator, question, kSimulatorAnswer);
        if (!answer)
            return Error { answer.text };
        m_parts.ingest.waitAllFolded(
            answer.reply.simulation().events(), std::chrono::steady_clock::now() + kSimulatorAnswer, {});
    }
    for (const std::uint64_t process : processes)
        m_parts.control.endProcess(process, kKilledOnRequest);
    return {};
}

Result<void> SimulatedProcesses::pause(const Processes& processes, milliseconds lease)
{
    if (const auto checked = check(processes); !checked)
        return checked;
    pb::Command command;
    pb::Fault& fault = *command.mutable_arm_fault()->mutable_fault();
    fault = newFault(m_parts.control, lease, kNobody);
    fault.mutable_pause();
    const auto paused = askEach(m_parts.control, processes, command);
    return paused ? Result<void>() : Result<void>(paused.error());
}

Result<void> SimulatedProcesses::resume(const Processes& processes)
{
    if (const auto checked = check(processes); !checked)
        return checked;
    pb::Command question;
    question.mutable_list_faults();
    const auto armed = askEach(m_parts.control, processes, question);
    if (!armed)
        return armed.error();
    for (std::size_t i = 0; i < processes.size(); ++i) {
        bool wasPaused = false;
        for (const auto& entry : (*armed)[i].faults().faults()) {
            if (!entry.requested().has_pause())
                continue;
            wasPaused = true;
            pb::Command command;
            command.mutable_heal_faults()->set_number(entry.requested().number());
            if (const auto healed = askEach(m_parts.control, { processes[i] }, command); !healed)
                return healed.error();
        }
        if (!wasPaused)
            return Error { "The process " + m_parts.control.find(processes[i])->info.name() + " is not paused." };
    }
    return {};
}

ClusterProcesses::Processes SimulatedProcesses::started() const { return { m_started.begin(), m_started.end() }; }

std::size_t SimulatedProcesses::running() const
{
    const std::vector<KnownProcess> all = m_parts.control.directory();
    return std::size_t(
        std::count_if(all.begin(), all.end(), [](const KnownProcess& known) { return !known.hasEnded; }));
}

} // namespace lhrs::gui
