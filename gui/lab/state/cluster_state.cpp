// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/cluster_state.h"

#include <utility>

namespace lhrs::gui {

void ClusterState::apply(ProcessId process, const pb::Event& event, std::int64_t runNs)
{
    if (event.has_walk())
        system = walk::kSystem; // it may be heard before any process says of which system it is
    if (isOfLhrs())
        invariants.take(*this, process, event, runNs);
    ProcessState& self = processes[process];
    self.id = process;
    RunState::foldEvent(process, event, runNs);
    if (event.has_process_started())
        introduceToRing(event.process_started().process());
    if (isOfLhrs())
        FileView::foldEvent(process, event, runNs);
    if (system == walk::kSystem)
        ring.apply(process, event);
    ++events;
    self.sequence = event.sequence();
    self.lastEventNs = runNs;
    if (!event.has_process_ended())
        self.heardNs = runNs;
    if (event.sequence() == 1)
        self.isIncomplete = false; // observed from its first event on
}

void ClusterState::apply(const pb::Snapshot& snapshot, std::int64_t runNs)
{
    RunState::foldSnapshot(snapshot, runNs);
    introduceToRing(snapshot.info());
    FileView::foldSnapshot(snapshot, runNs);
    if (system == walk::kSystem)
        ring.apply(snapshot);
}

void ClusterState::apply(ProcessId process, const pb::Told& told, std::int64_t runNs)
{
    if (isOfLhrs())
        invariants.take(*this, process, told, runNs);
    switch (told.what_case()) {
    case pb::Told::kGap:
        if (told.gap().is_contained())
            countLost(process, told.gap().last() - told.gap().first() + 1);
        else
            applyGap(process, told.gap().first(), told.gap().last());
        break;
    case pb::Told::kSnapshot: apply(told.snapshot(), runNs); break;
    case pb::Told::kIntroduced: introduce(told.introduced()); break;
    case pb::Told::kEnded: markEnded(process, told.ended().reason(), runNs); break;
    case pb::Told::kPaused: markPaused(process, told.paused().is_paused(), runNs); break;
    case pb::Told::kForgotten: {
        InvariantMonitor kept = std::move(invariants);
        *this = ClusterState();
        invariants = std::move(kept);
        break;
    }
    case pb::Told::kOrigin: isSimulated = told.origin().is_simulated(); break;
    case pb::Told::kClock:
        foldClock(process, told.clock().offset_ns(), told.clock().error_ns(), told.clock().applied_ns());
        break;
    case pb::Told::kSampled: foldSample(process, told.sampled(), runNs); break;
    case pb::Told::kJudged: // handled by the monitor of the invariants
    case pb::Told::WHAT_NOT_SET: break;
    }
}

void ClusterState::introduce(const pb::ProcessInfo& info)
{
    const bool isNew = !processes.contains(info.node());
    takeInfo(info);
    introduceToRing(info);
    if (isNew)
        processes[info.node()].pool = info.pool();
}

void ClusterState::introduceToRing(const pb::ProcessInfo& info)
{
    if (info.system() == walk::kSystem)
        ring.introduce(info);
}

} // namespace lhrs::gui
