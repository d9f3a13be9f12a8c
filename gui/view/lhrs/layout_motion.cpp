// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/layout_motion.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

QRectF between(const QRectF& from, const QRectF& to, double t)
{
    const auto mix = [t](qreal a, qreal b) { return a + (b - a) * t; };
    return { mix(from.x(), to.x()), mix(from.y(), to.y()), mix(from.width(), to.width()),
        mix(from.height(), to.height()) };
}

bool isPlace(ObjectRef object) { return object.kind == ObjectKind::Data || object.kind == ObjectKind::Parity; }

} // namespace

// Slow at both ends, and never beyond the end.
double LayoutMotion::Journey::share(double now) const
{
    const double t = length > 0 ? std::clamp((now - start) / length, 0.0, 1.0) : 1.0;
    return t * t * (3 - 2 * t);
}

QRectF LayoutMotion::rectAt(const ClusterLayout::Item& item, double now) const
{
    const auto journey = m_journeys.find(item.object);
    return journey == m_journeys.end() ? item.rect
                                       : between(journey->second.from, item.rect, journey->second.share(now));
}

void LayoutMotion::retarget(const ClusterLayout& layout, double now, bool isAnimated)
{
    std::map<ObjectRef, Journey> journeys;
    if (now >= m_slidUntil)
        m_newPlaces.clear();
    double until = now;
    if (isAnimated && !m_isFirst) {
        for (const ClusterLayout::Item& item : layout.items) {
            Journey journey;
            if (const ClusterLayout::Item* before = m_target.find(item.object)) {
                journey.from = rectAt(*before, now);
                const auto old = m_journeys.find(item.object);
                // A journey under way continues in the time that it has left.
                if (old != m_journeys.end() && old->second.isTravel && old->second.share(now) < 1) {
                    journey.isTravel = true;
                    journey.length = std::max(kSlide, old->second.start + old->second.length - now);
                } else if (before->rect == item.rect && (old == m_journeys.end() || old->second.share(now) >= 1)) {
                    continue;
                } else {
                    journey.length = kSlide;
                }
            } else if (const ClusterLayout::Item* elsewhere = item.process != 0 ? m_target.findProcess(item.process)
                                                                                : nullptr) {
                journey.from = rectAt(*elsewhere, now);
                journey.isTravel = isPlace(item.object) || isPlace(elsewhere->object);
                journey.length = journey.isTravel ? kTravel : kSlide;
            } else {
                if (item.object.kind == ObjectKind::Dummy)
                    m_newPlaces.insert(item.object);
                continue;
            }
            journey.start = now;
            until = std::max(until, now + journey.length);
            m_slidUntil = journey.isTravel ? m_slidUntil : std::max(m_slidUntil, now + journey.length);
            journeys.emplace(item.object, journey);
        }
    }
    m_journeys = std::move(journeys);
    m_until = until;
    m_target = layout;
    m_isFirst = false;
}

ClusterLayout LayoutMotion::at(double now) const
{
    ClusterLayout layout = m_target;
    if (!isMoving(now))
        return layout;
    if (now < m_slidUntil && !m_newPlaces.empty()) {
        std::stable_partition(layout.items.begin(), layout.items.end(),
            [this](const auto& item) { return m_newPlaces.contains(item.object); });
        layout.index();
    }
    for (ClusterLayout::Item& item : layout.items) {
        const auto journey = m_journeys.find(item.object);
        if (journey == m_journeys.end())
            continue;
        const double share = journey->second.share(now);
        item.target = item.rect;
        item.rect = between(journey->second.from, item.rect, share);
        item.isMoving = journey->second.isTravel && share < 1;
    }
    return layout;
}

} // namespace lhrs::gui
