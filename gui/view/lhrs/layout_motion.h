// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/lhrs/cluster_layout.h"

#include <map>
#include <set>

namespace lhrs::gui {

// Moves everything from its former place to its place in the new layout. A process that gets another place (a spare
// that becomes a bucket, a bucket that is released) travels as a card; everything else slides. An empty place that is
// new lies below what slides away from there.
class LayoutMotion {
public:
    static constexpr double kSlide = 0.25; // seconds
    static constexpr double kTravel = 0.9;

    // `now` in seconds of any clock that never runs backwards. Without `isAnimated` everything jumps to its place.
    void retarget(const ClusterLayout& layout, double now, bool isAnimated);
    // Forgets all former places, for another cluster: its processes reuse the numbers of the previous one.
    void forget() { *this = {}; }
    bool isMoving(double now) const { return now < m_until; }
    // The layout with each rectangle where it is at `now`.
    ClusterLayout at(double now) const;
    const ClusterLayout& target() const { return m_target; }

private:
    struct Journey {
        QRectF from;
        double start = 0, length = 0;
        bool isTravel = false;
        double share(double now) const;
    };
    QRectF rectAt(const ClusterLayout::Item& item, double now) const;

    ClusterLayout m_target;
    std::map<ObjectRef, Journey> m_journeys;
    std::set<ObjectRef> m_newPlaces; // empty ones
    double m_until = 0, m_slidUntil = 0;
    bool m_isFirst = true;
};

} // namespace lhrs::gui
