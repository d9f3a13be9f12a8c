// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/walk/ring_view.h"

#include <algorithm>

namespace lhrs::gui::walk {

namespace {

// Of an order, or of a description of one.
template <class Order> RingChange changeOf(const Order& order, bool isLeave)
{
    return { order.change(), isLeave, order.node().node(), order.node().id(), order.from(), order.successor().node(),
        order.successor().id() };
}

void giveAway(RingNode& node, const pb::KeysGiven& e)
{
    node.ids.removeRange(e.from(), e.to());
    node.keys -= std::min(node.keys, e.keys());
    node.given = e.change();
    if (e.is_leave())
        node.hasRange = false;
    else
        node.from = e.to();
}

void takeOver(RingNode& node, const pb::RangeTaken& e)
{
    node.from = e.from();
    node.hasRange = true;
    node.taken = e.change();
    node.keys += e.keys();
    for (const std::uint64_t id : e.ids())
        node.ids.add(id);
}

void follow(RingNode& node, const pb::SuccessorChanged& e)
{
    node.id = e.id();
    node.hasId = true;
    node.successor = e.successor().node();
    node.successorId = e.successor().id();
    if (node.successor != node.process || node.hasRange)
        return;
    node.from = node.id; // the first node: nobody gives it a range
    node.hasRange = true;
}

void store(RingNode& node, const pb::KeyStored& e)
{
    ++node.answered;
    if (!e.is_new() || !node.idsAreObserved)
        return;
    ++node.keys;
    node.ids.add(e.id());
}

void remove(RingNode& node, const pb::KeyRemoved& e)
{
    ++node.answered;
    if (!node.idsAreObserved)
        return;
    node.keys -= std::min(node.keys, 1u);
    node.ids.remove(e.id());
}

void count(RingNode& node, const pb::Gauges& e)
{
    // Ids stay valid until a change that is not reported.
    if (e.without_changes() && e.records() != node.keys)
        node.idsAreObserved = false;
    if (!node.idsAreObserved)
        node.keys = e.records();
}

} // namespace

RingNode& RingView::nodeOf(std::uint64_t process)
{
    RingNode& node = nodes[process];
    node.process = process;
    return node;
}

void RingView::introduce(const pb::ProcessInfo& info)
{
    if (info.kind() == pb::NODE)
        nodeOf(info.node());
}

void RingView::apply(std::uint64_t process, const pb::Event& event)
{
    if (event.has_walk()) {
        apply(process, event.walk());
    } else if (event.has_operation_done()) {
        RingAsker& asker = askers[process];
        ++asker.queries;
        asker.steps += event.operation_done().forwards();
    } else if (event.has_gauges()) {
        if (const auto node = nodes.find(process); node != nodes.end())
            count(node->second, event.gauges());
    }
}

void RingView::apply(std::uint64_t process, const pb::WalkEvent& event)
{
    using B = pb::WalkEvent;
    switch (event.body_case()) {
    // What the master tells.
    case B::kRingBegun: bits = event.ring_begun().bits(); break;
    case B::kJoinOrdered: now = changeOf(event.join_ordered(), false); break;
    case B::kLeaveOrdered: now = changeOf(event.leave_ordered(), true); break;
    case B::kNodeJoined:
        ++joins;
        now.reset();
        break;
    case B::kNodeLeft:
        ++leaves;
        now.reset();
        lost.erase(event.node_left().node().node());
        break;
    case B::kChangeUndone:
        ++undone;
        undoneBecause = event.change_undone().reason();
        if (now && now->number == event.change_undone().change())
            now.reset();
        break;
    case B::kRingNodeLost: lost.insert(event.ring_node_lost().node().node()); break;
    case B::kRingNodeBack: lost.erase(event.ring_node_back().node().node()); break;

    // What a node tells of itself.
    case B::kKeysGiven: giveAway(nodeOf(process), event.keys_given()); break;
    case B::kRangeTaken: takeOver(nodeOf(process), event.range_taken()); break;
    case B::kSuccessorChanged: follow(nodeOf(process), event.successor_changed()); break;
    case B::kQueryPassed: ++nodeOf(process).passed; break;
    case B::kKeyStored: store(nodeOf(process), event.key_stored()); break;
    case B::kKeyRead: ++nodeOf(process).answered; break;
    case B::kKeyRemoved: remove(nodeOf(process), event.key_removed()); break;
    case B::kQueryAdrift: ++adrift; break;
    case B::BODY_NOT_SET: break;
    }
}

void RingView::apply(const pb::Snapshot& snapshot)
{
    if (snapshot.walk().has_ring())
        take(snapshot.walk().ring());
    else if (snapshot.has_walk())
        take(nodeOf(snapshot.process()), snapshot.walk());
    else if (snapshot.has_client())
        askers[snapshot.process()] = { snapshot.client().operations(), snapshot.client().forwards() };
}

void RingView::take(RingNode& node, const pb::WalkSnapshot& from)
{
    node.hasId = from.successor().node() != 0;
    node.id = from.id();
    node.from = from.from();
    node.successor = from.successor().node();
    node.successorId = from.successor().id();
    const bool isFirst = from.state() == pb::WALK_JOINING && node.successor == node.process;
    node.hasRange = from.state() == pb::WALK_IN || (from.state() == pb::WALK_LEAVING && from.given() == 0) || isFirst;
    node.given = std::max(node.given, from.given());
    node.taken = std::max(node.taken, from.taken());
    node.keys = from.keys();
    node.ids.clear();
    for (const std::uint64_t id : from.ids())
        node.ids.add(id);
    node.idsAreObserved = true;
}

void RingView::take(const pb::RingDescription& from)
{
    bits = from.ring_size() > 0 ? from.config().bits() : 0;
    now.reset();
    if (from.has_now())
        now = changeOf(from.now(), from.now().is_leave());
    lost = { from.lost().begin(), from.lost().end() };
}

const RingNode* RingView::find(std::uint64_t process) const
{
    const auto node = nodes.find(process);
    return node == nodes.end() ? nullptr : &node->second;
}

const RingNode* RingView::ownerOf(std::uint64_t id) const
{
    const auto owner = std::find_if(nodes.begin(), nodes.end(),
        [id](const auto& item) { return item.second.hasRange && isInRange(id, item.second.from, item.second.id); });
    return owner == nodes.end() ? nullptr : &owner->second;
}

std::vector<const RingNode*> RingView::inRing() const
{
    std::vector<const RingNode*> all;
    for (const auto& [process, node] : nodes)
        if (node.hasRange)
            all.push_back(&node);
    std::sort(all.begin(), all.end(), [](const RingNode* a, const RingNode* b) { return a->id < b->id; });
    return all;
}

std::vector<const RingNode*> RingView::outside() const
{
    std::vector<const RingNode*> all;
    for (const auto& [process, node] : nodes)
        if (!node.hasRange)
            all.push_back(&node);
    return all;
}

pb::WalkState RingView::stateOf(std::uint64_t process) const
{
    const RingNode* node = find(process);
    if (node == nullptr)
        return pb::WALK_NO_STATE;
    if (now && now->node == process && now->isLeave)
        return pb::WALK_LEAVING;
    if (node->hasRange)
        return pb::WALK_IN;
    return now && now->node == process ? pb::WALK_JOINING : pb::WALK_SPARE;
}

RingStage RingView::stage() const
{
    const RingNode* giver = now ? find(now->giver()) : nullptr;
    const RingNode* receiver = now ? find(now->receiver()) : nullptr;
    if (receiver != nullptr && receiver->taken == now->number)
        return RingStage::Taken;
    return giver != nullptr && giver->given == now->number ? RingStage::Given : RingStage::Ordered;
}

RingAsker RingView::asked() const
{
    RingAsker sum;
    for (const auto& [client, asker] : askers) {
        sum.queries += asker.queries;
        sum.steps += asker.steps;
    }
    return sum;
}

double RingView::meanSteps() const
{
    const RingAsker sum = asked();
    return sum.queries == 0 ? 0 : double(sum.steps) / double(sum.queries);
}

} // namespace lhrs::gui::walk
