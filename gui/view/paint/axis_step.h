// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

// A step of 1, 2 or 5 times a power of ten, so that about `steps` steps fill the range. The unit is that of the axis.
inline double niceStep(double range, double steps)
{
    const double rough = std::max(range, 1e-12) / steps;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : { 1.0, 2.0, 5.0 })
        if (factor * power >= rough * 0.999)
            return factor * power;
    return 10 * power;
}

} // namespace lhrs::gui
