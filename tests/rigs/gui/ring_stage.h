// SPDX-License-Identifier: GPL-3.0-or-later
// Rings of any size as a state, with or without a change under way, and the events that their processes publish.
#pragma once

#include "tests/rigs/gui/view_stage.h"

#include <cstdint>
#include <vector>

namespace lhrs::gui {

inline constexpr ProcessId kRingMaster = 1, kRingClient = 10, kRingNode = 1'000, kRingSpare = 2'000;
inline constexpr unsigned kRingBits = 32;

// Ids as a hash gives them: irregular, but the same in each run.
inline std::uint64_t ringIdOf(std::uint64_t number)
{
    return (number * 0x9e3779b97f4a7c15ULL + 0x1234567890abcdefULL) >> (64 - kRingBits);
}

inline ProcessState& addProcess(ClusterState& state, ProcessId id, pb::ProcessKind kind, const std::string& name)
{
    ProcessState& process = state.processes[id];
    process = processOf(id, kind, name);
    return process;
}

// A ring of nodes with these ids at rest: "node-1" has the first of them, and so on.
inline ClusterState ringOf(std::vector<std::uint64_t> ids, std::size_t keys = 0, std::size_t spares = 0)
{
    ClusterState state;
    state.system = walk::kSystem;
    state.ring.bits = kRingBits;
    addProcess(state, kRingMaster, pb::COORDINATOR, "master-1");
    addProcess(state, kRingClient, pb::CLIENT, "alice");
    std::vector<std::uint64_t> sorted = ids;
    std::sort(sorted.begin(), sorted.end());
    const auto processWith = [&](std::uint64_t id) {
        return kRingNode + std::uint64_t(std::find(ids.begin(), ids.end(), id) - ids.begin());
    };
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const ProcessId process = kRingNode + i;
        addProcess(state, process, pb::NODE, "node-" + std::to_string(i + 1));
        const std::size_t place = std::size_t(std::find(sorted.begin(), sorted.end(), ids[i]) - sorted.begin());
        walk::RingNode& node = state.ring.nodes[process];
        node.process = process;
        node.id = ids[i];
        node.from = sorted[(place + sorted.size() - 1) % sorted.size()];
        node.hasId = node.hasRange = true;
        node.successorId = sorted[(place + 1) % sorted.size()];
        node.successor = processWith(node.successorId);
    }
    for (std::size_t i = 0; i < spares; ++i) {
        addProcess(state, kRingSpare + i, pb::NODE, "node-" + std::to_string(ids.size() + i + 1));
        state.ring.nodes[kRingSpare + i].process = kRingSpare + i;
    }
    for (std::size_t key = 0; key < keys; ++key) {
        const std::uint64_t id = ringIdOf(1'000 + key);
        for (auto& [process, node] : state.ring.nodes) {
            if (!node.hasRange || !walk::isInRange(id, node.from, node.id))
                continue;
            ++node.keys;
            node.ids.add(id);
        }
    }
    return state;
}

inline ClusterState ringOf(std::size_t nodes, std::size_t keys = 0, std::size_t spares = 0)
{
    std::vector<std::uint64_t> ids;
    for (std::size_t i = 0; i < nodes; ++i)
        ids.push_back(ringIdOf(i + 1));
    return ringOf(ids, keys, spares);
}

// The first spare joins; its id is halfway to the node's own, so that the node gives it the first half of its range.
inline void beginJoin(ClusterState& state, ProcessId giver)
{
    const walk::RingNode& node = state.ring.nodes.at(giver);
    const std::uint64_t mask = (1ULL << kRingBits) - 1;
    walk::RingChange change;
    change.number = 1;
    change.node = kRingSpare;
    change.from = node.from;
    change.id = (node.from + ((node.id - node.from) & mask) / 2) & mask;
    change.successor = giver;
    change.successorId = node.id;
    state.ring.now = change;
}

} // namespace lhrs::gui
