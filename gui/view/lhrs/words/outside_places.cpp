// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/words/outside_places.h"

#include "gui/view/system/process_order.h"

#include <algorithm>

namespace lhrs::gui {

std::vector<ProcessId> sparesOf(const ClusterState& state, pb::Role pool)
{
    // A process that has ended is forgotten when its program is started again.
    const auto hasSuccessor = [&](const ProcessState& ended) {
        return std::any_of(state.processes.begin(), state.processes.end(),
            [&](const auto& p) { return !p.second.hasEnded && p.second.name == ended.name; });
    };
    return sortedByName(state, [&](const ProcessState& p) {
        const pb::Role role = p.pool == pb::NO_ROLE ? pb::DATA : p.pool;
        return p.kind == pb::NODE && p.place.role() == pb::NO_ROLE && role == pool && !(p.hasEnded && hasSuccessor(p));
    });
}

std::vector<ProcessId> displacedOf(const ClusterState& state)
{
    return sortedByName(state, [&](const ProcessState& p) {
        return !p.hasEnded && (state.displacedData.contains(p.id) || state.displacedParity.contains(p.id));
    });
}

} // namespace lhrs::gui
