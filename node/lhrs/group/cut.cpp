// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/group/cut.h"

#include "common/failpoints.h"

#include <algorithm>

namespace lhrs {

Sequence cutOf(const std::vector<PositionKnowledge>& survivors)
{
    Sequence cut = 0;
    for (const PositionKnowledge& survivor : survivors)
        cut = std::max(cut, survivor.applied);
    if (LHRS_MUTANT(CutLowest)) {
        for (const PositionKnowledge& survivor : survivors)
            cut = std::min(cut, survivor.applied);
        return cut;
    }
    while (std::any_of(
        survivors.begin(), survivors.end(), [cut](const PositionKnowledge& s) { return s.held.contains(cut + 1); }))
        ++cut;
    return cut;
}

std::vector<std::size_t> planCut(
    const std::vector<PositionKnowledge>& survivors, Sequence cut, std::vector<DeltaTransfer>& transfers)
{
    std::vector<std::size_t> unusable;
    for (std::size_t to = 0; to < survivors.size(); ++to) {
        for (Sequence s = survivors[to].applied + 1; s <= cut; ++s) {
            if (survivors[to].held.contains(s))
                continue;
            const auto giver = std::find_if(survivors.begin(), survivors.end(),
                [s](const PositionKnowledge& k) { return k.held.contains(s) || k.logged.contains(s); });
            if (giver == survivors.end()) {
                unusable.push_back(to);
                break;
            }
            transfers.push_back({ s, std::size_t(giver - survivors.begin()), to });
        }
    }
    return unusable;
}

} // namespace lhrs
