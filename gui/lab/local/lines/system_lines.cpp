// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/local/lines/system_lines.h"

#include <algorithm>
#include <numeric>

namespace lhrs::gui {

const SystemLines::Pool* SystemLines::pool(pb::Role role) const
{
    const auto found = std::find_if(pools.begin(), pools.end(), [role](const Pool& pool) { return pool.role == role; });
    return found == pools.end() ? nullptr : &*found;
}

std::uint32_t SystemLines::servers() const
{
    return std::accumulate(
        pools.begin(), pools.end(), 0u, [](std::uint32_t sum, const Pool& pool) { return sum + pool.count; });
}

} // namespace lhrs::gui
