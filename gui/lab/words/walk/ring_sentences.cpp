// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/words/walk/ring_sentences.h"

#include "gui/lab/state/process/sentence_words.h"
#include "gui/lab/words/process/event_writer.h"
#include "gui/lab/words/process/process_words.h"

namespace lhrs::gui {

namespace {

std::string keys(std::uint64_t number) { return counted(number, "key", "keys"); }
std::string key(std::uint64_t number) { return "key " + num(number); }

struct RingWriter {
    const ProcessId process;
    const pb::WalkEvent& event;
    const RunState& state;

    std::string who() const { return processShown(process, state); }
    std::string name(std::uint64_t node) const { return processShown(node, state); }
    std::string name(const pb::WalkNode& node) const { return name(node.node()); }

    // The sentence for an event of the master.
    std::string change() const
    {
        using B = pb::WalkEvent;
        switch (static_cast<int>(event.body_case())) {
        case B::kRingBegun:
            return "The ring begins: " + name(event.ring_begun().node()) + " is alone and answers for all of its 2^"
                + num(event.ring_begun().bits()) + " ids.";
        case B::kJoinOrdered: {
            const pb::JoinOrdered& e = event.join_ordered();
            return "The master lets " + name(e.node()) + " join before " + name(e.successor())
                + ", which is to give it a part of its range.";
        }
        case B::kLeaveOrdered: {
            const pb::LeaveOrdered& e = event.leave_ordered();
            return "The master lets " + name(e.node()) + " leave; it is to give its range to " + name(e.successor())
                + ".";
        }
        case B::kNodeJoined:
            return name(event.node_joined().node()) + " has joined the ring: it has got "
                + keys(event.node_joined().keys()) + ", and its predecessor knows it.";
        case B::kNodeLeft:
            return name(event.node_left().node()) + " has left the ring: its " + keys(event.node_left().keys())
                + " are at its successor.";
        case B::kChangeUndone:
            return (event.change_undone().change() == 0
                           ? "A node does not join"
                           : "Change " + num(event.change_undone().change()) + " of the ring is undone")
                + because(event.change_undone().reason());
        case B::kRingNodeLost:
            return "The ring is broken at " + name(event.ring_node_lost().node())
                + ", which is silent: no query passes it, and its keys are lost if it has ended.";
        case B::kRingNodeBack: return name(event.ring_node_back().node()) + " of the ring is heard again.";
        default: return {};
        }
    }

    // The sentence for an event of a node.
    std::string text() const
    {
        using B = pb::WalkEvent;
        switch (event.body_case()) {
        case B::kRingBegun:
        case B::kJoinOrdered:
        case B::kLeaveOrdered:
        case B::kNodeJoined:
        case B::kNodeLeft:
        case B::kChangeUndone:
        case B::kRingNodeLost:
        case B::kRingNodeBack: return change();
        case B::kKeysGiven:
            return who() + " has given " + keys(event.keys_given().keys()) + " to "
                + name(event.keys_given().receiver()) + " and no longer answers for them.";
        case B::kRangeTaken:
            return who() + " has taken " + keys(event.range_taken().keys()) + " from "
                + name(event.range_taken().giver()) + " and answers for them from now on.";
        case B::kSuccessorChanged:
            return who() + " passes queries on to " + name(event.successor_changed().successor()) + " from now on.";
        case B::kQueryPassed: {
            const pb::QueryPassed& e = event.query_passed();
            return who() + " does not own " + key(e.key()) + " and passes the query on to " + name(e.to()) + ": step "
                + num(e.steps()) + ".";
        }
        case B::kKeyStored: {
            const pb::KeyStored& e = event.key_stored();
            return who() + (e.is_new() ? " stores " : " replaces the value of ") + key(e.key()) + ", "
                + counted(e.length(), "byte", "bytes") + ".";
        }
        case B::kKeyRead:
            return who() + (event.key_read().is_found() ? " reads " : " has no ") + key(event.key_read().key()) + ".";
        case B::kKeyRemoved: return who() + " removes " + key(event.key_removed().key()) + ".";
        case B::kQueryAdrift:
            return who() + " drops the query for " + key(event.query_adrift().key()) + " after "
                + num(event.query_adrift().steps()) + " steps: the ring leads past the owner.";
        case B::BODY_NOT_SET: break;
        }
        return {};
    }
};

// What is told of an event of the ring itself; empty: nothing.
std::string ringTelling(const pb::WalkEvent& event, const RunState& state)
{
    // While the past is played again, an event may name a node before its introduction: then the picture has its id.
    const auto named = [&state](const pb::WalkNode& node, const char* the) {
        const auto known = state.processes.find(node.node());
        return known != state.processes.end() && !known->second.name.empty()
            ? known->second.name
            : the + std::string(" node with id ") + std::to_string(node.id());
    };
    const auto name = [&named](const pb::WalkNode& node) { return named(node, "the"); };
    const auto first = [&named](const pb::WalkNode& node) { return named(node, "The"); };
    using B = pb::WalkEvent;
    switch (event.body_case()) {
    case B::kRingBegun:
        return "The ring begins with " + name(event.ring_begun().node())
            + ", which answers for every key: it is alone.";
    case B::kJoinOrdered: {
        const pb::JoinOrdered& e = event.join_ordered();
        return first(e.node()) + " joins. Its id is its place on the circle, and " + name(e.successor())
            + ", which comes next there, gives it the keys in front of it.";
    }
    case B::kNodeJoined:
        return first(event.node_joined().node()) + " is in the ring and has got " + keys(event.node_joined().keys())
            + ". Only two nodes took part in it.";
    case B::kLeaveOrdered: {
        const pb::LeaveOrdered& e = event.leave_ordered();
        return first(e.node()) + " leaves and gives its keys to " + name(e.successor())
            + ", which comes next on the circle.";
    }
    case B::kNodeLeft: return first(event.node_left().node()) + " is out of the ring, and no key is lost.";
    case B::kChangeUndone:
    case B::kRingNodeLost:
    case B::kRingNodeBack: return RingWriter { 0, event, state }.text();
    // Routine events, and parts of what another one reports.
    case B::kKeysGiven:
    case B::kRangeTaken:
    case B::kSuccessorChanged:
    case B::kQueryPassed:
    case B::kKeyStored:
    case B::kKeyRead:
    case B::kKeyRemoved:
    case B::kQueryAdrift:
    case B::BODY_NOT_SET: break;
    }
    return {};
}

} // namespace

std::string ringSentence(ProcessId process, const pb::Event& event, const RunState& state)
{
    return event.has_walk() ? RingWriter { process, event.walk(), state }.text()
                            : EventWriter(process, event, state).text();
}

void tellOfRing(StoryMemory& story, const RunEvent& run, const RunState& state)
{
    const RingNames names(state);
    Teller teller { story, run, names };
    if (!run.event->has_walk())
        teller.take();
    else if (const std::string text = ringTelling(run.event->walk(), state); !text.empty())
        teller.tell(QString::fromStdString(text));
}

} // namespace lhrs::gui
