// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

namespace lhrs::gui {

struct MedianInterval {
    double low = 0, high = 0;
};

// The interval between two of these numbers that holds the median of what they were drawn from in at least 95 of 100 cases, whatever
// its distribution (order statistics; Conover, Practical Nonparametric Statistics, 3.2). Nothing: fewer than six numbers give none.
std::optional<MedianInterval> medianInterval(std::vector<double> numbers);
// Whether both ends are at most so many per cent of the median away from it.
bool isWithin(const std::vector<double>& numbers, double percent);

} // namespace lhrs::gui
