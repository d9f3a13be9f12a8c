// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/control/fault_orders.h"

#include <algorithm>
#include <random>
#include <utility>

namespace lhrs::gui {

namespace {

using Calls = std::vector<std::pair<CallTarget, pb::Command>>;

std::uint64_t newFaultNumber(const ControlClient& control)
{
    if (const std::uint64_t next = control.nextFault())
        return next;
    std::random_device device;
    const std::uint64_t drawn = std::uint64_t(device()) << 32 | device();
    return std::max<std::uint64_t>(1, drawn & ((std::uint64_t(1) << 53) - 1));
}

template <class Network>
void addPeers(const ControlClient& control, const std::vector<ProcessId>& side, Network& network)
{
    for (const ProcessId process : side) {
        pb::FaultPeer& peer = *network.add_peers();
        peer.set_node(process);
        if (const auto known = control.find(process))
            *peer.mutable_address() = known->info.address();
    }
}

bool isIn(const std::vector<ProcessId>& side, ProcessId process)
{
    return std::find(side.begin(), side.end(), process) != side.end();
}

void addUp(pb::FaultEffect& sum, const pb::FaultEffect& one)
{
    sum.set_messages(sum.messages() + one.messages());
    sum.set_dropped(sum.dropped() + one.dropped());
    sum.set_duplicated(sum.duplicated() + one.duplicated());
    sum.set_reordered(sum.reordered() + one.reordered());
    sum.set_corrupted(sum.corrupted() + one.corrupted());
    sum.set_cut(sum.cut() + one.cut());
    sum.set_delayed(sum.delayed() + one.delayed());
    sum.set_waiting(sum.waiting() + one.waiting());
    sum.set_overflowed(sum.overflowed() + one.overflowed());
    sum.set_delay_sum_ns(sum.delay_sum_ns() + one.delay_sum_ns());
    sum.set_delay_max_ns(std::max(sum.delay_max_ns(), one.delay_max_ns()));
    sum.set_lasted_ns(std::max(sum.lasted_ns(), one.lasted_ns()));
    sum.set_events_left(std::max(sum.events_left(), one.events_left()));
}

} // namespace

pb::Fault newFault(const ControlClient& control, std::chrono::milliseconds lease, std::uint64_t seed)
{
    pb::Fault fault;
    fault.set_number(newFaultNumber(control));
    fault.set_lease_ms(std::uint32_t(lease.count()));
    fault.set_seed(seed ^ fault.number() << 1);
    return fault;
}

std::vector<KnownProcess> livingProcesses(const ControlClient& control)
{
    std::vector<KnownProcess> living = control.directory();
    std::erase_if(living, [](const KnownProcess& known) { return known.hasEnded; });
    return living;
}

FaultOrder networkOrder(const ControlClient& control, pb::Fault fault, const FaultSides& sides)
{
    FaultOrder order { std::move(fault), sides.from };
    pb::NetworkFault& network = *order.fault.mutable_network();
    // A fault with a known sender is armed there; otherwise it is armed at the receiver and concerns all senders and
    // transports.
    if (sides.from.empty() && !sides.to.empty()) {
        network.set_way(pb::INCOMING);
        order.at = sides.to;
        return order;
    }
    network.set_way(pb::OUTGOING);
    addPeers(control, sides.to, network);
    if (sides.from.empty())
        for (const KnownProcess& known : livingProcesses(control))
            order.at.push_back(known.info.node());
    return order;
}

std::vector<FaultOrder> partitionOrders(
    const ControlClient& control, const pb::Fault& fault, const PartitionSides& sides)
{
    std::vector<ProcessId> b = sides.b;
    if (sides.restIsB)
        for (const KnownProcess& known : livingProcesses(control))
            if (!isIn(sides.a, known.info.node()))
                b.push_back(known.info.node());
    using Direction = PartitionSides::Direction;
    FaultOrder first { fault, sides.a }, second { fault, std::move(b) };
    pb::PartitionFault &fromA = *first.fault.mutable_partition(), &fromB = *second.fault.mutable_partition();
    // A process that joins later belongs to the rest too: "all but my own side".
    fromA.set_all_but_peers(sides.restIsB);
    addPeers(control, sides.restIsB ? sides.a : second.at, fromA);
    addPeers(control, sides.a, fromB);
    if (sides.direction != Direction::Both) {
        fromA.set_way(sides.direction == Direction::AToB ? pb::OUTGOING : pb::INCOMING);
        fromB.set_way(sides.direction == Direction::AToB ? pb::INCOMING : pb::OUTGOING);
    }
    return { std::move(first), std::move(second) };
}

std::vector<Answer> callAtOneInstant(
    ControlClient& control, const Calls& calls, std::chrono::milliseconds timeout, const std::stop_token& stop)
{
    const std::string simulator = control.simulator();
    if (calls.size() < 2 || simulator.empty())
        return control.callAllAndWait(calls, timeout, stop);
    pb::Command question, stand;
    question.mutable_describe_simulation();
    stand.mutable_set_clock()->set_is_paused(true);
    Answer now = control.callAndWait(simulator, question, timeout, stop);
    if (!now)
        return { std::move(now) };
    const pb::SimulationState& state = now.reply.simulation();
    // Time already stands still, and these commands do not advance it.
    if (state.is_paused() || state.is_over() || state.waits_for_commands())
        return control.callAllAndWait(calls, timeout, stop);
    // Not stoppable: a caller that stops its wait still expects time to continue.
    Answer stands = control.callAndWait(simulator, stand, timeout);
    std::vector<Answer> answers;
    if (stands)
        answers = control.callAllAndWait(calls, timeout, stop);
    pb::Command go;
    go.mutable_set_clock()->set_factor(state.factor());
    Answer goes = control.callAndWait(simulator, go, timeout);
    if (goes)
        control.learnSimulation(goes.reply.simulation()); // the state may have been queried while time stood still
    for (Answer* answer : { &stands, &goes })
        if (!*answer)
            answers.push_back(std::move(*answer));
    return answers;
}

Answer armFaults(ControlClient& control, const std::vector<FaultOrder>& orders, std::chrono::milliseconds timeout,
    const std::stop_token& stop)
{
    Calls calls;
    for (const FaultOrder& order : orders) {
        for (const ProcessId process : order.at) {
            pb::Command command;
            *command.mutable_arm_fault()->mutable_fault() = order.fault;
            calls.emplace_back(process, std::move(command));
        }
    }
    if (calls.empty())
        return { Answer::Outcome::Unreachable, {}, "There is no process on which the fault could be armed." };
    Answer good;
    for (Answer& answer : callAtOneInstant(control, calls, timeout, stop)) {
        if (!answer) {
            healFaults(control, orders.front().fault.number(), timeout, stop);
            return std::move(answer);
        }
        good = std::move(answer);
    }
    return good;
}

std::set<std::uint64_t> healFaults(
    ControlClient& control, std::uint64_t number, std::chrono::milliseconds timeout, const std::stop_token& stop)
{
    Calls calls;
    for (const KnownProcess& known : livingProcesses(control)) {
        pb::Command command;
        command.mutable_heal_faults()->set_number(number);
        calls.emplace_back(known.info.node(), std::move(command));
    }
    std::set<std::uint64_t> healed;
    for (const Answer& answer : control.callAllAndWait(calls, timeout, stop))
        for (const auto& entry : answer.reply.faults().faults())
            healed.insert(entry.requested().number());
    return healed;
}

void addArmed(std::map<std::uint64_t, ArmedFault>& faults, ProcessId process, const pb::FaultList& list)
{
    for (const auto& entry : list.faults()) {
        ArmedFault& armed = faults[entry.requested().number()];
        armed.fault = entry.requested();
        addUp(armed.achieved, entry.achieved());
        armed.leaseLeftMs = std::max(armed.leaseLeftMs, entry.lease_left_ms());
        armed.processes.push_back(process);
    }
}

std::map<std::uint64_t, ArmedFault> listFaults(ControlClient& control, const std::set<ProcessId>& deaf,
    std::chrono::milliseconds timeout, const std::stop_token& stop)
{
    std::vector<KnownProcess> living = livingProcesses(control);
    std::erase_if(living, [&](const KnownProcess& known) { return deaf.contains(known.info.node()); });
    Calls calls;
    for (const KnownProcess& known : living) {
        pb::Command command;
        command.mutable_list_faults();
        calls.emplace_back(known.info.node(), std::move(command));
    }
    std::map<std::uint64_t, ArmedFault> found;
    const std::vector<Answer> answers = control.callAllAndWait(calls, timeout, stop);
    for (std::size_t i = 0; i < answers.size(); ++i) // a process that does not answer reports no fault
        addArmed(found, living[i].info.node(), answers[i].reply.faults());
    return found;
}

} // namespace lhrs::gui
