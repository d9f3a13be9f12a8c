// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/cluster_picture.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace lhrs::gui {

namespace {

std::uint64_t mix(std::uint64_t seed, std::uint64_t value)
{
    return (seed ^ value) * 0x9e3779b97f4a7c15ULL + (seed >> 29);
}

} // namespace

QRectF CellGeometry::cellOf(std::uint32_t rank) const
{
    const auto cell = int((rank - 1) / ratio);
    return { area.left() + (cell % columns) * pitchX, area.top() + (cell / columns) * pitchY, qreal(pitchX - 1),
        qreal(pitchY - 1) };
}

CellPlan cellPlanOf(const ClusterState& state, CardDetail detail)
{
    constexpr std::uint64_t kKeyMax = 99'999;
    std::uint32_t b = std::max(1U, state.file.config.b()), highest = 0;
    if (detail >= CardDetail::Tile) {
        // With many buckets, single ranks are of no interest; parity buckets are shaded by their record groups.
        CellPlan plan;
        plan.isDrawn = false;
        plan.ranks = b;
        for (const auto& [place, bucket] : state.parity)
            plan.ranks = std::max(plan.ranks, bucket.recordGroups);
        return plan;
    }
    for (const auto& [number, bucket] : state.data) {
        b = std::max(b, bucket.b);
        highest = std::max({ highest, bucket.ranks.rankMax(), bucket.incoming.rankMax() });
    }
    for (const auto& [place, bucket] : state.parity)
        highest = std::max(highest, bucket.ranks.rankMax());
    CellPlan plan;
    plan.isDrawn = detail == CardDetail::Full;
    const std::uint32_t step = std::max(1U, b / 8);
    plan.ranks = highest <= b ? b : b + (highest - b + step - 1) / step * step;
    if (!plan.isDrawn || plan.ranks > kKeyRanks || state.data.size() > kKeyBuckets)
        return plan;
    std::uint64_t largest = 0;
    for (const auto& [number, bucket] : state.data) {
        for (std::uint32_t rank = 1; rank <= highest; ++rank)
            largest = std::max({ largest, bucket.ranks.at(rank), bucket.incoming.at(rank) });
    }
    if (largest <= kKeyMax)
        plan.keyDigits = std::max(2U, std::uint32_t(std::to_string(largest).size()));
    return plan;
}

CellGeometry cellGeometry(const Theme& theme, const QRectF& card, const CellPlan& plan)
{
    CellGeometry geometry;
    if (!plan.isDrawn || plan.ranks == 0 || detailFor(card.size(), theme) != CardDetail::Full)
        return geometry;
    const qreal u = theme.px(1), pad = 7 * u;
    const qreal top = card.top() + theme.lineHeight({ TextSize::Title, true }) + 6 * u
        + 2 * (theme.lineHeight({ TextSize::Small }) + 3 * u);
    geometry.area = QRectF(
        std::round(card.left() + pad), std::round(top), card.width() - 2 * pad, card.bottom() - pad - top);
    const auto fits = [&](int pitchX, int pitchY) {
        geometry.columns = int((geometry.area.width() + 1) / pitchX);
        const int rows = int((geometry.area.height() + 1) / pitchY);
        return geometry.columns > 0 && rows > 0 ? std::uint32_t(geometry.columns) * std::uint32_t(rows) : 0U;
    };
    // The number of columns that fills the width exactly; with few cells, the cells need not be square.
    constexpr int kStretchedFrom = 10;
    const auto stretched = [&](int pitch) {
        return std::min(int((geometry.area.width() + 1) / geometry.columns), pitch * 3 / 2);
    };
    // The number of rows that fills the height exactly, if there is room for more.
    const auto lengthened = [&](int pitch, std::uint32_t cells) {
        const int rows = int((cells + std::uint32_t(geometry.columns) - 1) / std::uint32_t(geometry.columns));
        return std::clamp(int((geometry.area.height() + 1) / rows), pitch, pitch * 3 / 2);
    };
    // One cell per rank with its key, as large as there is room for.
    if (plan.keyDigits > 0) {
        const QString key(qsizetype(plan.keyDigits), QLatin1Char('0'));
        const int least = int(theme.lineHeight({ TextSize::Small })) + 1;
        for (int pitch = int(kCellMax * u); pitch >= least; --pitch) {
            geometry.keyStyle.size = pitch >= 36 * u ? TextSize::Strong
                : pitch >= 28 * u                    ? TextSize::Body
                                                     : TextSize::Small;
            const int wide = std::max(pitch, int(theme.width(geometry.keyStyle, key) + 5 * u));
            if (fits(wide, pitch) >= plan.ranks) {
                geometry.pitchX = stretched(wide);
                geometry.pitchY = lengthened(pitch, plan.ranks);
                geometry.hasKeys = true;
                return geometry;
            }
        }
    }
    const int smallest = 4, largest = std::max(smallest, int(kCellMax * u));
    const std::uint32_t cellsMax = fits(smallest, smallest);
    if (cellsMax == 0)
        return geometry;
    geometry.ratio = (plan.ranks + cellsMax - 1) / cellsMax;
    const std::uint32_t wanted = (plan.ranks + geometry.ratio - 1) / geometry.ratio;
    for (int pitch = largest; pitch >= smallest; --pitch) {
        if (fits(pitch, pitch) >= wanted) {
            geometry.pitchX = pitch < kStretchedFrom ? pitch : stretched(pitch);
            geometry.pitchY = pitch < kStretchedFrom ? pitch : lengthened(pitch, wanted);
            break;
        }
    }
    return geometry;
}

std::uint32_t capacityOf(const ClusterState& state, const DataBucketState& bucket)
{
    return std::max(1U, state.file.config.b() ? state.file.config.b() : bucket.b);
}

void CellReader::beginFrame()
{
    m_interval = 1 + m_wanted / kRanksPerFrame;
    m_wanted = 0;
    m_isLate = false;
    ++m_frame;
}

template <class Value>
const std::vector<std::uint8_t>& CellReader::read(
    Entry& entry, std::uint64_t stamp, const CellGeometry& geometry, std::uint32_t ranks, Value&& value)
{
    const bool fits = entry.ranks == ranks && entry.ratio == geometry.ratio;
    if (fits && entry.stamp == stamp)
        return entry.values;
    m_wanted += ranks;
    if (fits && m_frame - entry.frame < m_interval) {
        m_isLate = true;
        return entry.values;
    }
    entry.ranks = ranks;
    entry.ratio = geometry.ratio;
    entry.stamp = stamp;
    entry.frame = m_frame;
    const std::uint32_t cells = (ranks + geometry.ratio - 1) / geometry.ratio;
    entry.values.resize(cells);
    for (std::uint32_t c = 0; c < cells; ++c)
        entry.values[c] = value(c * geometry.ratio + 1, std::min(ranks, (c + 1) * geometry.ratio));
    return entry.values;
}

const std::vector<std::uint8_t>& CellReader::data(
    const DataBucketState& bucket, const CellGeometry& geometry, std::uint32_t ranks)
{
    std::uint64_t stamp = mix(bucket.process, bucket.incarnation);
    stamp = mix(mix(stamp, bucket.sequence), (std::uint64_t(bucket.ranks.count()) << 32) + bucket.incoming.count());
    stamp = mix(stamp, bucket.ranks.rankMax());
    return read(m_entries[bucket.number], stamp, geometry, ranks, [&](std::uint32_t first, std::uint32_t last) {
        std::uint32_t used = 0, incoming = 0;
        for (std::uint32_t rank = first; rank <= last; ++rank) {
            used += bucket.ranks.has(rank) ? 1 : 0;
            incoming += bucket.incoming.has(rank) ? 1 : 0;
        }
        if (incoming > used)
            return kCellIncoming;
        return std::uint8_t(used == 0 ? 0 : 1 + std::uint64_t(used) * (kCellShades - 2) / (last - first + 1));
    });
}

const std::vector<std::uint8_t>& CellReader::parity(
    const ParityBucketState& bucket, const CellGeometry& geometry, std::uint32_t ranks, std::uint32_t m)
{
    std::uint64_t stamp = mix(bucket.process, bucket.incarnation);
    for (std::uint64_t applied : bucket.applied)
        stamp = mix(stamp, applied);
    stamp = mix(stamp, bucket.ranks.count());
    const std::uint64_t key = (1ULL << 63) | (std::uint64_t(bucket.group) << 8) | bucket.column;
    return read(m_entries[key], stamp, geometry, ranks, [&](std::uint32_t first, std::uint32_t last) {
        std::uint64_t members = 0;
        for (std::uint32_t rank = first; rank <= last; ++rank)
            members += bucket.ranks.at(rank);
        const std::uint64_t full = std::uint64_t(last - first + 1) * m;
        return std::uint8_t(members == 0 ? 0 : 1 + std::min(members, full) * (kCellShades - 2) / full);
    });
}

} // namespace lhrs::gui
