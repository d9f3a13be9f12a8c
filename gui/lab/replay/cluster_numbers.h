// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/recording/recording.h"

#include <cstdint>
#include <vector>

namespace lhrs::gui {

// The cluster of a recorded run that an event belongs to, numbered from 1. Clusters follow one another, separated by
// a `forgotten` report. The numbers that processes assign (changes, operations, messages) restart in
// each cluster.
class ClusterNumbers {
public:
    explicit ClusterNumbers(const std::vector<Recording::Word>& words);

    // `event`: its position in the order of the run.
    std::uint32_t of(std::uint64_t event) const;

private:
    std::vector<std::uint64_t> m_lasts; // last event of each forgotten cluster, ascending
};

} // namespace lhrs::gui
