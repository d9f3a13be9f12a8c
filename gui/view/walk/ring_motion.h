// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/system/message_motion.h"
#include "gui/view/system/system_view.h"
#include "gui/view/walk/ring_layout.h"

#include <map>
#include <vector>

namespace lhrs::gui {

// What moves in the picture of a ring: queries that go from node to node along the circle, with their count of steps;
// answers; keys that move to another owner; short marks where something happened. All times are those of the pacer's
// clock.
class RingMotion {
public:
    static constexpr std::size_t kKeys = 60; // squares of one change
    static constexpr std::size_t kQueries = 400; // whose paths are remembered

    // The path of a query, as far as it was observed.
    struct Query {
        QString words; // "search key 17"
        ProcessId client = 0;
        std::vector<ProcessId> way; // the nodes that received it
        std::size_t steps = 0; // from node to node
        bool isShown = false, isDone = false;
        double until = 0; // its path is drawn until then
    };
    using QueryKey = MessageMotion::OperationKey;

    // To be called after each Pacer::advance().
    void take(const Pacer& pacer, double seconds);
    void clear();
    void setReduced(bool on);
    bool isMoving(double clock) const;
    bool hasFlow() const { return !m_messages.bands().empty(); }
    QString footNote(const Pacer& pacer) const { return m_messages.footNote(pacer); }
    void draw(const SystemView::Sight& sight, const RingLayout& layout, double clock, DisplayList& out) const;
    QString drawFlow(const SystemView::Sight& sight, const RingLayout& layout, DisplayList& out) const;

    const std::vector<MessageMotion::Flight>& flights() const { return m_messages.flights(); }
    // Null: it is not known any more.
    const Query* query(QueryKey key) const;
    std::size_t keysUnderWay() const { return m_keys.size(); }
    // Where a flight is at these shares of its path; false: it has no path in this picture.
    static bool wayOf(const RingLayout& layout, const MessageMotion::Flight& flight,
        const std::array<double, 3>& shares, MessageMotion::Points& points);

private:
    struct Keys {
        ProcessId from = 0, to = 0;
        double start = 0, end = 0;
        double aside = 0; // distance from the middle of the stream
    };
    struct Pulse {
        ProcessId node = 0; // at its disc; 0: at an id
        std::uint64_t id = 0;
        QColor colour;
        QString text {};
        double start = 0, end = 0;
    };

    void plan(const ShownEvent& event, double clock);
    void pulse(const ShownEvent& event, double clock);
    MessageMotion::Look follow(const ShownEvent& event, const pb::MessageSent& sent);
    void forgetOld();
    void drawWays(const SystemView::Sight& sight, const RingLayout& layout, double clock, DisplayList& out) const;
    void drawQuery(const SystemView::Sight& sight, const RingLayout& layout, const Query& query, QColor colour,
        qreal width, bool isDashed, DisplayList& out) const;
    void drawKeys(const SystemView::Sight& sight, const RingLayout& layout, double clock, DisplayList& out) const;
    void drawPulses(const SystemView::Sight& sight, const RingLayout& layout, double clock, std::vector<QRectF>& taken,
        DisplayList& out) const;

    bool m_isReduced = false;
    MessageMotion m_messages;
    std::map<QueryKey, Query> m_queries;
    std::vector<Keys> m_keys;
    std::vector<Pulse> m_pulses;
};

} // namespace lhrs::gui
