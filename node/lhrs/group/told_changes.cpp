// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/group/told_changes.h"

namespace lhrs {

namespace {

void add(pb::RecordsChanged& list, const RecordChange& change)
{
    list.add_kinds(change.kind);
    list.add_keys(change.key.value);
    list.add_ranks(change.rank.value);
    list.set_sequence(change.sequence);
    list.set_count(change.count);
}

void add(pb::DeltasApplied& list, const AppliedDelta& delta)
{
    list.add_positions(delta.position.value);
    list.add_kinds(delta.kind);
    list.add_ranks(delta.rank.value);
    list.add_members(delta.members);
    while (list.applied_size() <= int(delta.position.value))
        list.add_applied(0);
    list.set_applied(int(delta.position.value), delta.sequence);
    list.set_record_groups(delta.recordGroups);
}

} // namespace

void tell(Effects& out, const RecordChange& change)
{
    if (pb::Event* told = out.operationEvent()) {
        const auto fill = [&change](auto& event) {
            event.set_key(change.key.value);
            event.set_rank(change.rank.value);
            event.set_sequence(change.sequence);
        };
        if (change.kind == pb::CHANGE_INSERT) {
            fill(*told->mutable_record_inserted());
            told->mutable_record_inserted()->set_length(change.length);
            told->mutable_record_inserted()->set_count(change.count);
        } else if (change.kind == pb::CHANGE_UPDATE) {
            fill(*told->mutable_record_updated());
            told->mutable_record_updated()->set_length(change.length);
        } else {
            fill(*told->mutable_record_deleted());
            told->mutable_record_deleted()->set_count(change.count);
        }
    }
    if (pb::Event* list = out.gathered())
        add(*list->mutable_records_changed(), change);
}

void tell(Effects& out, const AppliedDelta& delta)
{
    if (pb::Event* told = out.operationEvent()) {
        auto* event = told->mutable_delta_applied();
        event->set_position(delta.position.value);
        event->set_sequence(delta.sequence);
        event->set_rank(delta.rank.value);
        event->set_key(delta.key.value);
        event->set_kind(delta.kind);
        event->set_coefficient(delta.coefficient);
        event->set_members(delta.members);
        event->set_record_groups(delta.recordGroups);
    }
    if (pb::Event* list = out.gathered())
        add(*list->mutable_deltas_applied(), delta);
}

} // namespace lhrs
