// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace lhrs::gui {

// How long many operations took, in bounded memory: counts in classes that are at most 1/32 of their value wide. Number,
// least, greatest and sum are exact; a quantile is exact but for the width of its class. Two are added without loss.
class LatencyHistogram {
public:
    static constexpr double kWidth = 1.0 / 32; // of a class, relative to its values

    void add(std::int64_t ns);
    void merge(const LatencyHistogram& other);

    std::uint64_t count() const { return m_count; }
    std::int64_t min() const { return m_min; }
    std::int64_t max() const { return m_max; }
    std::int64_t sum() const { return m_sum; }
    // The nearest rank: the smallest value that at least the share of all values do not exceed; 0 when empty. Rounded up
    // inside its class, never above max().
    std::int64_t quantile(double share) const;

private:
    std::vector<std::pair<std::uint16_t, std::uint32_t>> m_classes; // ascending, none of them empty
    std::uint64_t m_count = 0;
    std::int64_t m_min = 0, m_max = 0, m_sum = 0;
};

} // namespace lhrs::gui
