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

// A network fault concerns several processes: each is told its part, under one fault number. Scripts and the window
// share this code, so that a line of a scenario and a click cause the same fault.
namespace lhrs::gui {

// The rules that each process receives.
struct FaultOrder {
    pb::Fault fault;
    std::vector<ProcessId> at;
};

// The senders and receivers; an empty side means every process.
struct FaultSides {
    std::vector<ProcessId> from, to;
};

// The sides of a partition. A side that is the rest holds every process not on the other side, including those that
// join later.
struct PartitionSides {
    std::vector<ProcessId> a, b;
    bool restIsB = false;
    enum class Direction { Both, AToB, BToA } direction = Direction::Both;
};

// Number, lease and seed of a new fault. The number fits into a number of the script and is random, so that another
// operator of the same cluster will not choose it too. Where virtual time waits for commands there is only one
// operator, and numbers count up, because they are part of the run.
pb::Fault newFault(const ControlClient& control, std::chrono::milliseconds lease, std::uint64_t seed);

std::vector<KnownProcess> livingProcesses(const ControlClient& control);

// The part of each process. `fault` has number and lease, and its rules if it is a network fault.
FaultOrder networkOrder(const ControlClient& control, pb::Fault fault, const FaultSides& sides);
std::vector<FaultOrder> partitionOrders(
    const ControlClient& control, const pb::Fault& fault, const PartitionSides& sides);

// Sends all commands. In a simulated cluster virtual time stands still meanwhile, so that one call affects several
// processes at the same instant, at any speed. The answers are in the order of the calls; if time could not be stopped
// or resumed, an additional answer gives the reason.
std::vector<Answer> callAtOneInstant(ControlClient& control,
    const std::vector<std::pair<CallTarget, pb::Command>>& calls, std::chrono::milliseconds timeout,
    const std::stop_token& stop = {});

// Arms the fault at all processes. If one does not answer or refuses, all are healed again, so that no fault is armed
// in part. Returns the answer that failed, or one that replied.
Answer armFaults(ControlClient& control, const std::vector<FaultOrder>& orders, std::chrono::milliseconds timeout,
    const std::stop_token& stop = {});
// Ends a fault (0: all faults) wherever it is armed and returns the faults that have ended. A process that does not
// answer has no fault left, or loses it when the lease expires.
std::set<std::uint64_t> healFaults(
    ControlClient& control, std::uint64_t number, std::chrono::milliseconds timeout, const std::stop_token& stop = {});

// A fault with the combined effect at all its processes.
struct ArmedFault {
    pb::Fault fault; // as one of the processes was told
    pb::FaultEffect achieved;
    std::uint32_t leaseLeftMs = 0;
    std::vector<ProcessId> processes;
};
void addArmed(std::map<std::uint64_t, ArmedFault>& faults, ProcessId process, const pb::FaultList& list);
// Armed faults by number. Processes in `deaf` are not asked, because they are paused and would not answer.
std::map<std::uint64_t, ArmedFault> listFaults(ControlClient& control, const std::set<ProcessId>& deaf,
    std::chrono::milliseconds timeout, const std::stop_token& stop = {});

} // namespace lhrs::gui
