// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/cluster_state.h"

#include "gui/lab/state/fold_failures.h"
#include "gui/lab/state/fold_places.h"
#include "gui/lab/state/fold_shared.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

using namespace fold;

bool tellsRecords(pb::Detail detail) { return detail == pb::FULL || detail == pb::OPERATIONS || detail == pb::RECORDS; }

void take(ClusterState& s, const pb::Snapshot& snapshot, const pb::Snapshot::DataBucket& from)
{
    pb::Place place;
    place.set_role(pb::DATA);
    place.set_number(from.bucket());
    DataBucketState& bucket = *dataOf(s, snapshot.process(), place);
    bucket.isOnlyDeclared = false;
    bucket.level = from.level();
    bucket.state = from.state();
    bucket.sequence = from.sequence();
    bucket.count = from.count();
    bucket.b = from.b();
    bucket.overflowIsReported = from.b() > 0 && from.count() > from.b();
    bucket.ranksAreObserved = tellsRecords(snapshot.detail());
    for (int i = 0; i < from.ranks_size() && i < from.keys_size(); ++i)
        bucket.ranks.set(from.ranks(i), from.keys(i));
    settleOverflow(bucket, s.file);
}

void take(ClusterState& s, const pb::Snapshot& snapshot, const pb::Snapshot::ParityBucket& from)
{
    pb::Place place;
    place.set_role(pb::PARITY);
    place.set_number(from.group());
    place.set_column(from.column());
    ParityBucketState& bucket = *parityOf(s, snapshot.process(), place);
    bucket.state = from.state();
    bucket.applied.assign(from.applied().begin(), from.applied().end());
    bucket.held.assign(from.held().begin(), from.held().end());
    bucket.ranksAreObserved = tellsRecords(snapshot.detail());
    for (int i = 0; i < from.ranks_size() && i < from.members_size(); ++i)
        bucket.ranks.set(from.ranks(i), from.members(i));
    bucket.recordGroups = std::uint32_t(from.ranks_size());
}

void take(ClusterState& s, const pb::FileDescription& from, std::int64_t runNs)
{
    s.file.isBeingFound = from.is_listening();
    if (from.is_listening())
        return; // it has not yet heard what others know
    s.file.exists = from.exists();
    s.file.config = from.config();
    s.file.i = from.file().i();
    s.file.n = from.file().n();
    s.file.buckets = from.buckets();
    s.file.availability = from.availability();
    s.file.splitsOwed = from.splits_owed();
    s.recruiting = from.recruiting();
    for (const auto& known : from.groups()) {
        takeView(s, known.view(), runNs, true);
        GroupState& group = groupOf(s, known.number());
        group.k = known.k();
        for (const pb::Member& member : known.view().members())
            if (member.state() == pb::FAILED || member.state() == pb::MEMBER_LOST)
                placeDeclared(s, known.number(), member);
        group.parityIsBeingAdded = std::any_of(known.view().members().begin(), known.view().members().end(),
            [&](const pb::Member& m) { return m.role() == pb::PARITY && m.index() >= known.k(); });
    }
    // At rest no split is under way; the ends of former splits are covered by the snapshot.
    if (from.at_rest()) {
        std::erase_if(s.splits, [&](const auto& entry) {
            const bool isOver = entry.second.isOrdered && entry.second.isUnderWay();
            if (isOver)
                s.splitForgotten = std::max(s.splitForgotten, entry.first);
            return isOver;
        });
        s.file.waitsFor.clear();
    }
    settleOverflows(s);
}

void take(ProcessState& process, ProcessId id, const pb::NodeSample& sample, std::int64_t runNs)
{
    process.id = id;
    if (process.samples.size() >= ProcessState::kSamples)
        process.samples.pop_front();
    process.samples.push_back({ runNs, std::make_shared<const pb::NodeSample>(sample) });
}

void take(ClusterState& s, ProcessId process, const pb::ClientDescription& from)
{
    ClientState& client = clientOf(s, process);
    client.image = from.image();
    client.mode = from.mode();
    client.isHeld = from.is_held();
    client.operations = from.operations();
    client.done = from.operations() - std::min(from.operations(), from.under_way());
    client.forwards = from.forwards();
    client.imageAdjustments = from.image_adjustments();
    client.resends = from.resends();
}

} // namespace

void ClusterState::apply(const pb::Snapshot& snapshot, std::int64_t runNs)
{
    const ProcessId id = snapshot.process();
    takeInfo(*this, snapshot.info());
    ProcessState& process = processes[id];
    releasePlace(*this, id);
    process.place.Clear();
    process.incarnation = snapshot.incarnation();
    process.pool = pb::NO_ROLE;
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
    if (snapshot.has_view())
        takeView(*this, snapshot.view(), runNs, false);
    switch (snapshot.role_case()) {
    case pb::Snapshot::kSparePool: process.pool = snapshot.spare_pool(); break;
    case pb::Snapshot::kData: take(*this, snapshot, snapshot.data()); break;
    case pb::Snapshot::kParity: take(*this, snapshot, snapshot.parity()); break;
    case pb::Snapshot::kFile: take(*this, snapshot.file(), runNs); break;
    case pb::Snapshot::kClient: take(*this, id, snapshot.client()); break;
    case pb::Snapshot::ROLE_NOT_SET: break;
    }
    if (system == walk::kSystem)
        ring.apply(snapshot);
}

void ClusterState::apply(ProcessId process, const pb::Told& told, std::int64_t runNs)
{
    if (isOfLhrs())
        invariants.take(*this, process, told, runNs);
    switch (told.what_case()) {
    case pb::Told::kGap:
        if (!told.gap().is_contained()) {
            applyGap(process, told.gap().first(), told.gap().last());
        } else {
            const std::uint64_t count = told.gap().last() - told.gap().first() + 1;
            processes[process].id = process;
            processes[process].lostEvents += count;
            lost += count;
        }
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
    case pb::Told::kSampled: take(processes[process], process, told.sampled(), runNs); break;
    case pb::Told::kJudged: // handled by the monitor of the invariants
    case pb::Told::WHAT_NOT_SET: break;
    }
}

void ClusterState::applyGap(ProcessId process, std::uint64_t first, std::uint64_t last)
{
    ProcessState& state = processes[process];
    state.id = process;
    state.lostEvents += last - first + 1;
    state.sequence = std::max(state.sequence, last);
    state.isIncomplete = true;
    lost += last - first + 1;
}

void ClusterState::introduce(const pb::ProcessInfo& info)
{
    const bool isNew = !processes.contains(info.node());
    takeInfo(*this, info);
    if (isNew)
        processes[info.node()].pool = info.spare_role();
}

void ClusterState::markEnded(ProcessId process, const std::string& reason, std::int64_t runNs)
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
    fold::noteTrouble(state, state.endedNs);
    state.isInvited = false;
    state.offer = {};
}

} // namespace lhrs::gui
