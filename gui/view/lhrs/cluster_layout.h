// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/show/words/object_ref.h"
#include "gui/view/paint/theme.h"
#include "gui/view/system/process_order.h"

#include <QRectF>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace lhrs::gui {

// How much of a bucket is drawn: everything; number, level and fill; a number on a colour; only a colour.
enum class CardDetail { Full, Compact, Tile, Heat };
// Up to kCardsMax data buckets in sight are drawn as cards, up to kTilesMax as tiles, more as a heat map. A rectangle
// that is too small for its detail shows less.
inline constexpr std::size_t kCardsMax = 64, kTilesMax = 1'024;

// Width of the "+3" that stands for clients without room, in pixels at 100 %.
inline constexpr qreal kMoreClients = 40;
// The largest size of a rank's cell, in pixels at 100 %.
inline constexpr qreal kCellMax = 44;

// The height that the groups get before anything else gets any, in pixels at 100 %.
inline constexpr qreal kGroupsLeast = 60;

// What stands side by side: the members of a group, or all processes of a host.
enum class Arrangement { Groups, Hosts };

struct LayoutOptions {
    QSizeF viewport;
    qreal zoom = 1; // of the area with the groups; 1: all of them fit
    QPointF pan; // of that area, in pixels; clamped by the layout
    bool showSpares = true;
    bool showLegend = true;
    Arrangement arrangement = Arrangement::Groups;
    bool areColumns = false; // a group is a column, not a row
    ProcessId client = 0; // the chosen client, shown even where not all clients have room; 0: none
};

// The place of everything in the cluster, in pixels of the view. Pure geometry: a test needs no window.
struct ClusterLayout {
    struct Item {
        ObjectRef object;
        ProcessId process = 0; // 0: none, e.g. a dummy
        QRectF rect;
        bool isMoving = false; // it is moving to another place: drawn above the others
        QRectF target {}; // the destination of an item that moves
    };
    struct Group {
        std::uint32_t number = 0;
        QRectF frame, header;
        QString host {}; // for Arrangement::Hosts, where there is no number
        std::size_t processes = 0;
        QString clock {}; // of a host: how exactly its clock is known, and how far off it is; empty: not read
        QString crowded {}; // of a host: with how many members of which group it has more than the parity can replace
    };
    struct Pool {
        pb::Role role = pb::NO_ROLE;
        QRectF frame, title;
        bool hasNames = true; // the chips have room for names, or at least for their numbers
        std::size_t spares = 0;
    };

    QSizeF viewport;
    QRectF clients; // area of the clients; empty: nothing known yet
    std::size_t clientsHidden = 0;
    QRectF file; // panel with the file state
    QRectF displaced; // strip of the processes whose places were given to others; null: none
    QRectF groupsArea; // clips the groups when they are zoomed
    QRectF foot;
    QPointF panMax; // pan lies between 0 and this
    QPointF pan;
    CardDetail detail = CardDetail::Full;
    std::size_t buckets = 0, bucketsInSight = 0; // data buckets
    QSizeF card;
    qreal pointerHeight = 0; // room under a card for the split pointer
    int columns = 1; // of groups
    Arrangement arrangement = Arrangement::Groups;
    std::vector<Group> groups;
    std::vector<Pool> pools;
    std::vector<Item> items; // clients, coordinator, buckets, dummies, spares; in drawing and reading order

    const Item* find(ObjectRef object) const;
    const Item* findProcess(ProcessId process) const;
    // Where a line to the object ends: its middle, moved to the edge of the groups' area if it is scrolled out of
    // sight.
    QPointF anchor(const QRectF& rect) const;
    bool isInGroups(ObjectRef object) const;
    void index();

private:
    struct Index {
        std::map<ObjectRef, std::size_t> byObject;
        std::unordered_map<ProcessId, std::size_t> byProcess;
    };
    std::shared_ptr<const Index> m_index; // shared by all copies, although their rectangles may differ
};

ClusterLayout layoutCluster(const ClusterState& state, const Theme& theme, const LayoutOptions& options);
// The factor by which everything is drawn larger than the theme says. Above 1, cards and their text use the room of a
// large view. Below 1, large text would leave no room for each bucket with its number; text never shrinks below 100 %.
qreal roomScale(const ClusterState& state, const Theme& theme, LayoutOptions options);
// In two states with the same stamp, everything has the same place.
std::uint64_t placesStamp(const ClusterState& state);

// The detail for which a card of that size has room.
CardDetail detailFor(QSizeF card, const Theme& theme);

} // namespace lhrs::gui
