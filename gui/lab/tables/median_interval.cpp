// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/tables/median_interval.h"

#include "gui/lab/tables/lab_table.h"

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr double kOutside = 0.025; // probability on each side of the interval

// The largest number of values that may be excluded on each side; empty if not even the extremes are sure enough.
std::optional<std::size_t> leftOut(std::size_t count)
{
    // The number of `count` values below the median has a binomial distribution with p = 1/2.
    const double n = double(count);
    double below = 0;
    std::optional<std::size_t> most;
    for (std::size_t i = 0; 2 * i + 1 < count; ++i) {
        const double at = double(i);
        below += std::exp(std::lgamma(n + 1) - std::lgamma(at + 1) - std::lgamma(n - at + 1) - n * std::log(2.));
        if (below > kOutside)
            break;
        most = i;
    }
    return most;
}

} // namespace

std::optional<MedianInterval> medianInterval(std::vector<double> numbers)
{
    const auto out = leftOut(numbers.size());
    if (!out)
        return std::nullopt;
    std::sort(numbers.begin(), numbers.end());
    return MedianInterval { numbers[*out], numbers[numbers.size() - 1 - *out] };
}

bool isWithin(const std::vector<double>& numbers, double percent)
{
    const auto interval = medianInterval(numbers);
    if (!interval)
        return false;
    const double median = quartilesOf(numbers).median;
    return std::max(median - interval->low, interval->high - median) <= percent / 100 * std::abs(median);
}

} // namespace lhrs::gui
