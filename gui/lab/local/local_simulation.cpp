// SPDX-License-Identifier: GPL-3.0-or-later
// The local cluster in which one process, lhrs-sim, simulates all others. Faults that the system applies to real
// processes are commands here.
#include "common/number_words.h"
#include "gui/lab/control/control_client.h"
#include "gui/lab/state/end_reasons.h"
#include "gui/lab/control/fault_orders.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/local/local_cluster.h"
#include "gui/lab/local/system_lines.h"

#include <map>

namespace lhrs::gui {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSimulatorStart(10'000);
#if defined(__SANITIZE_ADDRESS__) || defined(_GLIBCXX_TSAN) // sanitizers slow everything down
constexpr milliseconds kSimulatorAnswer(50'000);
#else
constexpr milliseconds kSimulatorAnswer(5'000);
#endif
constexpr std::uint64_t kNobody = 0;

std::string speedWord(double speed) { return speed == 0 ? "max" : numberWord(speed); }

std::string word(const std::map<std::string, std::string>& words, const std::string& name)
{
    const auto at = words.find(name);
    return at == words.end() ? std::string() : at->second;
}

// Sends each process its own command, all at one instant. Returns the first answer that is not a reply as the error.
Result<std::vector<pb::CommandReply>> askEach(
    ControlClient& control, const std::vector<std::uint64_t>& processes, const pb::Command& command)
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

// Virtual time stands at first, until all initially wanted processes exist.
Result<void> LocalCluster::simulate(const LocalOptions& options, const std::stop_token& stopToken)
{
    const SystemLines lines = linesOf(options);
    if (options.simulated->isCase && !lines.whyNoCase.empty())
        return Error { lines.whyNoCase };
    std::vector<std::string> arguments = coordinatorArguments(options);
    for (const auto& more : { lines.withoutServers, lines.always })
        arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(),
        { "--seed", std::to_string(options.simulated->seed), "--speed", speedWord(options.simulated->speed),
            "--paused" });
    if (options.simulated->waitsForScript) // the run continues at the time that the former cluster reached
        arguments.insert(
            arguments.end(), { "--wall-of-zero", std::to_string(m_ingest.startedWallNs() + m_ingest.nowNs()) });
    if (options.simulated->isCase)
        arguments.emplace_back("--case");
    if (options.simulated->withMessages)
        arguments.emplace_back("--messages");
    auto simulator = program("lhrs-sim", "simulation", std::move(arguments));
    if (!simulator)
        return simulator.error();
    const auto started = m_keeper.start({ *simulator }, kSimulatorStart, stopToken);
    if (!started) {
        m_hasFailed = true;
        return started.error();
    }
    m_ingest.watchEvents(word(started->front().ready, "events"));
    const std::string endpoint = word(started->front().ready, "control");
    pb::Command question;
    question.mutable_who_are_you();
    const Answer answer = m_control.callAndWait(endpoint, question, kSimulatorAnswer, stopToken);
    if (!answer) {
        m_hasFailed = true;
        return Error { "The simulator runs, but does not answer at " + endpoint + ": " + answer.text };
    }
    m_simulation = endpoint;
    m_options = options;
    m_programs[answer.reply.process().node()] = *simulator;
    m_control.addProcess(answer.reply.process());
    if (options.simulated->waitsForScript) { // must be known before any command that a process answers
        pb::Command stand;
        stand.mutable_set_clock()->set_is_paused(true);
        stand.mutable_set_clock()->set_waits_for_commands(true);
        const Answer stands = m_control.callAndWait(endpoint, stand, kSimulatorAnswer, stopToken);
        if (!stands)
            return Error { stands.text };
        m_control.learnSimulation(stands.reply.simulation());
    }
    for (const SystemLines::Pool& pool : lines.pools) {
        pb::StartProcesses wanted;
        wanted.set_kind(pb::NODE);
        wanted.set_pool(pool.role);
        for (std::uint32_t i = 0; i < pool.count && !options.simulated->isCase; ++i)
            wanted.add_names(nextServer(pool.prefix));
        if (const auto servers = startSimulated(wanted, stopToken); !servers)
            return servers.error();
    }
    m_control.watchCluster(endpoint);
    pb::Command run;
    run.mutable_set_clock()->set_factor(options.simulated->speed);
    const Answer runs = m_control.callAndWait(endpoint, run, kSimulatorAnswer, stopToken);
    if (!runs)
        return Error { runs.text };
    m_control.learnSimulation(runs.reply.simulation());
    return {};
}

Result<std::vector<pb::ProcessInfo>> LocalCluster::startSimulated(
    const pb::StartProcesses& wanted, const std::stop_token& stopToken)
{
    std::vector<pb::ProcessInfo> processes;
    if (wanted.names().empty() && wanted.again().empty())
        return processes;
    pb::Command command;
    *command.mutable_start_processes() = wanted;
    const Answer answer = m_control.callAndWait(m_simulation, command, kSimulatorAnswer, stopToken);
    if (!answer)
        return Error { answer.text };
    for (const auto& entry : answer.reply.processes().processes()) {
        processes.push_back(entry.process());
        m_programs[entry.process().node()] = {};
        m_control.addProcess(entry.process());
    }
    return processes;
}

Result<std::vector<pb::ProcessInfo>> LocalCluster::restartSimulated(
    const std::vector<std::uint64_t>& processes, const std::stop_token& stopToken)
{
    pb::StartProcesses wanted;
    for (const std::uint64_t process : processes) {
        const auto known = m_control.find(process);
        if (!known || !m_programs.contains(process))
            return Error { "Only a process that this program has started can be started again." };
        if (known->info.kind() == pb::CLIENT)
            return Error { "Servers and the coordinator are started again, not " + known->info.name()
                + ": what a client knows ends with its process; start another one." };
        wanted.add_again(process);
    }
    auto started = startSimulated(wanted, stopToken);
    if (!started)
        return started;
    for (const std::uint64_t process : processes) {
        m_control.endProcess(process, kStartedAgain);
        m_programs.erase(process);
    }
    return started;
}

// ---- faults

Result<void> LocalCluster::checkSimulated(const std::vector<std::uint64_t>& processes) const
{
    for (const std::uint64_t process : processes) {
        const auto known = m_control.find(process);
        if (!known)
            return Error { "There is no such process." };
        if (known->hasEnded)
            return Error { "The process " + known->info.name() + " has ended already." };
    }
    return {};
}

Result<void> LocalCluster::killSimulated(const std::vector<std::uint64_t>& processes)
{
    if (const auto checked = checkSimulated(processes); !checked)
        return checked;
    pb::Command command;
    pb::Fault& fault = *command.mutable_arm_fault()->mutable_fault();
    fault = newFault(m_control, milliseconds(1000), kNobody);
    fault.mutable_crash();
    if (const auto killed = askEach(m_control, processes, command); !killed)
        return killed.error();
    if (m_options->simulated->waitsForScript) { // their last reports must come before their ends in every run
        pb::Command question;
        question.mutable_describe_simulation();
        const Answer answer = m_control.callAndWait(m_simulation, question, kSimulatorAnswer);
        if (!answer)
            return Error { answer.text };
        m_ingest.waitAllFolded(
            answer.reply.simulation().events(), std::chrono::steady_clock::now() + kSimulatorAnswer, {});
    }
    for (const std::uint64_t process : processes)
        m_control.endProcess(process, kKilledOnRequest);
    return {};
}

Result<void> LocalCluster::pauseSimulated(const std::vector<std::uint64_t>& processes, milliseconds lease)
{
    if (const auto checked = checkSimulated(processes); !checked)
        return checked;
    pb::Command command;
    pb::Fault& fault = *command.mutable_arm_fault()->mutable_fault();
    fault = newFault(m_control, lease, kNobody);
    fault.mutable_pause();
    const auto paused = askEach(m_control, processes, command);
    return paused ? Result<void>() : Result<void>(paused.error());
}

Result<void> LocalCluster::resumeSimulated(const std::vector<std::uint64_t>& processes)
{
    if (const auto checked = checkSimulated(processes); !checked)
        return checked;
    pb::Command question;
    question.mutable_list_faults();
    const auto armed = askEach(m_control, processes, question);
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
            if (const auto healed = askEach(m_control, { processes[i] }, command); !healed)
                return healed.error();
        }
        if (!wasPaused)
            return Error { "The process " + m_control.find(processes[i])->info.name() + " is not paused." };
    }
    return {};
}

} // namespace lhrs::gui
