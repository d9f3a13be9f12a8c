// SPDX-License-Identifier: GPL-3.0-or-later
// The events of a file that grows, in causal order, for tests of the fold in any order that keeps each process's own
// order.
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

// The events of the processes of a small file, in causal order; each process's list is numbered.
struct Story {
    std::map<ProcessId, std::vector<pb::Event>> told;
    std::vector<std::pair<ProcessId, std::size_t>> order; // in causal order
    std::map<ProcessId, pb::Place> places;

    pb::Event& tell(ProcessId process);

    void start(ProcessId process, pb::ProcessKind kind, const char* name, pb::Role pool = pb::NO_ROLE);

    void recruit(ProcessId process, pb::Role role, std::uint32_t number, std::uint32_t column,
        std::uint64_t incarnation, std::uint32_t level);

    void release(ProcessId process);

    void become(ProcessId process, pb::MemberState state, std::uint32_t level);
};

// A file that grows by `splits` splits with one parity bucket per group (m = 4), with inserts before and between them.
Story growth(std::uint32_t splits, std::uint32_t seed);

void write(std::ostream& out, const RankMap& ranks);

// The whole state as text: two states are equal when their texts are equal.
std::string textOf(const ClusterState& s);

ClusterState inOrder(const Story& story);

// A random interleaving that keeps each process's order: it draws the process that comes next. `bias` prefers some.
ClusterState interleaved(const Story& story, std::uint32_t seed);

} // namespace lhrs::gui
