// SPDX-License-Identifier: GPL-3.0-or-later
// The ring as a message, for recordings.
#include "gui/lab/state/walk/ring_view.h"

namespace lhrs::gui::walk {

namespace {

void write(const RingNode& from, pb::RingShown::Node& out)
{
    out.set_process(from.process);
    out.set_id(from.id);
    out.set_has_id(from.hasId);
    out.set_from(from.from);
    out.set_has_range(from.hasRange);
    out.mutable_successor()->set_node(from.successor);
    out.mutable_successor()->set_id(from.successorId);
    out.set_keys(from.keys);
    out.mutable_ids()->Assign(from.ids.all().begin(), from.ids.all().end());
    out.set_ids_are_observed(from.idsAreObserved);
    out.set_given(from.given);
    out.set_taken(from.taken);
    out.set_answered(from.answered);
    out.set_passed(from.passed);
}

RingNode read(const pb::RingShown::Node& from)
{
    RingNode node;
    node.process = from.process();
    node.id = from.id();
    node.hasId = from.has_id();
    node.from = from.from();
    node.hasRange = from.has_range();
    node.successor = from.successor().node();
    node.successorId = from.successor().id();
    node.keys = from.keys();
    for (const std::uint64_t id : from.ids())
        node.ids.add(id);
    node.idsAreObserved = from.ids_are_observed();
    node.given = from.given();
    node.taken = from.taken();
    node.answered = from.answered();
    node.passed = from.passed();
    return node;
}

} // namespace

void RingView::writeTo(pb::RingShown& out) const
{
    out.set_bits(bits);
    for (const auto& [process, node] : nodes)
        write(node, *out.add_nodes());
    for (const auto& [client, asker] : askers) {
        auto& row = *out.add_askers();
        row.set_process(client);
        row.set_queries(asker.queries);
        row.set_steps(asker.steps);
    }
    for (const std::uint64_t process : lost)
        out.add_lost(process);
    if (now) {
        pb::WalkChange& change = *out.mutable_now();
        change.set_change(now->number);
        change.set_is_leave(now->isLeave);
        change.mutable_node()->set_node(now->node);
        change.mutable_node()->set_id(now->id);
        change.set_from(now->from);
        change.mutable_successor()->set_node(now->successor);
        change.mutable_successor()->set_id(now->successorId);
    }
    out.set_joins(joins);
    out.set_leaves(leaves);
    out.set_undone(undone);
    out.set_undone_because(undoneBecause);
    out.set_adrift(adrift);
}

RingView RingView::of(const pb::RingShown& from)
{
    RingView view;
    view.bits = from.bits();
    for (const auto& node : from.nodes())
        view.nodes[node.process()] = read(node);
    for (const auto& row : from.askers())
        view.askers[row.process()] = { row.queries(), row.steps() };
    view.lost = { from.lost().begin(), from.lost().end() };
    if (from.has_now()) {
        const pb::WalkChange& change = from.now();
        view.now = { change.change(), change.is_leave(), change.node().node(), change.node().id(), change.from(),
            change.successor().node(), change.successor().id() };
    }
    view.joins = from.joins();
    view.leaves = from.leaves();
    view.undone = from.undone();
    view.undoneBecause = from.undone_because();
    view.adrift = from.adrift();
    return view;
}

} // namespace lhrs::gui::walk
