// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/pacer.h"
#include "gui/view/paint/display_list.h"

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace lhrs::gui {

// Messages on their way, as dots between processes, whatever the system is. All times are those of the pacer's clock.
// Up to kDots messages of operations are drawn one by one. Above that, and while the picture is live, sampled messages
// stand for many, and ribbons show the rates of the links. Structural changes, retransmissions and losses are never
// thinned out.
class MessageMotion {
public:
    static constexpr std::size_t kDots = 150;
    static constexpr std::size_t kUnthinned = 600; // for messages that are never thinned out: a bound on memory
    static constexpr std::size_t kRibbons = 48; // the busiest links
    static constexpr std::size_t kChains = 10; // operations that are followed in a live picture

    using OperationKey = std::pair<std::uint64_t, std::uint64_t>;
    struct Flight {
        MessageClass messageClass = MessageClass::Control;
        ProcessId from = 0, to = 0;
        double start = 0, end = 0;
        bool isResend = false, isLost = false;
        QString label {};
        bool isThinned = false; // one of many messages of its kind: it may be left out
        int lane = 0; // among messages on the same path at the same time, which fly side by side
    };
    struct Band {
        double perSecond = 0;
        std::uint32_t count = 0; // since the last frame
    };
    using BandKey = std::tuple<ProcessId, ProcessId, MessageClass>;

    void setReduced(bool on) { m_isReduced = on; }

    // How the view of a system wants a sent message to be drawn.
    struct Look {
        bool isDrawn = true; // false: something else in the picture represents it
        std::optional<MessageClass> messageClass {}; // replaces the class of its kind
        QString label {}; // replaces its operation or its kind
    };
    using LookOf = std::function<Look(const ShownEvent&, const pb::MessageSent&, MessageClass)>;
    // One frame: begin(), then plan() with what is scheduled, or in a live picture with what is shown, take() with what
    // is shown, then finish().
    void begin(const ClusterState& state);
    void plan(const pb::Event& body);
    void take(const ShownEvent& event, const Pacer& pacer, const LookOf& lookOf = {});
    void finish(double clock, double seconds);

    bool isMoving() const { return !m_flights.empty() || !m_bands.empty(); }
    const std::vector<Flight>& flights() const { return m_flights; }
    const std::map<BandKey, Band>& bands() const { return m_bands; }
    // How much detail is drawn, in words; empty when nothing moves.
    QString footNote(const Pacer& pacer) const;

    // Sets the points of a flight's path at these shares of it, from 0 to 1. False: the flight has no path in this
    // picture.
    using Points = std::array<QPointF, 3>;
    using Way = std::function<bool(const Flight& flight, const std::array<double, 3>& shares, Points& points)>;
    // `taken`: rectangles of labels that are drawn already. `hasChanges`: messages of changes are drawn too.
    void draw(const Theme& theme, QSizeF viewport, double clock, bool hasChanges, const Way& way,
        std::vector<QRectF>& taken, DisplayList& out) const;

private:
    // An operation that is followed in a live picture: when each process is ready for its next message.
    struct Chain {
        std::unordered_map<ProcessId, double> ready;
        double last = 0;
        bool isDone = false;
    };

    void start(const ShownEvent& event, const pb::MessageSent& sent, const Pacer& pacer, const LookOf& lookOf);
    void giveUp(const ShownEvent& event, const pb::MessageGivenUp& message, double clock);
    int laneOf(const Flight& flight) const;
    ProcessId receiverOf(const pb::MessageSent& sent) const;

    bool m_isReduced = false;
    std::vector<Flight> m_flights;
    std::map<BandKey, Band> m_bands;
    std::map<OperationKey, Chain> m_chains;
    std::map<OperationKey, QString> m_labels; // of operations whose messages are drawn one by one
    std::unordered_map<std::string, ProcessId> m_byAddress;
    std::size_t m_addresses = 0; // of all that are known, a fingerprint
    std::map<std::pair<ProcessId, std::uint64_t>, std::int64_t> m_sent; // run time of messages that have not arrived
    std::deque<std::int64_t> m_transits; // run time that messages needed, newest last
    double m_messagesSeen = 0, m_messagesDrawn = 0; // recently, of those that may be thinned out
    std::size_t m_thinned = 0; // messages under way that may be thinned out
    std::size_t m_notDrawn = 0; // in this frame, of the messages that may not be thinned out
};

// The rate of a link, as a line whose width shows it.
struct Ribbon {
    QPointF from, to;
    MessageClass messageClass = MessageClass::Control;
    double perSecond = 0;
    ProcessId fromProcess = 0, toProcess = 0; // if it represents a single link
};
struct RibbonsDrawn {
    std::size_t drawn = 0, links = 0;
    double most = 0; // messages per second of the widest ribbon
};
// Keeps the busiest ones, which come first.
RibbonsDrawn keepBusiest(std::vector<Ribbon>& ribbons);
DisplayList::Line ribbonLine(const Theme& theme, const Ribbon& ribbon, std::vector<QPointF> points);
// What the widths mean; empty: no ribbon is drawn.
QString ribbonNote(const RibbonsDrawn& ribbons);

// Messages with which servers tell each other of a change, and acknowledgements: a layer of their own.
inline bool isOfChange(MessageClass c) { return c == MessageClass::Change || c == MessageClass::Ack; }
// From 0 at `start` to 1 at `end`, slow at both ends.
double eased(double start, double end, double clock);
// A point on a curve to the left of the direct line, so that a message and its answer do not cover each other.
QPointF onBow(QPointF from, QPointF to, double t);
// Draws a label with a background, inside the view and without covering those in `taken`: below or above them, as near
// as there is room. False: there is no room near by.
bool drawLabel(const Theme& theme, QSizeF viewport, QPointF at, const QString& words, QColor fill,
    std::vector<QRectF>& taken, DisplayList& out);

} // namespace lhrs::gui
