// SPDX-License-Identifier: GPL-3.0-or-later
// A file that grows, told by its processes: events in the order of causes, for the fold in any order that keeps each
// process' own.
#pragma once

#include "gui/lab/state/cluster_state.h"

#include <algorithm>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace lhrs::gui {

inline constexpr ProcessId kCoordinator = 1, kClient = 2, kNodes = 100;

// What the processes of a small file tell, written down in the order of causes; each process' list is numbered.
struct Story {
    std::map<ProcessId, std::vector<pb::Event>> told;
    std::vector<std::pair<ProcessId, std::size_t>> order; // in the order of causes
    std::map<ProcessId, pb::Place> places;

    pb::Event& tell(ProcessId process);

    void start(ProcessId process, pb::ProcessKind kind, const char* name, pb::Role pool = pb::NO_ROLE);

    void recruit(ProcessId process, pb::Role role, std::uint32_t number, std::uint32_t column,
        std::uint64_t incarnation, std::uint32_t level);

    void release(ProcessId process);

    void become(ProcessId process, pb::MemberState state, std::uint32_t level);
};

// A file that grows by `splits` splits with one parity bucket a group (m = 4), with inserts before and between.
Story growth(std::uint32_t splits, std::uint32_t seed);

void write(std::ostream& out, const RankMap& ranks);

// All of the state as text: two states are equal when their texts are.
std::string textOf(const ClusterState& s);

ClusterState inOrder(const Story& story);

// Any interleaving that keeps each process' order: draw the process that speaks next. `bias` makes some speak early.
ClusterState interleaved(const Story& story, std::uint32_t seed);

} // namespace lhrs::gui
