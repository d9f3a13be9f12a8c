// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/recording/recording.h"

#include <cstdint>
#include <vector>

namespace lhrs::gui {

// Which cluster of a recorded run something belongs to, from 1. Clusters follow one another; between two of them
// `forgotten` is told. Numbers that processes give (splits, recoveries, operations, messages) begin anew in each.
class ClusterNumbers {
public:
    explicit ClusterNumbers(const std::vector<Recording::Word>& words);

    // `event`: its place in the order of the run's events.
    std::uint32_t of(std::uint64_t event) const;

private:
    std::vector<std::uint64_t> m_lasts; // events after which a cluster was forgotten, ascending
};

} // namespace lhrs::gui
