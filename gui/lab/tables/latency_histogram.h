// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace lhrs::gui {

// The durations of many operations in bounded memory: counts in classes whose width is at most 1/32 of their value.
// Number, minimum, maximum and sum are exact; a quantile is exact up to the width of its class. Two histograms are
// added without loss.
class LatencyHistogram {
public:
    static constexpr double kWidth = 1.0 / 32; // width of a class, relative to its values

    void add(std::int64_t ns);
    void merge(const LatencyHistogram& other);

    std::uint64_t count() const { return m_count; }
    std::int64_t min() const { return m_min; }
    std::int64_t max() const { return m_max; }
    std::int64_t sum() const { return m_sum; }
    // The quantile, without interpolation: the smallest value such that at least this share of all values does not
    // exceed it; 0 if empty. Rounded up within its class, but never above max().
    std::int64_t quantile(double share) const;

private:
    std::vector<std::pair<std::uint16_t, std::uint32_t>> m_classes; // ascending, without empty classes
    std::uint64_t m_count = 0;
    std::int64_t m_min = 0, m_max = 0, m_sum = 0;
};

} // namespace lhrs::gui
