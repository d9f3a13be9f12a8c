// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

namespace lhrs::gui {

struct MedianInterval {
    double low = 0, high = 0;
};

// The interval between two of these numbers that holds the median of their distribution with a probability of at
// least 95 %, for any distribution (order statistics; Conover, Practical Nonparametric Statistics, 3.2). Empty for
// fewer than six numbers.
std::optional<MedianInterval> medianInterval(std::vector<double> numbers);
// Whether both ends differ from the median by at most this percentage of it.
bool isWithin(const std::vector<double>& numbers, double percent);

} // namespace lhrs::gui
