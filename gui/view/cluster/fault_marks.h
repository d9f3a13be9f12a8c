// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/cluster/cluster_picture.h"

#include <memory>
#include <set>
#include <vector>

// Faults on purpose, as the picture shows them: a partition as hatched ground between its sides, a fault of the network on
// the links that it concerns, or as a badge where it concerns them all.
namespace lhrs::gui {

// Two sides between which nothing passes, put together from what each process was told.
struct PartitionShown {
    std::uint64_t number = 0;
    std::set<ProcessId> a, b;
    bool restIsB = false;             // b is everybody else, whoever comes later, too
    pb::FaultWay way = pb::BOTH_WAYS; // of a: OUTGOING: only what a sends is lost
};
std::vector<PartitionShown> partitionsOf(const ClusterState& state);

// A fault of the network at one process.
struct LinkFaultShown {
    std::uint64_t number = 0;
    ProcessId at = 0;
    std::vector<ProcessId> peers; // none: everybody
    std::shared_ptr<const pb::Fault> what;
};
std::vector<LinkFaultShown> linkFaultsOf(const ClusterState& state);

// Faults by number, each once; pauses and kills that wait for their step included.
std::vector<std::uint64_t> faultsOf(const ClusterState& state);
// "Fault on purpose: data 1 is cut off from everybody else".
QString faultSentence(const ClusterState& state, std::uint64_t number);

// Hatched ground and marked links; after the cards, below what moves.
void drawFaultMarks(const PictureInput& input, DisplayList& out);
// Where the fault is drawn; null: nowhere.
QRectF faultRect(const ClusterState& state, const ClusterLayout& layout, std::uint64_t number);

} // namespace lhrs::gui
