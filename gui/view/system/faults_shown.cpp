// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/system/faults_shown.h"

#include <utility>

namespace lhrs::gui {

namespace {

template <class Peers> std::set<ProcessId> nodesOf(const Peers& peers)
{
    std::set<ProcessId> nodes;
    for (const pb::FaultPeer& peer : peers)
        nodes.insert(peer.node());
    return nodes;
}

pb::FaultWay opposite(pb::FaultWay way)
{
    return way == pb::OUTGOING ? pb::INCOMING : way == pb::INCOMING ? pb::OUTGOING : way;
}

} // namespace

std::vector<PartitionShown> partitionsOf(const ClusterState& state)
{
    std::map<std::uint64_t, PartitionShown> found;
    for (const auto& [id, process] : state.processes) {
        for (const auto& [number, fault] : process.faults) {
            if (!fault.what->has_partition())
                continue;
            const pb::PartitionFault& told = fault.what->partition();
            const std::set<ProcessId> peers = nodesOf(told.peers());
            const auto [at, isFirst] = found.try_emplace(number);
            PartitionShown& partition = at->second;
            partition.number = number;
            // "All but these": the listed processes are its own side, and all others are the other side.
            if (told.all_but_peers()) {
                partition.restIsB = true;
                partition.a = peers;
                partition.way = told.way();
            } else if (isFirst) {
                partition.b = peers;
                partition.a.insert(id);
                partition.way = told.way();
            } else if (!partition.restIsB && !partition.b.contains(id)) {
                partition.a.insert(id);
            }
        }
    }
    std::vector<PartitionShown> partitions;
    for (auto& [number, partition] : found) {
        // The first process in the loop above may belong to the rest, so b is computed again.
        if (partition.restIsB) {
            partition.b.clear();
            for (const auto& [id, process] : state.processes)
                if (!partition.a.contains(id) && !process.hasEnded)
                    partition.b.insert(id);
        } else if (partition.a.size() > partition.b.size()) {
            std::swap(partition.a, partition.b);
            partition.way = opposite(partition.way);
        }
        partitions.push_back(std::move(partition));
    }
    return partitions;
}

std::vector<LinkFaultShown> linkFaultsOf(const ClusterState& state)
{
    std::vector<LinkFaultShown> faults;
    for (const auto& [id, process] : state.processes)
        for (const auto& [number, fault] : process.faults)
            if (fault.what->has_network()) {
                const auto peers = nodesOf(fault.what->network().peers());
                faults.push_back({ number, id, { peers.begin(), peers.end() }, fault.what });
            }
    return faults;
}

std::vector<std::uint64_t> faultsOf(const ClusterState& state)
{
    std::set<std::uint64_t> numbers;
    for (const auto& [id, process] : state.processes)
        for (const auto& [number, fault] : process.faults)
            numbers.insert(number);
    return { numbers.begin(), numbers.end() };
}

} // namespace lhrs::gui
