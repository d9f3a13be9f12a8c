// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/process/run_state.h"

#include "common/ip.h"

#include <algorithm>

namespace lhrs::gui {

RunState::RunState() = default;
RunState::RunState(const RunState& other) = default;
RunState::RunState(RunState&& other) noexcept = default;
RunState& RunState::operator=(const RunState& other) = default;
RunState& RunState::operator=(RunState&& other) noexcept = default;
RunState::~RunState() = default;

ClientState& RunState::clientOf(ProcessId process)
{
    ClientState& client = clients[process];
    client.process = process;
    return client;
}

void RunState::takeInfo(const pb::ProcessInfo& info)
{
    ProcessState& process = processes[info.node()];
    process.id = info.node();
    process.kind = info.kind();
    process.name = info.name();
    process.pid = info.pid();
    process.address = udpText(info.address());
    process.eventsEndpoint = info.events_endpoint();
    process.controlEndpoint = info.control_endpoint();
    process.version = info.version();
    process.host = info.host();
    if (!info.system().empty())
        system = info.system();
    if (info.kind() == pb::CLIENT)
        clientOf(info.node()).name = info.name();
}

void RunState::foldEvent(ProcessId process, const pb::Event& event, std::int64_t runNs)
{
    using B = pb::Event;
    ProcessState& self = processes[process];
    switch (static_cast<int>(event.body_case())) {
    case B::kProcessStarted:
        takeInfo(event.process_started().process());
        if (self.place.role() == pb::NO_ROLE)
            self.pool = event.process_started().process().pool();
        break;
    case B::kProcessEnded: markEnded(process, event.process_ended().reason(), runNs); break;
    case B::kWorkloadHeld: clientOf(process).isHeld = event.workload_held().is_held(); break;
    case B::kGateClosed:
    case B::kGateOpened:
        self.isGated = event.has_gate_closed();
        noteTrouble(self, runNs);
        break;
    case B::kOperationStarted: ++clientOf(process).operations; break;
    case B::kOperationDone: countOperation(process, event.operation_done()); break;
    case B::kMemoryFull: self.isFull = event.memory_full().is_full(); break;
    case B::kFaultBegun:
        arm(self, event.fault_begun().fault());
        noteTrouble(self, runNs);
        break;
    case B::kFaultEnded:
        disarm(self, event.fault_ended().fault());
        noteTrouble(self, runNs);
        break;
    case B::kGauges:
        self.gauges = event.gauges();
        self.isFull = event.gauges().is_full();
        if (const auto client = clients.find(process); client != clients.end()) {
            client->second.done = std::max(client->second.done, event.gauges().operations());
            client->second.operations = std::max(client->second.operations, event.gauges().operations());
        }
        break;
    default: break; // messages, which change no lasting state, and what is of one system
    }
}

void RunState::countOperation(ProcessId process, const pb::OperationDone& done)
{
    ClientState& client = clientOf(process);
    ++client.done;
    client.forwards += done.forwards();
    client.resends += done.resends();
    ++client.hops[std::min<std::size_t>(done.forwards(), 2)];
}

void RunState::foldSnapshot(const pb::Snapshot& snapshot, std::int64_t runNs)
{
    takeInfo(snapshot.info());
    ProcessState& process = processes[snapshot.process()];
    process.incarnation = snapshot.incarnation();
    process.isInvited = false;
    process.offer = {};
    process.sequence = snapshot.sequence();
    process.contained = std::max(process.contained, snapshot.sequence());
    process.lastEventNs = process.heardNs = runNs;
    process.isIncomplete = false;
    process.hasEnded = process.isPaused = false; // it has just answered
    process.faults.clear();
    process.cuts.clear();
    for (const pb::Fault& fault : snapshot.faults())
        arm(process, fault);
    process.isGated = snapshot.is_gated();
    noteTrouble(process, runNs);
}

void RunState::foldClock(ProcessId process, std::int64_t offsetNs, std::uint64_t errorNs, std::int64_t appliedNs)
{
    const auto known = processes.find(process);
    if (known == processes.end())
        return;
    for (auto& [id, other] : processes) // one reading of a computer counts: the last
        if (other.host == known->second.host)
            other.clockErrorNs = 0;
    known->second.clockOffsetNs = offsetNs;
    known->second.clockErrorNs = errorNs;
    known->second.clockAppliedNs = appliedNs;
}

void RunState::foldSample(ProcessId id, const pb::NodeSample& sample, std::int64_t runNs)
{
    ProcessState& process = processes[id];
    process.id = id;
    if (process.samples.size() >= ProcessState::kSamples)
        process.samples.pop_front();
    process.samples.push_back({ runNs, std::make_shared<const pb::NodeSample>(sample) });
}

void RunState::applyGap(ProcessId process, std::uint64_t first, std::uint64_t last)
{
    ProcessState& state = processes[process];
    state.sequence = std::max(state.sequence, last);
    state.isIncomplete = true;
    countLost(process, last - first + 1);
}

void RunState::countLost(ProcessId process, std::uint64_t count)
{
    processes[process].id = process;
    processes[process].lostEvents += count;
    lost += count;
}

void RunState::markEnded(ProcessId process, const std::string& reason, std::int64_t runNs)
{
    ProcessState& state = processes[process];
    state.id = process;
    state.hasEnded = true;
    state.isPaused = state.isGated = false;
    state.faults.clear();
    state.cuts.clear();
    state.endReason = reason;
    state.endedNs = state.endedNs == 0 ? runNs : std::min(state.endedNs, runNs);
    state.lastEventNs = std::max(state.lastEventNs, runNs);
    noteTrouble(state, state.endedNs);
    state.isInvited = false;
    state.offer = {};
}

void RunState::markPaused(ProcessId process, bool isPaused, std::int64_t runNs)
{
    ProcessState& state = processes[process];
    state.id = process;
    state.isPaused = isPaused && !state.hasEnded;
    noteTrouble(state, runNs);
}

} // namespace lhrs::gui
