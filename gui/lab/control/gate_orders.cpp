// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/control/gate_orders.h"

#include "gui/lab/control/fault_orders.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using Calls = std::vector<std::pair<CallTarget, pb::Command>>;

constexpr milliseconds kAnswer(1000);
constexpr milliseconds kArrival(100); // by then a sent message is held at its receiver or was lost
// Step of virtual time between two looks, where time advances by commands.
constexpr std::chrono::nanoseconds kFlight = milliseconds(1);
constexpr milliseconds kStepAnswer(60'000);

std::string processName(const ControlClient& control, ProcessId process)
{
    const auto known = control.find(process);
    return known ? known->info.name() : "a process";
}

bool hasEnded(const ControlClient& control, ProcessId process)
{
    const auto known = control.find(process);
    return !known || known->hasEnded;
}

bool hasNoGate(const Answer& answer)
{
    return answer.outcome == Answer::Outcome::Refused && answer.reply.refusal() == pb::NOT_ALLOWED;
}

std::string withoutGate(const ControlClient& control, ProcessId process)
{
    return processName(control, process) + " " + kWithoutGate + ": its messages and its clock go on.";
}

Calls toAll(const ControlClient& control, const pb::Command& command)
{
    Calls calls;
    for (const KnownProcess& known : livingProcesses(control))
        calls.emplace_back(known.info.node(), command);
    return calls;
}

// The state of all gates at about one time.
struct Look {
    std::vector<HeldAt> held; // the oldest first
    std::int64_t underWay = 0; // messages sent minus received: too high by lost ones, too low by multicasts
    std::uint64_t coming = 0; // of simulated processes: the exact number of messages under way, and commands
    std::int64_t nextTimerNs = -1;
};

Result<Look> lookAt(ControlClient& control, const std::stop_token& stop)
{
    pb::Command command;
    command.mutable_describe_gate();
    const Calls calls = toAll(control, command);
    const std::vector<Answer> answers = control.callAllAndWait(calls, kAnswer, stop);
    Look look;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (!answers[i]) {
            if (hasEnded(control, calls[i].first.process))
                continue;
            return Error { hasNoGate(answers[i]) ? withoutGate(control, calls[i].first.process) : answers[i].text };
        }
        const pb::GateState& gate = answers[i].reply.gate();
        if (!gate.is_closed())
            return Error { "The gate of " + processName(control, calls[i].first.process)
                + " is open: messages are delivered as they come." };
        for (const pb::HeldMessage& message : gate.messages())
            look.held.push_back({ calls[i].first.process, message });
        look.coming += gate.coming();
        look.underWay += std::int64_t(gate.messages_out()) - std::int64_t(gate.messages_in());
        if (gate.next_timer_ns() >= 0 && (look.nextTimerNs < 0 || gate.next_timer_ns() < look.nextTimerNs))
            look.nextTimerNs = gate.next_timer_ns();
    }
    std::stable_sort(look.held.begin(), look.held.end(),
        [](const HeldAt& x, const HeldAt& y) { return x.message.since_ns() < y.message.since_ns(); });
    return look;
}

// Virtual time stands still, or advances only by commands.
bool timeWaits(const ControlClient& control)
{
    const auto simulation = control.simulation();
    return simulation && !simulation->is_over() && (simulation->is_paused() || simulation->waits_for_commands());
}

// Advances virtual time until nothing is under way; limited, because a fault may delay a message.
Result<Look> lookWhenLanded(ControlClient& control, const std::stop_token& stop)
{
    Result<Look> look = lookAt(control, stop);
    const auto isWaitedFor = [&] { return look && look->coming > 0 && !stop.stop_requested(); };
    for (std::chrono::nanoseconds passed {}; isWaitedFor() && passed < kArrival; passed += kFlight) {
        pb::Command step;
        step.mutable_step_clock()->set_ns(std::uint64_t(kFlight.count()));
        const Answer answer = control.callAndWait(control.simulator(), step, kStepAnswer, stop);
        if (answer)
            control.learnSimulation(answer.reply.simulation());
        else if (answer.reply.refusal() != pb::REFUSED) // refused: time was resumed elsewhere
            return Error { answer.text };
        look = lookAt(control, stop);
    }
    return look;
}

// Looks repeatedly until no more messages are under way than before; each look takes all processes a moment. Limited
// in time, because a lost message never arrives.
Result<Look> lookWhenArrived(ControlClient& control, std::int64_t& underWay, const std::stop_token& stop)
{
    if (timeWaits(control))
        return lookWhenLanded(control, stop);
    const auto deadline = Clock::now() + kArrival;
    for (;;) {
        Result<Look> look = lookAt(control, stop);
        if (!look || look->underWay <= underWay || Clock::now() >= deadline || stop.stop_requested()) {
            if (look)
                underWay = look->underWay;
            return look;
        }
    }
}

} // namespace

GateOutcome closeGates(ControlClient& control, milliseconds within, const std::stop_token& stop)
{
    GateOutcome outcome;
    outcome.processes = livingProcesses(control).size();
    const auto simulation = control.simulation();
    const std::size_t most = simulation ? kGatedSimulatedMax : kGatedMax;
    if (outcome.processes == 0) {
        outcome.text = "No process is known, so there is nothing to gate.";
        return outcome;
    }
    if (outcome.processes > most) {
        outcome.text = "The gate is for at most " + std::to_string(most) + " processes, and there are "
            + std::to_string(outcome.processes) + ".";
        return outcome;
    }
    if (simulation && !simulation->plays().empty()) {
        outcome.text = "This simulation plays " + simulation->plays()
            + ": it is watched, not operated, and has no gate. lab.clock({ paused: true }) stops its virtual time.";
        return outcome;
    }
    control.keepGate(true); // from now on processes that join later are told too
    const std::int64_t at = Clock::now().time_since_epoch().count();
    const Calls calls = toAll(control, ControlClient::gateCommand(true, at));
    const std::vector<Answer> answers = control.callAllAndWait(calls, std::max(within, kAnswer), stop);
    for (std::size_t i = 0; i < answers.size() && outcome.text.empty(); ++i) {
        const ProcessId process = calls[i].first.process;
        if (answers[i] && answers[i].reply.gate().is_closed()) {
            const std::int64_t late = answers[i].reply.gate().stopped_ns() - at;
            if (late > std::chrono::nanoseconds(within).count())
                outcome.text = processName(control, process) + " stopped its clock " + std::to_string(late / 1'000'000)
                    + " ms after the command, and " + std::to_string(within.count())
                    + " ms are allowed: the gate is open again everywhere.";
        } else if (hasNoGate(answers[i])) {
            outcome.hasGate = false;
            outcome.text = withoutGate(control, process);
        } else if (!hasEnded(control, process)) {
            outcome.text = processName(control, process) + " does not confirm the gate (" + answers[i].text
                + "): it is open again everywhere.";
        }
    }
    if (outcome.text.empty() && timeWaits(control))
        if (const auto landed = lookWhenLanded(control, stop); !landed)
            outcome.text = landed.error().text;
    if (outcome.text.empty())
        outcome.isClosed = true;
    else
        openGates(control);
    return outcome;
}

GateOutcome openGates(ControlClient& control, const std::stop_token& stop)
{
    control.keepGate(false);
    GateOutcome outcome;
    const Calls calls = toAll(control, ControlClient::gateCommand(false, Clock::now().time_since_epoch().count()));
    outcome.processes = calls.size();
    const std::vector<Answer> answers = control.callAllAndWait(calls, kAnswer, stop);
    for (std::size_t i = 0; i < answers.size() && outcome.text.empty(); ++i) {
        if (answers[i] || hasEnded(control, calls[i].first.process))
            continue;
        if (hasNoGate(answers[i]))
            outcome.hasGate = false;
        else
            outcome.text = processName(control, calls[i].first.process)
                + " does not confirm that its gate is open; it opens with its lease.";
    }
    return outcome;
}

Result<std::vector<HeldAt>> heldMessages(ControlClient& control, const std::stop_token& stop)
{
    const Result<Look> look = lookAt(control, stop);
    if (!look)
        return look.error();
    return look->held;
}

Result<std::vector<HeldAt>> releaseHeld(ControlClient& control, const ReleaseWish& wish, const std::stop_token& stop)
{
    const auto deadline = Clock::now() + wish.timeout;
    std::vector<HeldAt> released;
    Result<Look> look = lookAt(control, stop);
    if (look && look->held.empty() && look->coming > 0 && timeWaits(control)) // messages come before timers
        look = lookWhenLanded(control, stop);
    std::int64_t underWay = look ? look->underWay : 0;
    const std::uint32_t count = wish.one ? 1 : wish.count;
    while (look && released.size() < count && !stop.stop_requested() && Clock::now() < deadline) {
        pb::Command command;
        pb::ReleaseHeld& order = *command.mutable_release_held();
        if (!wish.one && look->held.empty()) {
            if (!wish.mayPass || look->nextTimerNs < 0)
                break;
            // All clocks advance together; otherwise a lessor would forget a lease before the lessee does.
            order.set_advance_ns(std::max<std::int64_t>(1, look->nextTimerNs));
            const Calls calls = toAll(control, command);
            for (const Answer& answer : control.callAllAndWait(calls, kAnswer, stop))
                if (answer.outcome == Answer::Outcome::Refused)
                    return Error { answer.text };
        } else {
            const HeldAt next = wish.one ? *wish.one : look->held.front();
            order.set_number(next.message.number());
            order.set_is_dropped(wish.isDropped);
            const Answer answer = control.callAndWait(next.process, command, kAnswer, stop);
            if (!answer)
                return Error { answer.text };
            for (const pb::HeldMessage& message : answer.reply.gate().released())
                released.push_back({ next.process, message });
        }
        look = lookWhenArrived(control, underWay, stop);
    }
    if (!look)
        return look.error();
    return released;
}

} // namespace lhrs::gui
