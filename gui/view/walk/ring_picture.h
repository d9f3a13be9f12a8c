// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/system/system_view.h"
#include "gui/view/walk/ring_layout.h"
#include "gui/view/walk/ring_motion.h"
#include "gui/view/walk/ring_words.h"

#include <map>

namespace lhrs::gui {

// A ring that walks on the canvas: the circle of ids with its nodes, the keys, clients, the master, and the processes
// that wait outside.
class RingPicture : public SystemView {
public:
    static constexpr double kTravel = 0.9; // seconds from the old place to the new one

    const RingLayout& layoutShown() const { return m_layout; }
    const RingMotion& motion() const { return m_motion; }

    std::uint64_t placesStamp(const ClusterState& state) const override { return ringPlacesStamp(state); }
    qreal roomScale(const Sight& sight) const override;
    QPointF layout(const Sight& sight, bool isAnimated) override;
    bool isPlacedBySelection() const override { return m_target.clientsHidden > 0; }
    QRectF area() const override { return m_target.area; }
    QRectF rectOf(const ClusterState&, ObjectRef object) const override { return rectIn(m_layout, object); }
    QRectF targetOf(const ClusterState&, ObjectRef object) const override { return rectIn(m_target, object); }
    bool isInArea(ObjectRef object) const override;
    bool isLegible() const override { return m_target.labelLines == 2; }
    std::uint32_t partAt(const Sight&, ObjectRef, QPointF) const override { return 0; }
    Mark markOf(const ClusterState& state, ObjectRef object) const override;

    void take(const Pacer& pacer, double seconds) override { m_motion.take(pacer, seconds); }
    void forget() override;
    void setReduced(bool on) override;
    bool isSliding(double time) const override { return time < m_slidesUntil; }
    bool isMoving(double clock) const override { return m_motion.isMoving(clock); }
    QString footNote(const Pacer& pacer) const override { return m_motion.footNote(pacer); }

    bool isAging(const ClusterState&) const override { return false; }
    bool drawResting(const Sight& sight, DisplayList& out) override;
    bool hasFlow() const override { return m_motion.hasFlow(); }
    QString drawFlow(const Sight& sight, DisplayList& out) override { return m_motion.drawFlow(sight, m_layout, out); }
    void drawMoving(const Sight& sight, double clock, DisplayList& out) override
    {
        m_motion.draw(sight, m_layout, clock, out);
    }

    QString sentenceOf(const ClusterState& state, ObjectRef object) const override;
    QStringList detailsOf(const ClusterState& state, ObjectRef object) const override;
    HoverCard hoverCard(
        const ClusterState& state, const Theme& theme, ObjectRef object, std::string_view term) const override;
    // The process with this name, or the node that answers for this key ("key 4711" or a number).
    Found find(const ClusterState& state, const QString& words) const override;
    // Right and down go round the ring clockwise, left and up the other way; then to the nodes outside, and to the
    // clients.
    ObjectRef next(const ClusterState& state, ObjectRef from, int dx, int dy) const override;

private:
    struct Journey {
        QPointF from;
        double start = 0;
    };
    CircleOptions optionsOf(const Sight& sight) const;
    QRectF rectIn(const RingLayout& layout, ObjectRef object) const;
    RingLayout layoutAt(double time) const;

    RingMotion m_motion;
    RingLayout m_target, m_layout; // the second one always matches what is drawn
    std::map<ObjectRef, Journey> m_journeys;
    double m_slidesUntil = 0;
    bool m_isFirst = true, m_isReduced = false;
};

} // namespace lhrs::gui
