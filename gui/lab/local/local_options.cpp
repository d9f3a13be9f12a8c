// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/local/local_options.h"

#include <string>

namespace lhrs::gui {

SystemLines linesOf(const LocalOptions& options, unsigned timeScale)
{
    SystemLines lines = options.ring ? linesOfRing(*options.ring) : linesOfFile(options);
    if (const unsigned scale = (options.slowTimers ? 5 : 1) * timeScale; scale != 1)
        lines.coordinator.insert(lines.coordinator.end(), { "--time-scale", std::to_string(scale) });
    if (options.simulated && options.simulated->isCase) // which starts its own servers
        for (SystemLines::Pool& pool : lines.pools)
            pool.count = 0;
    return lines;
}

} // namespace lhrs::gui
