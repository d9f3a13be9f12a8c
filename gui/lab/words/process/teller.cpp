// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/words/process/teller.h"

#include "common/end_reasons.h"
#include "gui/lab/state/process/fault_sentences.h"
#include "gui/lab/words/process/process_words.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

bool isAnotherCoordinatorThere(const RunState& state, ProcessId ended)
{
    return std::any_of(state.processes.begin(), state.processes.end(), [ended](const auto& item) {
        return item.first != ended && item.second.kind == pb::COORDINATOR && !item.second.hasEnded;
    });
}

} // namespace

std::uint32_t StoryMemory::goOn(Run& run, std::int64_t runNs)
{
    if (!isClose(run, runNs))
        run = { .lastNs = runNs };
    run.lastNs = std::max(run.lastNs, runNs);
    run.lastFrame = frames;
    return ++run.count;
}

StoryMemory::Seen& StoryMemory::seenOf(ProcessId process)
{
    auto at = std::lower_bound(
        seen.begin(), seen.end(), process, [](const Seen& s, ProcessId id) { return s.id < id; });
    if (at == seen.end() || at->id != process)
        at = seen.insert(at, Seen { .id = process });
    return *at;
}

void StoryMemory::look(const ProcessNames& names, std::int64_t runNs)
{
    ++frames;
    std::vector<const ProcessState*> ended;
    const auto tell = [&](QString text) { tellings.push_back({ 0, runNs, std::move(text), 0 }); };
    std::size_t at = 0;
    for (const auto& [id, process] : names.state.processes) {
        while (at < seen.size() && seen[at].id < id)
            ++at;
        if (at == seen.size() || seen[at].id != id) { // its state before it was first seen is not news
            seen.insert(seen.begin() + std::ptrdiff_t(at), { id, process.hasEnded, process.isPaused });
            ++at;
            continue;
        }
        Seen& known = seen[at++];
        if (process.hasEnded && !known.hasEnded && !known.isEndTold)
            ended.push_back(&process);
        if (process.isPaused != known.isPaused && !process.hasEnded) {
            const std::string name = names.shown(process);
            tell(process.isPaused ? words::paused(names, name) : words::goesOn(names, name));
        }
        known.hasEnded = process.hasEnded;
        known.isPaused = process.isPaused;
    }
    words::Names killed; // places whose process a person or a script ended
    std::vector<const ProcessState*> others;
    for (const ProcessState* process : ended) {
        const std::string place = names.placeOf(*process);
        if (process->kind == pb::COORDINATOR && !isAnotherCoordinatorThere(names.state, process->id))
            tell(names.coordinatorEnded(false));
        else if (!place.empty() && process->endReason == kKilledOnRequest)
            killed.push_back(place);
        else if (process->kind != pb::COORDINATOR)
            others.push_back(process);
    }
    if (!killed.empty())
        tell(words::killed(names, killed));
    if (others.size() > 3)
        tell(words::manyEnded(std::uint32_t(others.size())));
    else
        for (const ProcessState* process : others)
            tell(words::ended(
                names, names.placeOf(*process), processShown(process->id, names.state), process->endReason));
}

// ---- one event

std::uint64_t Teller::tell(QString text, std::uint64_t instead)
{
    if (instead == 0 && text == m.lastText && m.isClose(m.last, run.runNs))
        return 0;
    m.lastText = text;
    m.goOn(m.last, run.runNs);
    // A telling that was not delivered yet is replaced before it is seen.
    const auto unseen = std::find_if(m.tellings.rbegin(), m.tellings.rend(),
        [instead](const Telling& telling) { return instead != 0 && telling.event == instead; });
    if (unseen != m.tellings.rend()) {
        instead = unseen->instead;
        m.tellings.erase(std::prev(unseen.base()));
    }
    m.tellings.push_back({ run.index, run.runNs, std::move(text), instead });
    return run.index;
}

void Teller::tell(QString text, Run& of) { of.told = tell(std::move(text), of.told); }

std::string Teller::name(ProcessId process) const { return processShown(process, names.state); }

bool Teller::isCoordinator() const
{
    const auto process = names.state.processes.find(run.process);
    return process != names.state.processes.end() && process->second.kind == pb::COORDINATOR;
}

std::string Teller::self() const
{
    if (std::string place = names.placeOf(event); !place.empty())
        return place;
    return isCoordinator() ? names.coordinator() : name(run.process);
}

bool Teller::take()
{
    using B = pb::Event;
    switch (static_cast<int>(event.body_case())) {
    case B::kProcessEnded: on(event.process_ended()); return true;
    case B::kMemoryFull: on(event.memory_full()); return true;
    case B::kFaultBegun: on(event.fault_begun()); return true;
    case B::kFaultEnded: on(event.fault_ended()); return true;
    case B::kWorkloadHeld: crowd(event.workload_held().is_held()); return true;
    case B::kGateClosed: crowd(true); return true;
    case B::kGateOpened: crowd(false); return true;
    // Routine events.
    case B::kProcessStarted:
    case B::kOperationStarted:
    case B::kOperationDone:
    case B::kMessageSent:
    case B::kMessageReceived:
    case B::kMessageDropped:
    case B::kMessageGivenUp:
    case B::kGauges:
    case B::BODY_NOT_SET: return true;
    default: return false;
    }
}

void Teller::on(const pb::FaultBegun& e)
{
    const pb::Fault& fault = e.fault();
    StoryMemory::FaultTelling& told = m.faults[fault.number()];
    if (isInstant(fault))
        m.seenOf(run.process).isEndTold = true;
    else if (fault.has_pause())
        m.seenOf(run.process).isPaused = true;
    if (isInstant(fault) && isCoordinator()) {
        tell(names.coordinatorEnded(true));
        return;
    }
    if (told.names.empty()) {
        told.what = faultWords(fault, run.process);
        told.way = fault.partition().way();
        if (!fault.partition().all_but_peers())
            for (const pb::FaultPeer& peer : fault.partition().peers())
                told.others.insert(peer.node());
    }
    ++told.begun;
    if (!told.others.contains(run.process))
        told.names.push_back(self());
    const auto known = names.state.processes.find(run.process);
    if (known != names.state.processes.end() && known->second.cuts.contains(fault.number()))
        told.isolated.push_back(self());
    words::Names others;
    for (const ProcessId other : told.others)
        if (const auto process = names.state.processes.find(other); process != names.state.processes.end())
            others.push_back(names.shown(process->second));
    told.begunTold = tell(!told.isolated.empty() ? words::isolated(names, told.isolated)
            : others.empty()                     ? words::faultBegun(names, told.names, fault, told.what)
                                                 : words::partition(names, told.names, others, told.way),
        told.begunTold);
}

void Teller::on(const pb::FaultEnded& e)
{
    StoryMemory::FaultTelling& told = m.faults[e.fault().number()];
    if (e.fault().has_pause())
        m.seenOf(run.process).isPaused = false;
    ++told.ended;
    told.endedTold = tell(words::faultEnded(names, self(), told.ended, e), told.endedTold);
    if (told.ended >= told.begun)
        m.faults.erase(e.fault().number());
}

void Teller::on(const pb::ProcessEnded& e)
{
    StoryMemory::Seen& seen = m.seenOf(run.process);
    if (std::exchange(seen.hasEnded, true) || seen.isEndTold)
        return;
    if (isCoordinator()) {
        tell(names.coordinatorEnded(false));
        return;
    }
    Run& crowd = m.crowds[{ int(event.body_case()), true }];
    const std::uint32_t count = m.goOn(crowd, run.runNs);
    const std::string place = names.placeOf(event);
    tell(count > 1 ? words::manyEnded(count) : words::ended(names, place, name(run.process), e.reason()), crowd);
}

void Teller::on(const pb::MemoryFull& e) { tell(words::memoryFull(names, self(), e.is_full())); }

void Teller::crowd(bool isBegun)
{
    // Closing and opening the gate are two kinds of event but one subject.
    const bool isHold = event.has_workload_held();
    Run& crowd = m.crowds[{ isHold ? 0 : 1, isBegun }];
    const std::uint32_t count = m.goOn(crowd, run.runNs);
    tell(isHold ? words::held(self(), count, isBegun) : words::gated(names, self(), count, isBegun), crowd);
}

} // namespace lhrs::gui
