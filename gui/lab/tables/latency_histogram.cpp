// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/tables/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr int kBits = 5; // 2^5 = 32 classes per power of two

std::uint16_t classOf(std::uint64_t ns)
{
    if (ns < (1u << kBits))
        return std::uint16_t(ns);
    const int shift = int(std::bit_width(ns)) - 1 - kBits;
    return std::uint16_t(((shift + 1) << kBits) + int((ns >> shift) & ((1u << kBits) - 1)));
}

// The maximum value of a class.
std::int64_t topOf(std::uint16_t number)
{
    if (number < (1u << kBits))
        return number;
    const int shift = (number >> kBits) - 1;
    const std::uint64_t low = (std::uint64_t(1) << kBits) + (number & ((1u << kBits) - 1));
    return std::int64_t(((low + 1) << shift) - 1);
}

} // namespace

void LatencyHistogram::add(std::int64_t ns)
{
    ns = std::max<std::int64_t>(ns, 0);
    const std::uint16_t number = classOf(std::uint64_t(ns));
    const auto at = std::lower_bound(
        m_classes.begin(), m_classes.end(), number, [](const auto& entry, std::uint16_t n) { return entry.first < n; });
    if (at != m_classes.end() && at->first == number)
        ++at->second;
    else
        m_classes.insert(at, { number, 1 });
    m_min = m_count == 0 ? ns : std::min(m_min, ns);
    m_max = std::max(m_max, ns);
    m_sum += ns;
    ++m_count;
}

void LatencyHistogram::merge(const LatencyHistogram& other)
{
    if (other.m_count == 0)
        return;
    std::vector<std::pair<std::uint16_t, std::uint32_t>> all;
    all.reserve(m_classes.size() + other.m_classes.size());
    std::merge(
        m_classes.begin(), m_classes.end(), other.m_classes.begin(), other.m_classes.end(), std::back_inserter(all));
    m_classes.clear();
    for (const auto& [number, count] : all) {
        if (!m_classes.empty() && m_classes.back().first == number)
            m_classes.back().second += count;
        else
            m_classes.emplace_back(number, count);
    }
    m_min = m_count == 0 ? other.m_min : std::min(m_min, other.m_min);
    m_max = std::max(m_max, other.m_max);
    m_sum += other.m_sum;
    m_count += other.m_count;
}

std::int64_t LatencyHistogram::quantile(double share) const
{
    if (m_count == 0)
        return 0;
    const auto wanted = std::max<std::uint64_t>(
        1, std::uint64_t(std::ceil(std::clamp(share, 0.0, 1.0) * double(m_count))));
    std::uint64_t seen = 0;
    for (const auto& [number, count] : m_classes) {
        seen += count;
        if (seen >= wanted)
            return std::clamp(topOf(number), m_min, m_max);
    }
    return m_max;
}

} // namespace lhrs::gui
