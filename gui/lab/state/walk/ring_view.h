// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/walk/ring_ids.h"
#include "proto/control.pb.h"
#include "proto/event.pb.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lhrs::gui::walk {

// What ProcessInfo.system says of a process of a ring.
inline constexpr const char* kSystem = "walk";

// A process that can be a node, as it tells of itself.
struct RingNode {
    std::uint64_t process = 0;
    std::uint64_t id = 0, from = 0; // it answers for (from, id]
    bool hasId = false; // it has been in a ring, or is about to be
    bool hasRange = false; // it answers for its range
    std::uint64_t successor = 0; // process number; 0: it has never had one
    std::uint64_t successorId = 0;
    std::uint32_t keys = 0;
    RingIds ids; // of its keys, some of them if it has more than RingIds::kMost
    bool idsAreObserved = true; // false: the detail level leaves the keys out, and only `keys` is right
    std::uint64_t given = 0, taken = 0; // the last change in which it gave a range, took a range
    std::uint64_t answered = 0, passed = 0; // queries that it was seen to answer, to pass on
    bool operator==(const RingNode&) const = default;
};

// A join or leave that is under way.
struct RingChange {
    std::uint64_t number = 0;
    bool isLeave = false;
    std::uint64_t node = 0, id = 0; // who joins or leaves, and its id
    std::uint64_t from = 0; // the range (from, id] moves
    std::uint64_t successor = 0, successorId = 0;
    std::uint64_t giver() const { return isLeave ? node : successor; }
    std::uint64_t receiver() const { return isLeave ? successor : node; }
    bool operator==(const RingChange&) const = default;
};

// How far it is: the giver answers for the range; nobody does; the receiver does.
enum class RingStage { Ordered, Given, Taken };

// What a client's queries cost.
struct RingAsker {
    std::uint64_t queries = 0, steps = 0;
    bool operator==(const RingAsker&) const = default;
};

// The ring at one instant: what its nodes told of themselves, what the master told of the ring, and what the clients
// counted. Nothing is known from two sources, so that the order in which processes are heard does not matter. A part of
// ClusterState, which knows the processes' names, and which of them have ended.
struct RingView {
    unsigned bits = 0; // M: ids are numbers modulo 2^M; 0: not known (yet)
    std::map<std::uint64_t, RingNode> nodes; // by process number; also those that wait outside
    std::optional<RingChange> now; // what the master has ordered and not ended
    std::set<std::uint64_t> lost; // of the ring: those that the master does not hear
    std::uint64_t joins = 0, leaves = 0, undone = 0; // that are over; the first node is no join
    std::string undoneBecause; // of the last one
    std::uint64_t adrift = 0; // queries that went round the ring and were dropped
    std::map<std::uint64_t, RingAsker> askers; // by client

    // There is such a process.
    void introduce(const pb::ProcessInfo& info);
    // Folds one event. What is of another system changes nothing.
    void apply(std::uint64_t process, const pb::Event& event);
    // Replaces what is known of the snapshot's process.
    void apply(const pb::Snapshot& snapshot);

    // Null: there is no such process.
    const RingNode* find(std::uint64_t process) const;
    // The node that answers for this id; null: none, as far as is known.
    const RingNode* ownerOf(std::uint64_t id) const;
    // Those that answer for a range, by id.
    std::vector<const RingNode*> inRing() const;
    // Those that do not: they wait outside, join, or have just left.
    std::vector<const RingNode*> outside() const;
    pb::WalkState stateOf(std::uint64_t process) const;
    // Of the change that is under way.
    RingStage stage() const;
    bool isBroken() const { return !lost.empty(); }
    // All clients together, and the mean.
    RingAsker asked() const;
    double meanSteps() const;

    void writeTo(pb::RingShown& out) const;
    static RingView of(const pb::RingShown& from);
    bool operator==(const RingView&) const = default;

private:
    RingNode& nodeOf(std::uint64_t process);
    void apply(std::uint64_t process, const pb::WalkEvent& event);
    void take(RingNode& node, const pb::WalkSnapshot& from);
    void take(const pb::RingDescription& from);
};

} // namespace lhrs::gui::walk
