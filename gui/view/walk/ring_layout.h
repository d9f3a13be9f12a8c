// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/show/words/object_ref.h"
#include "gui/view/paint/theme.h"

#include <QPointF>
#include <QRectF>

#include <cstdint>
#include <map>
#include <vector>

namespace lhrs::gui {

struct CircleOptions {
    QSizeF viewport;
    qreal zoom = 1; // of the area with the circle; 1: all of it is in sight
    QPointF pan {}; // of that area, in pixels; kept within bounds by the layout
    bool showOutside = true, showLegend = true;
    std::uint64_t client = 0; // the chosen client, shown even where not all clients have room; 0: none
};

// The place of everything in the picture of a ring, in pixels of the view. Ids go round a circle clockwise, 0 at the
// top. Clients and the master are at the left edge, and the processes that wait outside at the right one. Pure
// geometry: a test needs no window.
struct RingLayout {
    struct Item {
        ObjectRef object;
        std::uint64_t process = 0;
        QPointF centre;
        QRectF rect; // of the disc or chip
        QRectF label; // of a node on the circle; null: no room for it
        bool isOnRing = false; // in the ring, or about to be
        bool isLeft = false; // the label is left of the node
        qreal angle = 0; // of a node on the circle
    };

    QSizeF viewport;
    QRectF area; // clips the circle when it is zoomed
    QRectF clients, outside, foot;
    QPointF centre, pan;
    qreal radius = 0, band = 0; // of the circle; and the thickness of its line
    unsigned bits = 0;
    int labelLines = 2; // 1: only the names, in small letters
    std::size_t clientsHidden = 0, outsideHidden = 0;
    std::vector<Item> items; // clients, master, nodes by id, those outside: in reading order

    const Item* find(ObjectRef object) const;
    const Item* findProcess(std::uint64_t process) const;
    // Clockwise from the top, 0 to 2 pi.
    qreal angleOf(std::uint64_t id) const;
    QPointF at(qreal angle, qreal distance) const;
    // Points from one angle clockwise to another, close enough for a smooth line; once round if they are equal.
    std::vector<QPointF> arc(qreal from, qreal to, qreal distance) const;
    void index();

private:
    std::map<ObjectRef, std::size_t> m_byObject;
    std::map<std::uint64_t, std::size_t> m_byProcess;
};

// The clockwise angle from one to the other: from 0 (exclusive) to 2 pi (inclusive).
qreal clockwiseAngle(qreal from, qreal to);

RingLayout layoutRing(const ClusterState& state, const Theme& theme, const CircleOptions& options);
// The factor by which everything is drawn larger than the theme says, to use the room of a large view while all labels
// have room; never below 1.
qreal ringRoomScale(const ClusterState& state, const Theme& theme, const CircleOptions& options);
// In two states with the same stamp, everything has the same place.
std::uint64_t ringPlacesStamp(const ClusterState& state);

// The positions nearest to the wanted ones (ascending) that are at least `apart` from each other and within bounds, as
// far as there is room.
std::vector<qreal> pushedApart(std::vector<qreal> wanted, qreal apart, qreal least, qreal most);

// The nodes on the circle (in the ring, or joining) by id; and the other nodes by name.
std::vector<std::uint64_t> ringNodes(const ClusterState& state);
std::vector<std::uint64_t> nodesOutside(const ClusterState& state);
// Where a node is on the circle.
std::uint64_t placeOnRing(const ClusterState& state, std::uint64_t process);

} // namespace lhrs::gui
