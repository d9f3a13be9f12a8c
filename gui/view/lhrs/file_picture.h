// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/lhrs/cluster_picture.h"
#include "gui/view/lhrs/layout_motion.h"
#include "gui/view/lhrs/motion.h"
#include "gui/view/system/system_view.h"

namespace lhrs::gui {

// An LH*RS file on the canvas: clients, coordinator, groups of buckets with their records, pools of spares.
class FilePicture : public SystemView {
public:
    // By bucket group, or by host and process; a group is a row or a column. Objects slide from their old places to the
    // new ones.
    void setArrangement(Arrangement arrangement, bool areColumns);
    Arrangement arrangement() const { return m_arrangement; }
    bool areColumns() const { return m_areColumns; }
    const ClusterLayout& layoutShown() const { return m_layout; }
    const Motion& motion() const { return m_motion; }

    std::uint64_t placesStamp(const ClusterState& state) const override;
    qreal roomScale(const Sight& sight) const override;
    QPointF layout(const Sight& sight, bool isAnimated) override;
    bool isPlacedBySelection() const override { return m_layoutMotion.target().clientsHidden > 0; }
    QRectF area() const override { return m_layoutMotion.target().groupsArea; }
    QRectF rectOf(const ClusterState& state, ObjectRef object) const override
    {
        return rectIn(state, m_layout, object);
    }
    QRectF targetOf(const ClusterState& state, ObjectRef object) const override
    {
        return rectIn(state, m_layoutMotion.target(), object);
    }
    bool isInArea(ObjectRef object) const override { return m_layoutMotion.target().isInGroups(object); }
    bool isLegible() const override { return m_layoutMotion.target().detail == CardDetail::Full; }
    // The rank whose cell is at the point. If the cell stands for several ranks, the first one in use.
    std::uint32_t partAt(const Sight& sight, ObjectRef object, QPointF point) const override;
    Mark markOf(const ClusterState& state, ObjectRef object) const override;

    void take(const Pacer& pacer, double seconds) override { m_motion.take(pacer, seconds); }
    void forget() override;
    void setReduced(bool on) override;
    bool isSliding(double time) const override { return m_layoutMotion.isMoving(time); }
    bool isMoving(double clock) const override { return m_motion.isMoving(clock); }
    QString footNote(const Pacer& pacer) const override { return m_motion.footNote(pacer); }

    bool isAging(const ClusterState& state) const override;
    bool drawResting(const Sight& sight, DisplayList& out) override;
    bool hasFlow() const override { return m_motion.bands() > 0; }
    QString drawFlow(const Sight& sight, DisplayList& out) override;
    void drawMoving(const Sight& sight, double clock, DisplayList& out) override;

    QString sentenceOf(const ClusterState& state, ObjectRef object) const override;
    QStringList detailsOf(const ClusterState& state, ObjectRef object) const override;
    HoverCard hoverCard(
        const ClusterState& state, const Theme& theme, ObjectRef object, std::string_view term) const override;
    // The bucket with this number, the bucket at this group and column ("1.0"), the process with this name, or the
    // bucket that holds this key ("key 4711", or a number that is not the number of a bucket).
    Found find(const ClusterState& state, const QString& words) const override;
    // The nearest object in that direction; distance to the side counts double.
    ObjectRef next(const ClusterState& state, ObjectRef from, int dx, int dy) const override;

private:
    LayoutOptions optionsOf(const Sight& sight) const;
    PictureInput inputOf(const Sight& sight);
    QRectF rectIn(const ClusterState& state, const ClusterLayout& layout, ObjectRef object) const;
    void drawRecordGroup(const Sight& sight, const PictureInput& input, DisplayList& out) const;
    void drawOperation(const Sight& sight, DisplayList& out) const;

    Motion m_motion;
    CellReader m_cells;
    LayoutMotion m_layoutMotion;
    ClusterLayout m_layout; // of the resting picture: it always matches what is drawn
    CellPlan m_plan;
    Arrangement m_arrangement = Arrangement::Groups;
    bool m_areColumns = false, m_isReduced = false;
};

} // namespace lhrs::gui
