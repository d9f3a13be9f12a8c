// SPDX-License-Identifier: GPL-3.0-or-later
// A large view is read from a larger distance, so its text grows with it. In a view that is too small, large text
// shrinks.
#include "gui/view/lhrs/cluster_picture.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr int kTenthsMax = 25;
constexpr std::uint32_t kUsualDigits = 4; // of a key
// Pixels at 100 %: a view of this size has no room to spare, and a card of this size has room for all details in full
// words.
constexpr qreal kWidth = 700, kHeight = 430, kCardWidth = 152, kCardHeight = 176;

constexpr std::size_t kNumbered = 16; // up to this many buckets, their numbers have priority over the size of the text

bool hasRoom(const ClusterLayout& layout, const Theme& theme)
{
    if (layout.groupsArea.height() < kGroupsLeast * theme.px(1))
        return false;
    return layout.groups.empty() || layout.buckets > kNumbered || layout.detail <= CardDetail::Compact;
}

// Scales down to 100 %: a number for each bucket is more useful than text as large as in the panels.
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
    options.zoom = 1; // zooming in does not enlarge the text at the top
    options.pan = {};
    const QSizeF view = options.viewport;
    const qreal u = theme.px(1),
                most = std::min({ view.width() / (kWidth * u), view.height() / (kHeight * u), kTenthsMax / 10.0 });
    if (most < 1.1)
        return tightScale(state, theme, options);
    const ClusterLayout usual = layoutCluster(state, theme, options);
    if (!hasRoom(usual, theme))
        return tightScale(state, theme, options);
    if (usual.detail != CardDetail::Full || usual.groups.empty())
        return 1;
    // Keys are written into the cells before the text grows. The length of the keys changes while the file is used; the
    // size of the text should not.
    CellPlan plan = cellPlanOf(ClusterState(), CardDetail::Full);
    const std::uint32_t b = std::max(1U, state.file.config.b());
    plan.ranks = b + b / 8; // slightly more than b, until the split
    plan.keyDigits = b <= kKeyRanks && state.data.size() <= kKeyBuckets ? kUsualDigits : 0;
    const auto hasKeys = [&](const ClusterLayout& layout) {
        return cellGeometry(theme, QRectF(QPointF(), layout.card), plan).hasKeys;
    };
    const auto namedPools = [](const ClusterLayout& layout) {
        return std::count_if(layout.pools.begin(), layout.pools.end(), [](const auto& pool) { return pool.hasNames; });
    };
    for (int tenths = int(most * 10); tenths > 10; --tenths) {
        // A view with larger text has as much room as a smaller view with normal text.
        options.viewport = view / (tenths / 10.0);
        const ClusterLayout layout = layoutCluster(state, theme, options);
        if (layout.detail == CardDetail::Full && layout.card.width() >= kCardWidth * u
            && layout.card.height() >= kCardHeight * u && layout.file.height() >= usual.file.height()
            && layout.clientsHidden <= usual.clientsHidden && namedPools(layout) >= namedPools(usual)
            && hasKeys(layout) >= hasKeys(usual))
            return tenths / 10.0;
    }
    return 1;
}

} // namespace lhrs::gui
