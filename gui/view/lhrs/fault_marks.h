// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/lhrs/cluster_picture.h"

#include <memory>
#include <set>
#include <vector>

// Faults on purpose, as the picture shows them. A partition is hatched ground between its sides. A fault of the network
// is drawn on the links that it concerns, or as a badge where it concerns all of them.
namespace lhrs::gui {

// Two sides of a partition, combined from what each process was told.
struct PartitionShown {
    std::uint64_t number = 0;
    std::set<ProcessId> a, b;
    bool restIsB = false; // b is all other processes, including later ones
    pb::FaultWay way = pb::BOTH_WAYS; // of a: OUTGOING: only what a sends is lost
};
std::vector<PartitionShown> partitionsOf(const ClusterState& state);

// A fault of the network at one process.
struct LinkFaultShown {
    std::uint64_t number = 0;
    ProcessId at = 0;
    std::vector<ProcessId> peers; // empty: all processes
    std::shared_ptr<const pb::Fault> what;
};
std::vector<LinkFaultShown> linkFaultsOf(const ClusterState& state);

// The numbers of all faults, each once, including pauses and kills that wait for their step.
std::vector<std::uint64_t> faultsOf(const ClusterState& state);
// "Fault on purpose: data 1 is cut off from everybody else".
QString faultSentence(const ClusterState& state, std::uint64_t number);

// Draws hatched ground and marked links: above the cards, below what moves.
void drawFaultMarks(const PictureInput& input, DisplayList& out);
// Where the fault is drawn; null: nowhere.
QRectF faultRect(const ClusterState& state, const ClusterLayout& layout, std::uint64_t number);

} // namespace lhrs::gui
