// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/series/process/clock_alignment.h"
#include "gui/lab/series/process/space_time.h"
#include "gui/show/words/object_ref.h"
#include "gui/view/paint/display_list.h"

#include <QPointF>
#include <QRectF>
#include <QString>

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace lhrs::gui {

// What a person has chosen to see in the space-time diagram.
struct SpaceTimeWish {
    enum class Order { Logical, Time, Aligned }; // by causes; by clocks; by clocks corrected where they must be wrong
    enum class Filter { Everything, WithoutSignsOfLife, Operations };
    Order order = Order::Logical;
    Filter filter = Filter::WithoutSignsOfLife;
    double from = 0, to = 1; // shown: Lamport numbers, or ns of the run's clock
    std::set<QString> collapsed; // groups of lanes, by id
    QString search; // part of a message's kind or of an event's sentence
    std::pair<std::uint64_t, std::uint64_t> operation { 0, 0 }; // the operation that is followed; client 0: none
    ObjectRef selected;
};

// The place of everything in the diagram, in pixels; a test needs no window. Processes are lines, time goes to the
// right, messages are arrows. A collapsed group of lanes is one line, at which all its arrows still end.
struct SpaceTimeLayout {
    struct Lane {
        QString name, group;
        ObjectRef object;
        ProcessId process = 0; // 0: a group, as its head or instead of its lanes
        bool isHead = false; // the line of a group; a collapsed one carries arrows
        bool isCollapsed = false, isSelected = false, hasEnded = false;
        std::size_t members = 0;
        qreal y = 0, height = 0;
    };
    struct Arrow {
        QPointF from, to;
        std::size_t message = 0; // index in the model; of a bundle, the first message
        std::size_t count = 1; // number of messages that the arrow stands for
        std::size_t fromLane = 0, toLane = 0;
        SpaceTimeMessage::Fate fate = SpaceTimeMessage::Fate::Arrived;
        bool isResent = false, isBackwards = false, isInside = false; // inside: both ends in one collapsed group
        bool isFaint = false; // another operation is followed, or the search does not match it
    };
    struct Tick {
        QPointF at;
        std::size_t event = 0;
        bool isStructure = false, isFaint = false;
    };
    struct Shade { // a period in which a fault acted on a process, or its gate was closed
        QRectF box;
        QString words;
        bool isGate = false;
    };
    struct ClockBar { // the uncertainty of a process's clock, as a length of time
        QRectF box;
        std::int64_t errorNs = 0, correctionNs = 0;
        bool isWrong = false; // the clock must be off
    };
    QRectF plot;
    std::vector<Lane> lanes;
    std::vector<Arrow> arrows;
    std::vector<Tick> ticks;
    std::vector<Shade> shades;
    std::vector<ClockBar> clocks;
    std::size_t messages = 0; // in the shown interval and passing the filter: the sum of the counts of all arrows
    std::size_t hidden = 0; // in the interval, but not passing the filter
    std::size_t bundled = 0; // messages in bundles
    std::size_t found = 0; // messages that match the search
    std::size_t silentLanes = 0; // processes that do not occur in the model: left out
    std::size_t backwards = 0; // effects drawn before their causes, in the whole model
    std::size_t corrected = 0; // processes whose clock must be off
    double from = 0, to = 1;

    double valueAt(qreal x) const;
    qreal xOf(double value) const;
    const Arrow* arrowAt(QPointF point) const;
    const Tick* tickAt(QPointF point) const;
    const Lane* laneAt(qreal y) const;
};

inline constexpr std::size_t kArrowsMax = 2'000; // above this number they are bundled

// Whether a message passes the filter.
bool passes(const SpaceTimeMessage& message, SpaceTimeWish::Filter filter);
SpaceTimeLayout layoutSpaceTime(
    const SpaceTime& model, const ClusterState& state, const SpaceTimeWish& wish, const Theme& theme, QSizeF size);
void drawSpaceTime(const SpaceTimeLayout& layout, const SpaceTime& model, const SpaceTimeWish& wish, DisplayList& out);

} // namespace lhrs::gui
