// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/lhrs/file_view.h"

#include "gui/lab/state/lhrs/fold_failures.h"
#include "gui/lab/state/lhrs/fold_places.h"
#include "gui/lab/state/lhrs/fold_shared.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

using namespace fold;

bool tellsRecords(pb::Detail detail) { return detail == pb::FULL || detail == pb::OPERATIONS || detail == pb::RECORDS; }

void take(FileView& s, const pb::Snapshot& snapshot, const pb::Snapshot::DataBucket& from)
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

void take(FileView& s, const pb::Snapshot& snapshot, const pb::Snapshot::ParityBucket& from)
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

void take(FileView& s, const pb::FileDescription& from, std::int64_t runNs)
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

void take(FileView& s, ProcessId process, const pb::ClientDescription& from)
{
    FileClient& known = s.fileClients[process];
    known.image = from.image();
    known.mode = from.mode();
    known.imageAdjustments = from.image_adjustments();
    ClientState& client = s.clientOf(process);
    client.isHeld = from.is_held();
    client.operations = from.operations();
    client.done = from.operations() - std::min(from.operations(), from.under_way());
    client.forwards = from.forwards();
    client.resends = from.resends();
}

} // namespace

void FileView::foldSnapshot(const pb::Snapshot& snapshot, std::int64_t runNs)
{
    const ProcessId id = snapshot.process();
    ProcessState& process = processes[id];
    releasePlace(*this, id);
    process.place.Clear();
    process.pool = pb::NO_ROLE;
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
}

} // namespace lhrs::gui
