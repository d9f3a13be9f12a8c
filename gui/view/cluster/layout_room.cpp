// SPDX-License-Identifier: GPL-3.0-or-later
// A large view is read from further away: its text grows with it. In one that is too small for large text it shrinks.
#include "gui/view/cluster/cluster_picture.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr int kTenthsMax = 25;
constexpr std::uint32_t kUsualDigits = 4; // of a key
// Pixels at 100 %: a view of this size has nothing to spare, and a card of this size says all in full words.
constexpr qreal kWidth = 700, kHeight = 430, kCardWidth = 152, kCardHeight = 176;

constexpr std::size_t kNumbered = 16; // of a file of so many buckets each has its number before the text is as large as asked

bool hasRoom(const ClusterLayout& layout, const Theme& theme)
{
    if (layout.groupsArea.height() < kGroupsLeast * theme.px(1))
        return false;
    return layout.groups.empty() || layout.buckets > kNumbered || layout.detail <= CardDetail::Compact;
}

// Down to 100 %: every bucket with its number is worth more than text as large as that of the panels.
qreal tightScale(const ClusterState& state, const Theme& theme, LayoutOptions options)
{
    const QSizeF view = options.viewport;
    for (int tenths = 10; tenths > 1; --tenths) {
        const qreal scale = tenths / 10.0;
        if (theme.fontScale() * scale <= 1)
            break;
        options.viewport = view / scale;
        if (hasRoom(layoutCluster(state, theme, options), theme))
            return scale;
    }
    return std::min(1.0, 1 / theme.fontScale());
}

} // namespace

qreal roomScale(const ClusterState& state, const Theme& theme, LayoutOptions options)
{
    options.zoom = 1; // zooming in does not make the text of the top grow
    options.pan = {};
    const QSizeF view = options.viewport;
    const qreal u = theme.px(1), most = std::min({ view.width() / (kWidth * u), view.height() / (kHeight * u), kTenthsMax / 10.0 });
    if (most < 1.1)
        return tightScale(state, theme, options);
    const ClusterLayout usual = layoutCluster(state, theme, options);
    if (!hasRoom(usual, theme))
        return tightScale(state, theme, options);
    if (usual.detail != CardDetail::Full || usual.groups.empty())
        return 1;
    // Keys are written into the cells before the text grows. How long they are changes while the file is used; the size of the text should not.
    CellPlan plan = cellPlanOf(ClusterState(), CardDetail::Full);
    const std::uint32_t b = std::max(1U, state.file.config.b());
    plan.ranks = b + b / 8; // somewhat more than b until the split
    plan.keyDigits = b <= kKeyRanks && state.data.size() <= kKeyBuckets ? kUsualDigits : 0;
    const auto hasKeys = [&](const ClusterLayout& layout) { return cellGeometry(theme, QRectF(QPointF(), layout.card), plan).hasKeys; };
    const auto namedPools = [](const ClusterLayout& layout) { return std::count_if(layout.pools.begin(), layout.pools.end(), [](const auto& pool) { return pool.hasNames; }); };
    for (int tenths = int(most * 10); tenths > 10; --tenths) {
        // With text so much larger a view is as large as a smaller one is with the usual text.
        options.viewport = view / (tenths / 10.0);
        const ClusterLayout layout = layoutCluster(state, theme, options);
        if (layout.detail == CardDetail::Full && layout.card.width() >= kCardWidth * u && layout.card.height() >= kCardHeight * u
            && layout.file.height() >= usual.file.height() && layout.clientsHidden <= usual.clientsHidden && namedPools(layout) >= namedPools(usual) && hasKeys(layout) >= hasKeys(usual))
            return tenths / 10.0;
    }
    return 1;
}

} // namespace lhrs::gui
