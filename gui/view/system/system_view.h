// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/pacer.h"
#include "gui/view/paint/display_list.h"
#include "gui/view/system/layers.h"
#include "gui/view/system/selection.h"

#include <functional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace lhrs::gui {

// The lines of the hover card, and its size without margins.
struct HoverCard {
    std::vector<QString> lines; // the first one has its own style
    TextStyle first { TextSize::Strong, true };
    QSizeF size;
    // Sets the size to that of the lines.
    void measure(const Theme& theme);
    static constexpr qreal kBetween = 1; // pixels between two lines, at 100 %
    TextStyle styleOf(std::size_t line) const { return line == 0 ? first : kBody; }
};

// The picture of one kind of system on the canvas: where its things are, how they look at rest and on the move, and
// what is said about them. The canvas is the frame around it: it provides the frames, the cached layers, sight, mouse,
// keyboard and screen reader, and asks the view of the system whose cluster is shown. Each canvas has its own views.
class SystemView {
public:
    SystemView() = default;
    virtual ~SystemView() = default;
    SystemView(const SystemView&) = delete;
    SystemView& operator=(const SystemView&) = delete;

    // What a picture is drawn from.
    struct Sight {
        const ClusterState& state;
        const Theme& theme;
        const Selection& selection;
        const std::set<ProcessId>& silent; // processes that have been silent for a while
        QSizeF viewport;
        qreal zoom = 1; // of area(); 1: all of it is in sight
        QPointF pan {}; // of area(), in pixels
        Layers layers {};
        ProcessId client = 0; // that a caption speaks of: it has a place even where not all have room; 0: none
        double time = 0; // seconds of the canvas, which never run backwards
        std::int64_t nowNs = 0; // of the run
        QString footNote {}; // about what moves
        bool isRecorded = false; // what does not exist has not happened yet
        bool hasFocus = false;
    };

    // ---- places
    // In two states with the same stamp, everything has the same place.
    virtual std::uint64_t placesStamp(const ClusterState& state) const = 0;
    // The factor by which everything is drawn larger than the theme of `sight` says, to use the room of a large view.
    virtual qreal roomScale(const Sight& sight) const = 0;
    // Gives everything its place; things slide there if `isAnimated`. Returns the pan after clamping it to its bounds.
    virtual QPointF layout(const Sight& sight, bool isAnimated) = 0;
    // Whether some things get another place when another thing is selected.
    virtual bool isPlacedBySelection() const { return false; }
    // The part of the view that is zoomed and panned.
    virtual QRectF area() const = 0;
    // Where the thing is now, and where it slides to. Null: nowhere.
    virtual QRectF rectOf(const ClusterState& state, ObjectRef object) const = 0;
    virtual QRectF targetOf(const ClusterState& state, ObjectRef object) const = 0;
    virtual bool isInArea(ObjectRef object) const = 0;
    // The things of the area are large enough to show all their details.
    virtual bool isLegible() const = 0;
    // The number of the thing's part at the point, for example of a record; 0: none.
    virtual std::uint32_t partAt(const Sight& sight, ObjectRef object, QPointF point) const = 0;
    // The shape of a ring around a thing that a caption speaks of.
    struct Mark {
        QRectF rect;
        bool isRound = false;
    };
    virtual Mark markOf(const ClusterState& state, ObjectRef object) const = 0;

    // ---- motion
    // To be called after each Pacer::advance().
    virtual void take(const Pacer& pacer, double seconds) = 0;
    // Another instant or another cluster is shown: nothing slides or travels from where it was.
    virtual void forget() = 0;
    // Nothing travels and nothing pulses.
    virtual void setReduced(bool on) = 0;
    virtual bool isSliding(double time) const = 0;
    virtual bool isMoving(double clock) const = 0;
    // How much is left out or slowed down, in words.
    virtual QString footNote(const Pacer& pacer) const = 0;

    // ---- pictures
    // The picture at rest contains something that changes with time alone.
    virtual bool isAging(const ClusterState& state) const = 0;
    // Returns false if the picture must be drawn once more, because a part of it is older than the state.
    virtual bool drawResting(const Sight& sight, DisplayList& out) = 0;
    // How much flows where: a layer between what is at rest and what moves.
    virtual bool hasFlow() const = 0;
    // Returns what the widths mean, in words; empty: nothing is drawn.
    virtual QString drawFlow(const Sight& sight, DisplayList& out) = 0;
    virtual void drawMoving(const Sight& sight, double clock, DisplayList& out) = 0;

    // ---- words; names, and the list of all objects, are those of SystemWords
    // One sentence for a screen reader.
    virtual QString sentenceOf(const ClusterState& state, ObjectRef object) const = 0;
    virtual QStringList detailsOf(const ClusterState& state, ObjectRef object) const = 0;
    // `term`: of the glossary, which explains the part under the mouse; empty: none.
    virtual HoverCard hoverCard(
        const ClusterState& state, const Theme& theme, ObjectRef object, std::string_view term) const = 0;
    struct Found {
        ObjectRef object;
        std::uint32_t part = 0;
        QString words {}; // about the part
    };
    // What a person searches for; `words` are trimmed and in small letters. Nothing: no object has this name.
    virtual Found find(const ClusterState& state, const QString& words) const = 0;
    // The object in that direction, for the arrow keys; from nothing: the first one. Nothing: there is none.
    virtual ObjectRef next(const ClusterState& state, ObjectRef from, int dx, int dy) const = 0;

    // Called when an option of the view was changed: all things need new places.
    void setArranger(std::function<void()> arrange) { m_arrange = std::move(arrange); }

protected:
    void arrangeAnew() const
    {
        if (m_arrange)
            m_arrange();
    }

private:
    std::function<void()> m_arrange;
};

} // namespace lhrs::gui
