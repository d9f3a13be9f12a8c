// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/engine/sim_control.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace lhrs {

namespace {

constexpr std::uint32_t kHoldLeaseMs = 5'000;

} // namespace

SimControl::SimControl(SimCluster& cluster, SimClock& clock, Self self, OnReply onReply)
    : m_cluster(cluster), m_clock(clock), m_self(std::move(self)), m_onReply(std::move(onReply))
{
}

void SimControl::operate(SimSite& site, SimFaults& faults)
{
    m_site = &site;
    m_faults = &faults;
}

void SimControl::finish(const std::string& violation)
{
    m_isOver = true;
    m_violation = violation;
}

// ---- time

Time SimControl::virtualNow(Time real) const
{
    if (isOver() || m_clock.isStepping() || m_clock.waitsForCommands() || m_clock.limit(real) == Time::max())
        return m_cluster.now();
    return std::max(m_cluster.now(), std::min(m_clock.limit(real), m_cluster.nextAt().value_or(Time::max())));
}

// Commands that change something take effect now, not at the time of the last happening. But a case must run as it
// would without watchers.
void SimControl::letTimePass(Time real)
{
    if (m_site)
        m_cluster.passTo(virtualNow(real));
}

void SimControl::look(Time real)
{
    if (m_clock.isStepping() && (isOver() || isAtGoal())) {
        const auto at = isOver() ? std::nullopt : m_clock.goal()->at;
        if (at && m_site)
            m_cluster.passTo(*at);
        m_clock.endStep(std::max(m_cluster.now(), at.value_or(Time()))); // even if nothing happened in that time
        if (m_site && m_cluster.isGated())
            m_site->tellHeld(); // time stands still, so the periodic gauges would not report the held messages
        for (const std::uint64_t ticket : std::exchange(m_steppers, {})) {
            pb::CommandReply done;
            *done.mutable_simulation() = state(real);
            reply(ticket, std::move(done));
        }
    }
    endHolds(real);
    endGate(real);
    endAwaited(real);
    if (std::exchange(m_kills, m_cluster.kills()) != m_cluster.kills()) {
        std::vector<std::pair<std::uint64_t, std::string>> lost;
        for (const auto& [ticket, open] : m_open)
            if (const SimProcess* process = m_cluster.numbered(NodeId(open.node)); !process || process->isGone())
                lost.emplace_back(ticket, open.name);
        for (const auto& [ticket, name] : lost) {
            m_open.erase(ticket);
            refuse(ticket, pb::REFUSED, name + " has ended; nobody answers any more");
        }
    }
    // A process that continues answers the commands that arrived while it was paused.
    for (std::size_t i = 0; i < m_deferred.size();) {
        const SimProcess* process = m_cluster.numbered(NodeId(m_deferred[i].first));
        if (process && !process->isGone() && process->pausedUntil() > m_cluster.now()) {
            ++i;
            continue;
        }
        const pb::Command late = std::move(m_deferred[i].second);
        m_deferred.erase(m_deferred.begin() + std::ptrdiff_t(i));
        command(late, real);
    }
    m_clock.setAwaited(!m_awaited.empty(), m_cluster.now(), real);
}

// Commands whose time limit passes before the next happening.
void SimControl::endAwaited(Time real)
{
    const auto next = m_cluster.nextAt();
    std::vector<std::uint64_t> late;
    for (const auto& [ticket, until] : m_awaited)
        if (isOver() || !next || *next > until)
            late.push_back(ticket);
    for (const std::uint64_t ticket : late) {
        if (m_site && !isOver() && m_awaited.at(ticket) > m_cluster.now())
            m_cluster.passTo(m_awaited.at(ticket));
        m_open.erase(ticket);
        std::erase_if(m_deferred, [ticket](const auto& one) { return one.second.ticket() == ticket; });
        refuse(ticket, pb::TIMED_OUT, "no answer in the virtual time that was given");
    }
    if (!late.empty())
        m_clock.setAwaited(!m_awaited.empty(), m_cluster.now(), real);
}

pb::SimulationState SimControl::state(Time real) const
{
    pb::SimulationState state;
    state.set_seed(m_self.seed);
    state.set_virtual_ns(virtualNow(real).count());
    state.set_wall_ns(m_self.wallAt(virtualNow(real)));
    state.set_is_paused(m_clock.isPaused());
    state.set_waits_for_commands(m_clock.waitsForCommands());
    state.set_factor(m_clock.factor());
    state.set_events(m_cluster.eventCount());
    state.set_messages(m_cluster.messagesDelivered());
    for (const auto& process : m_cluster.processes())
        if (process->isGone())
            state.add_ended(process->info.node());
    state.set_plays(m_plays);
    state.set_is_over(isOver());
    state.set_violation(m_cluster.failure() ? *m_cluster.failure() : m_violation);
    return state;
}

// ---- commands

void SimControl::introduce(pb::ProcessInfo& info) const
{
    info.set_pid(m_self.pid);
    info.set_events_endpoint(m_self.eventsEndpoint);
    info.set_control_endpoint(m_self.controlEndpoint);
    info.set_is_simulated(true);
    info.set_seed(m_self.seed);
}

void SimControl::reply(std::uint64_t ticket, pb::CommandReply reply)
{
    if (reply.has_process())
        introduce(*reply.mutable_process());
    if (reply.has_snapshot())
        introduce(*reply.mutable_snapshot()->mutable_info());
    if (reply.has_processes())
        for (auto& entry : *reply.mutable_processes()->mutable_processes())
            introduce(*entry.mutable_process());
    reply.set_ticket(ticket);
    m_awaited.erase(ticket);
    m_onReply(reply);
}

void SimControl::refuse(std::uint64_t ticket, pb::Refusal refusal, const std::string& text)
{
    pb::CommandReply refused;
    refused.set_refusal(refusal);
    refused.set_text(text);
    reply(ticket, std::move(refused));
}

void SimControl::command(const pb::Command& command, Time real)
{
    m_clock.setAwaited(!m_awaited.empty(), m_cluster.now(), real); // the last answer may have arrived just now
    if (command.passing_ns() > 0 && m_clock.waitsForCommands() && !command.has_step_clock())
        m_awaited[command.ticket()] = m_cluster.now()
            + std::chrono::nanoseconds(std::min<std::uint64_t>(command.passing_ns(), std::uint64_t(1) << 60));
    if (commandClock(command, real))
        return;
    if (command.has_shutdown() && command.process() == 0) {
        m_isEnding = true;
        reply(command.ticket(), {});
        return;
    }
    if (command.has_start_processes()) {
        startProcesses(command, real);
        return;
    }
    const SimProcess* process = processOf(command);
    if (!process || process->isGone()) {
        refuse(command.ticket(), pb::REFUSED,
            command.process() == 0 ? "the coordinator has ended; start_processes brings another one"
                : process          ? process->info.name() + " has ended"
                                   : "there is no process of this number in the simulation, or not any more");
        return;
    }
    commandProcess(*process, command, real);
}

bool SimControl::commandClock(const pb::Command& command, Time real)
{
    pb::CommandReply done;
    if (command.has_set_clock()) {
        const pb::SetClock& wanted = command.set_clock();
        const double factor = wanted.factor();
        if (!wanted.is_paused()
            && !(factor == 0 || (factor >= SimClock::kFactorMin && factor <= SimClock::kFactorMax))) {
            refuse(command.ticket(), pb::BAD_ARGUMENT,
                "virtual time runs at 0.001 to 100 of real time; 0: as fast as possible");
            return true;
        }
        letTimePass(real);
        if (wanted.waits_for_commands())
            m_clock.waitForCommands();
        // Steps under way end here.
        for (const std::uint64_t ticket : std::exchange(m_steppers, {}))
            refuse(ticket, pb::REFUSED, "the clock was set before the step was over");
        if (wanted.is_paused())
            m_clock.pause(virtualNow(real));
        else
            m_clock.run(factor, virtualNow(real), real);
    } else if (command.has_step_clock()) {
        const pb::StepClock& step = command.step_clock();
        SimClock::Goal goal;
        switch (step.until_case()) {
        case pb::StepClock::kEvents: goal.events = m_cluster.eventCount() + step.events(); break;
        case pb::StepClock::kMessages: goal.messages = m_cluster.messagesArrived() + step.messages(); break;
        case pb::StepClock::kNs:
            goal.at = virtualNow(real)
                + std::chrono::nanoseconds(std::min<std::uint64_t>(step.ns(), std::uint64_t(1) << 60));
            break;
        case pb::StepClock::UNTIL_NOT_SET:
            refuse(command.ticket(), pb::BAD_ARGUMENT, "a step goes so many events, messages or ns of virtual time");
            return true;
        }
        if (!m_clock.isPaused() && !m_clock.isIdle()) {
            refuse(command.ticket(), pb::REFUSED, "virtual time runs; pause it before it is stepped");
            return true;
        }
        m_clock.step(goal, m_cluster.now(), real);
        m_steppers.push_back(command.ticket());
        return true;
    } else if (!command.has_describe_simulation()) {
        return false;
    }
    *done.mutable_simulation() = state(real);
    reply(command.ticket(), std::move(done));
    return true;
}

const SimProcess* SimControl::processOf(const pb::Command& command) const
{
    if (command.process() != 0)
        return m_cluster.numbered(NodeId(command.process()));
    const auto& all = m_cluster.processes();
    const auto found = std::find_if(
        all.begin(), all.end(), [](const auto& one) { return one->info.kind() == pb::COORDINATOR; });
    return found == all.end() ? nullptr : found->get();
}

void SimControl::commandProcess(const SimProcess& process, const pb::Command& command, Time real)
{
    const bool isAboutFaults = command.has_arm_fault() || command.has_heal_faults() || command.has_list_faults();
    if (isAboutFaults && m_faults) {
        letTimePass(real);
        pb::CommandReply done;
        m_faults->command(process, command, done);
        reply(command.ticket(), std::move(done));
        look(real); // the process may have ended or continued
        return;
    }
    if (commandGate(process, command, real)) // even for a paused process; the same holds for the next command
        return;
    if (command.has_watch()) {
        pb::CommandReply done;
        sample(process, *done.mutable_sample());
        if (process.isGated())
            describeGate(process, *done.mutable_sample()->mutable_gate(), real);
        reply(command.ticket(), std::move(done));
        return;
    }
    if (process.pausedUntil() > m_cluster.now() && m_clock.waitsForCommands() && command.passing_ns() == 0) {
        refuse(
            command.ticket(), pb::TIMED_OUT, process.info.name() + " is paused, and virtual time waits for commands");
        return;
    }
    if (process.pausedUntil() > m_cluster.now() && m_deferred.size() < 10'000) {
        m_deferred.emplace_back(process.info.node(), command);
        return;
    }
    if (question(process, command))
        return;
    if (!m_site) {
        if (isAboutFaults && command.has_list_faults())
            reply(command.ticket(), {});
        else
            refuse(command.ticket(), pb::REFUSED, "this simulation plays " + m_plays + ": it is watched, not operated");
        return;
    }
    letTimePass(real);
    if (command.has_set_detail()) {
        if (!pb::Detail_IsValid(command.set_detail().detail())) {
            refuse(command.ticket(), pb::BAD_ARGUMENT,
                "there is no such level of detail; use one of Detail in proto/event.proto");
            return;
        }
        m_cluster.setDetail(process, command.set_detail().detail(), command.set_detail().sample());
        reply(command.ticket(), {});
    } else if (command.has_shutdown()) {
        m_cluster.tell(
            process, [](Effects& out) { out.event().mutable_process_ended()->set_reason("ended by a command"); });
        m_cluster.kill(process.index);
        m_faults->forget(process);
        reply(command.ticket(), {});
        look(real);
    } else {
        pb::Command given = command;
        if (command.has_hold_workload()) {
            // The holder of a lease lives in real time, whereas virtual time may run a hundred times as fast or stand
            // still.
            const std::uint32_t lease = command.hold_workload().lease_ms() == 0 ? kHoldLeaseMs
                                                                                : command.hold_workload().lease_ms();
            m_holds.erase(process.info.node());
            if (command.hold_workload().is_held())
                m_holds[process.info.node()] = real + std::chrono::milliseconds(lease);
            given.mutable_hold_workload()->set_lease_ms(std::numeric_limits<std::uint32_t>::max());
        }
        m_open[command.ticket()] = { process.info.node(), process.info.name() };
        m_cluster.command(process, given, [this, ticket = command.ticket()](const pb::CommandReply& answer) {
            m_open.erase(ticket);
            reply(ticket, answer);
        });
    }
}

// Answers queries, which change nothing. False: the command is not a query.
bool SimControl::question(const SimProcess& process, const pb::Command& command)
{
    pb::CommandReply answer;
    if (command.has_who_are_you()) {
        *answer.mutable_process() = process.info;
    } else if (command.has_take_snapshot()) {
        pb::Snapshot& snapshot = *answer.mutable_snapshot();
        snapshot = m_cluster.snapshot(process);
        snapshot.set_wall_ns(m_self.wallAt(m_cluster.now()));
        if (m_faults)
            m_faults->describe(process, snapshot);
        if (command.take_snapshot().without_records())
            process.machine->leaveOutRecords(snapshot);
    } else if (command.has_statistics()) {
        SimSite::fillGauges(process, *answer.mutable_gauges());
    } else if (command.has_read_contents() || command.has_audit() || command.has_list_processes()
        || command.has_describe_file() || command.has_workload_progress() || command.has_describe_client()) {
        answer = m_cluster.ask(process, command);
    } else {
        return false;
    }
    reply(command.ticket(), std::move(answer));
    return true;
}

// A simulated process has no threads: it has an inbox and takes one step after the other.
void SimControl::sample(const SimProcess& process, pb::NodeSample& out) const
{
    // The machine reports times on its own clock; a sample uses the clock of the process.
    const Time now = m_cluster.protocolClockOf(process), behind = m_cluster.clockOf(process) - now;
    out.set_process(process.info.node());
    out.set_time_ns((now + behind).count());
    out.set_wall_ns(m_self.wallAt(m_cluster.now()));
    out.set_sequence(process.stamper().sequence());
    out.set_is_simulated(true);
    *out.mutable_place() = process.place();
    auto& inbox = *out.add_queues();
    inbox.set_name("Inbox");
    inbox.set_length(process.inbox());
    inbox.set_bound(m_cluster.inboxMax());
    inbox.set_high_mark(process.inboxMost());
    inbox.set_has_high_mark(true);
    inbox.set_when_full("datagrams are dropped while it is paused");
    const Time deadline = process.machine->deadline();
    out.set_deadline_ns(deadline == Time::max() ? -1 : (deadline + behind).count());
    process.machine->inspect(now, out);
    for (auto& awaited : *out.mutable_awaited()) {
        awaited.set_sent_ns(awaited.sent_ns() + behind.count());
        awaited.set_due_ns(awaited.due_ns() + behind.count());
    }
    if (const SimGate* gate = process.gate()) {
        auto& held = *out.add_queues();
        held.set_name("Held by the gate");
        held.set_length(gate->held());
        held.set_bound(kHeldMax);
        held.set_dropped(process.lostAtGate());
        held.set_when_full("messages are lost");
    }
    SimSite::fillGauges(process, *out.mutable_gauges());
}

// Holds that were not renewed end now, by a command to the client itself.
void SimControl::endHolds(Time real)
{
    for (auto at = m_holds.begin(); at != m_holds.end();) {
        if (at->second > real) {
            ++at;
            continue;
        }
        const SimProcess* process = m_cluster.numbered(NodeId(at->first));
        at = m_holds.erase(at);
        if (!process || process->isGone())
            continue;
        letTimePass(real);
        pb::Command last;
        last.mutable_hold_workload()->set_is_held(true);
        last.mutable_hold_workload()->set_lease_ms(1);
        m_cluster.command(*process, last, [](const pb::CommandReply&) {});
    }
}

void SimControl::startProcesses(const pb::Command& command, Time real)
{
    if (!m_site) {
        refuse(command.ticket(), pb::REFUSED, "this simulation plays " + m_plays + ": it is watched, not operated");
        return;
    }
    letTimePass(real);
    const pb::StartProcesses& wanted = command.start_processes();
    const auto started = wanted.again().empty()
        ? m_site->startMore(wanted.kind(), wanted.pool(), { wanted.names().begin(), wanted.names().end() })
        : m_site->startAgain({ wanted.again().begin(), wanted.again().end() });
    if (!started) {
        refuse(command.ticket(), pb::BAD_ARGUMENT, started.error().text);
        return;
    }
    pb::CommandReply done;
    done.mutable_processes();
    for (const SimProcess* process : *started)
        *done.mutable_processes()->add_processes()->mutable_process() = process->info;
    reply(command.ticket(), std::move(done));
    look(real);
}

} // namespace lhrs
