// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/replay/cluster_numbers.h"

#include <algorithm>

namespace lhrs::gui {

ClusterNumbers::ClusterNumbers(const std::vector<Recording::Word>& words)
{
    // A report before the first event, or a second one after the same event, ended no cluster.
    for (const Recording::Word& word : words)
        if (word.told.has_forgotten() && word.event > (m_lasts.empty() ? 0 : m_lasts.back()))
            m_lasts.push_back(word.event);
}

std::uint32_t ClusterNumbers::of(std::uint64_t event) const
{
    return 1 + std::uint32_t(std::lower_bound(m_lasts.begin(), m_lasts.end(), event) - m_lasts.begin());
}

} // namespace lhrs::gui
