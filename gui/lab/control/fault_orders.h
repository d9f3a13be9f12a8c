// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/control/control_client.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <stop_token>
#include <utility>
#include <vector>

// A fault of the network concerns several processes: each is told its part, under one number. What scripts and the window
// do with faults is here, so that a line of a scenario and a click break the same things.
namespace lhrs::gui {

// Who is told what.
struct FaultOrder {
    pb::Fault fault;
    std::vector<ProcessId> at;
};

// Who sends or receives; nobody named: everybody.
struct FaultSides {
    std::vector<ProcessId> from, to;
};

// The sides of a partition: a side that is the rest is everybody who is not on the other one, whoever comes later, too.
struct PartitionSides {
    std::vector<ProcessId> a, b;
    bool restIsB = false;
    enum class Direction { Both, AToB, BToA } direction = Direction::Both;
};

// Number, lease and seed of a fault that is new. Numbers are those that a script's number holds, and that another operator
// of the same cluster will not have chosen; where virtual time waits for commands there is one operator, and they count up, because
// they are in the run.
pb::Fault newFault(const ControlClient& control, std::chrono::milliseconds lease, std::uint64_t seed);

std::vector<KnownProcess> livingProcesses(const ControlClient& control);

// What each process is told. `fault` has number and lease, and for the network its rules.
FaultOrder networkOrder(const ControlClient& control, pb::Fault fault, const FaultSides& sides);
std::vector<FaultOrder> partitionOrders(const ControlClient& control, const pb::Fault& fault, const PartitionSides& sides);

// Asks all of them; on a simulated cluster virtual time stands meanwhile, so that what one call does to several processes
// happens at one instant, however fast time runs. The answers in the order of the calls, and a further one that says why if
// time could not be stopped or set going again.
std::vector<Answer> callAtOneInstant(ControlClient& control, const std::vector<std::pair<CallTarget, pb::Command>>& calls,
    std::chrono::milliseconds timeout, const std::stop_token& stop = {});

// Tells all; when one does not answer, or refuses, all are healed again: half a fault is worse than none.
// The answer that went wrong, or one that replied.
Answer armFaults(ControlClient& control, const std::vector<FaultOrder>& orders, std::chrono::milliseconds timeout,
    const std::stop_token& stop = {});
// Ends a fault, 0: all of them, wherever it is armed, and says which have ended. Who does not answer has no fault left, or
// loses it with its lease.
std::set<std::uint64_t> healFaults(ControlClient& control, std::uint64_t number, std::chrono::milliseconds timeout,
    const std::stop_token& stop = {});

// A fault with what all its processes have done together.
struct ArmedFault {
    pb::Fault fault; // as one of them was told
    pb::FaultEffect achieved;
    std::uint32_t leaseLeftMs = 0;
    std::vector<ProcessId> processes;
};
void addArmed(std::map<std::uint64_t, ArmedFault>& faults, ProcessId process, const pb::FaultList& list);
// By number. Those in `deaf` are not asked: they stand still and would not answer.
std::map<std::uint64_t, ArmedFault> listFaults(ControlClient& control, const std::set<ProcessId>& deaf,
    std::chrono::milliseconds timeout, const std::stop_token& stop = {});

} // namespace lhrs::gui
