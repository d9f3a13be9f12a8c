// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/series/clock_alignment.h"
#include "gui/lab/series/space_time.h"
#include "gui/show/object_ref.h"
#include "gui/view/paint/display_list.h"

#include <QPointF>
#include <QRectF>
#include <QString>

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace lhrs::gui {

// What a person wants to see of the space-time diagram.
struct SpaceTimeWish {
    enum class Order { Logical, Time, Aligned }; // by causes; as the clocks say; by clocks corrected where they must be wrong
    enum class Filter { Everything, WithoutSignsOfLife, Operations };
    Order order = Order::Logical;
    Filter filter = Filter::WithoutSignsOfLife;
    double from = 0, to = 1;        // shown: Lamport numbers, or ns of the run's clock
    std::set<QString> collapsed;    // groups of lanes, by id
    QString search;                 // part of a message's kind or of an event's sentence
    std::pair<std::uint64_t, std::uint64_t> operation { 0, 0 }; // followed; client 0: none
    ObjectRef selected;
};

// Where everything of the diagram is, in pixels; asked by tests without a window. Processes are lines, time goes to the
// right, messages are arrows. A group of lanes that is collapsed is one line, which all its arrows still meet.
struct SpaceTimeLayout {
    struct Lane {
        QString name, group;
        ObjectRef object;
        ProcessId process = 0;  // 0: a group, as its head or in place of its lanes
        bool isHead = false;    // the line of a group; a collapsed one carries arrows
        bool isCollapsed = false, isSelected = false, hasEnded = false;
        std::size_t members = 0;
        qreal y = 0, height = 0;
    };
    struct Arrow {
        QPointF from, to;
        std::size_t message = 0;      // of the model; of a bundle the first
        std::size_t count = 1;        // messages that it stands for
        std::size_t fromLane = 0, toLane = 0;
        SpaceTimeMessage::Fate fate = SpaceTimeMessage::Fate::Arrived;
        bool isResent = false, isBackwards = false, isInside = false; // inside: both ends in one collapsed group
        bool isFaint = false;         // another operation is followed, or the search does not find it
    };
    struct Tick {
        QPointF at;
        std::size_t event = 0;
        bool isStructure = false, isFaint = false;
    };
    struct Shade { // a time in which a fault acted at a process, or its gate was closed
        QRectF box;
        QString words;
        bool isGate = false;
    };
    struct ClockBar { // how well a process' clock is known, as a length of time
        QRectF box;
        std::int64_t errorNs = 0, correctionNs = 0;
        bool isWrong = false; // its clock must be off
    };
    QRectF plot;
    std::vector<Lane> lanes;
    std::vector<Arrow> arrows;
    std::vector<Tick> ticks;
    std::vector<Shade> shades;
    std::vector<ClockBar> clocks;
    std::size_t messages = 0;    // in the shown interval that pass the filter: the sum of all arrows' counts
    std::size_t hidden = 0;      // in the interval, not passing
    std::size_t bundled = 0;     // messages in bundles
    std::size_t found = 0;       // that the search finds
    std::size_t silentLanes = 0; // processes without anything in the model: left out
    std::size_t backwards = 0;   // effects drawn before their causes, in the whole model
    std::size_t corrected = 0;   // processes whose clock must be off
    double from = 0, to = 1;

    double valueAt(qreal x) const;
    qreal xOf(double value) const;
    const Arrow* arrowAt(QPointF point) const;
    const Tick* tickAt(QPointF point) const;
    const Lane* laneAt(qreal y) const;
};

inline constexpr std::size_t kArrowsMax = 2'000; // above it they are bundled

// Whether a message passes the filter.
bool passes(const SpaceTimeMessage& message, SpaceTimeWish::Filter filter);
SpaceTimeLayout layoutSpaceTime(const SpaceTime& model, const ClusterState& state, const SpaceTimeWish& wish, const Theme& theme, QSizeF size);
void drawSpaceTime(const SpaceTimeLayout& layout, const SpaceTime& model, const SpaceTimeWish& wish, DisplayList& out);

} // namespace lhrs::gui
