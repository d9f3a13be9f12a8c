// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/timeline/space_time_layout.h"

#include "common/kinds.h"
#include "gui/lab/state/process/fault_sentences.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/lab/words/sentences.h"
#include "gui/show/show_systems.h"
#include "gui/view/systems/view_systems.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace lhrs::gui {

namespace {

constexpr TextStyle kLaneText { TextSize::Body, false, false };
constexpr qreal kBundleWide = 14; // pixels: the width of a bundle's column
constexpr qreal kStub = 26; // pixels: the length of an arrow with an unknown end
constexpr qreal kNear = 4;

using Clocks = std::map<ProcessId, ProcessClock>;

double valueOf(const SpaceTimeEvent& event, SpaceTimeWish::Order order, const Clocks& clocks)
{
    if (order == SpaceTimeWish::Order::Logical)
        return double(event.logical);
    const auto known = order == SpaceTimeWish::Order::Aligned ? clocks.find(event.run.process) : clocks.end();
    return double(event.run.runNs + (known != clocks.end() ? known->second.correctionNs : 0));
}

using Group = SystemWords::LaneGroup;

struct Member {
    ObjectRef object;
    ProcessId process = 0;
    QString name;
};

// The lane of each process.
using LaneOf = std::map<ProcessId, std::size_t>;

LaneOf layLanes(SpaceTimeLayout& out, const SpaceTime& model, const ClusterState& state, const SpaceTimeWish& wish,
    const Theme& theme, QSizeF size)
{
    std::set<ProcessId> speaking;
    for (const SpaceTimeMessage& message : model.messages) {
        if (!passes(message, wish.filter))
            continue;
        speaking.insert(message.from);
        speaking.insert(message.to);
    }
    for (const SpaceTimeEvent& event : model.events)
        if (!event.run.event->has_message_sent() && !event.run.event->has_message_received())
            speaking.insert(event.run.process);
    speaking.erase(0);
    std::map<Group, std::vector<Member>> groups;
    for (const auto& [id, process] : state.processes)
        if (!speaking.contains(id))
            ++out.silentLanes;
    for (const ProcessId id : speaking) {
        const SystemWords& words = wordsOf(state);
        const ObjectRef object = words.objectOf(state, id);
        const QString name = object ? words.nameOf(state, object) : QString::fromStdString(processShown(id, state));
        groups[words.laneGroupOf(state, object)].push_back({ object, id, name });
    }
    std::size_t rows = 0;
    for (auto& [group, members] : groups) {
        std::sort(members.begin(), members.end(), [](const Member& x, const Member& y) {
            return std::tie(x.object.kind, x.object.a, x.object.b, x.process)
                < std::tie(y.object.kind, y.object.a, y.object.b, y.process);
        });
        rows += wish.collapsed.contains(group.id) ? 1 : members.size() + (members.size() > 1 ? 1 : 0);
    }
    const qreal top = theme.px(6), bottom = theme.lineHeight(kLaneText) + theme.px(8);
    const qreal high = std::clamp((size.height() - top - bottom) / qreal(std::max<std::size_t>(1, rows)),
        theme.lineHeight(kLaneText) * 0.95, theme.px(44));
    qreal wide = theme.px(80);
    for (const auto& [group, members] : groups)
        for (const Member& member : members)
            wide = std::max(wide, theme.width(kLaneText, member.name) + theme.px(26));
    wide = std::min(wide, size.width() / 3);
    LaneOf laneOf;
    qreal y = top;
    const auto add = [&](SpaceTimeLayout::Lane lane) {
        lane.height = high;
        lane.y = y + high / 2;
        y += high;
        out.lanes.push_back(std::move(lane));
        return out.lanes.size() - 1;
    };
    for (const auto& [group, members] : groups) {
        const bool isCollapsed = wish.collapsed.contains(group.id);
        if (isCollapsed || members.size() > 1) {
            SpaceTimeLayout::Lane head;
            head.name = group.name;
            head.group = group.id;
            head.isHead = true;
            head.isCollapsed = isCollapsed;
            head.members = members.size();
            const std::size_t number = add(head);
            if (isCollapsed)
                for (const Member& member : members)
                    laneOf[member.process] = number;
        }
        if (isCollapsed)
            continue;
        for (const Member& member : members) {
            SpaceTimeLayout::Lane lane;
            lane.name = member.name;
            lane.group = group.id;
            lane.object = member.object;
            lane.process = member.process;
            lane.isSelected = wish.selected && wish.selected == member.object;
            const auto known = state.processes.find(member.process);
            lane.hasEnded = known != state.processes.end() && known->second.hasEnded;
            laneOf[member.process] = add(lane);
        }
    }
    out.plot = QRectF(wide, top, std::max(1.0, size.width() - wide - theme.px(14)), std::max(high, y - top));
    return laneOf;
}

// Too many arrows to tell apart: arrows of one kind between the same lanes at about the same time become one.
void bundle(SpaceTimeLayout& out, const SpaceTime& model)
{
    // The columns become wider until there are few enough arrows: a column keeps one arrow per kind, pair of lanes and
    // fate.
    for (qreal wide = kBundleWide; out.arrows.size() > kArrowsMax && wide < 4 * out.plot.width(); wide *= 2) {
        std::map<std::tuple<std::size_t, std::size_t, int, int, bool>, std::size_t> bundles;
        std::vector<SpaceTimeLayout::Arrow> arrows;
        for (const SpaceTimeLayout::Arrow& arrow : out.arrows) {
            const auto kind = messageClassOf(model.messages[arrow.message].kind);
            const auto [at, isNew] = bundles.try_emplace(
                { arrow.fromLane, arrow.toLane, kind ? int(*kind) : -1, int(arrow.from.x() / wide),
                    arrow.fate == SpaceTimeMessage::Fate::Arrived },
                arrows.size());
            if (isNew) {
                arrows.push_back(arrow);
                continue;
            }
            SpaceTimeLayout::Arrow& first = arrows[at->second];
            first.count += arrow.count;
            first.isFaint = first.isFaint && arrow.isFaint;
        }
        out.arrows = std::move(arrows);
    }
    for (const SpaceTimeLayout::Arrow& arrow : out.arrows)
        out.bundled += arrow.count > 1 ? arrow.count : 0;
}

// The periods from where a fault began at a process to where it ended there, and the same for its gate.
void shadeTimes(SpaceTimeLayout& out, const SpaceTime& model, const ClusterState& state, const SpaceTimeWish& wish,
    const LaneOf& laneOf, const Clocks& clocks)
{
    const auto shade = [&](ProcessId process, double from, double to, const QString& words, bool isGate) {
        const auto lane = laneOf.find(process);
        if (lane == laneOf.end() || to < out.from || from > out.to)
            return;
        const SpaceTimeLayout::Lane& line = out.lanes[lane->second];
        const qreal left = out.xOf(std::max(from, out.from)), right = out.xOf(std::min(to, out.to));
        out.shades.push_back(
            { QRectF(left, line.y - line.height / 2, std::max<qreal>(3, right - left), line.height), words, isGate });
    };
    const auto words = [](const pb::Fault& fault) { return QString::fromStdString(faultWords(fault)); };
    // A kill that waited for a step has acted when its process ended; no event reports the end of the fault.
    const auto endOf = [&](ProcessId process, double from) {
        const auto known = state.processes.find(process);
        if (known == state.processes.end() || !known->second.hasEnded)
            return out.to;
        double last = from;
        for (const SpaceTimeEvent& event : model.events)
            if (event.run.process == process)
                last = std::max(last, valueOf(event, wish.order, clocks));
        return last;
    };
    std::map<std::pair<ProcessId, std::uint64_t>, std::pair<double, const pb::Fault*>> acting;
    std::map<ProcessId, double> gated;
    const QString kGated = QStringLiteral("gated");
    for (const SpaceTimeEvent& event : model.events) {
        const pb::Event& body = *event.run.event;
        const double at = valueOf(event, wish.order, clocks);
        if (body.has_gate_closed()) {
            gated.try_emplace(event.run.process, at);
        } else if (body.has_gate_opened()) {
            const auto closed = gated.find(event.run.process);
            shade(event.run.process, closed != gated.end() ? closed->second : out.from, at, kGated, true);
            if (closed != gated.end())
                gated.erase(closed);
        } else if (body.has_fault_begun()) {
            if (isInstant(body.fault_begun().fault()))
                shade(event.run.process, at, at, words(body.fault_begun().fault()), false);
            else
                acting[{ event.run.process, body.fault_begun().fault().number() }] = { at,
                    &body.fault_begun().fault() };
        } else if (body.has_fault_ended()) {
            const auto known = acting.find({ event.run.process, body.fault_ended().fault().number() });
            shade(event.run.process, known != acting.end() ? known->second.first : out.from, at,
                words(body.fault_ended().fault()), false);
            if (known != acting.end())
                acting.erase(known);
        }
    }
    for (const auto& [at, fault] : acting)
        shade(at.first, fault.first, endOf(at.first, fault.first), words(*fault.second), false);
    for (const auto& [process, from] : gated)
        shade(process, from, endOf(process, from), kGated, true);
}

// A bar at the right edge of a lane, whose length is the uncertainty of the process's clock.
void measureClocks(SpaceTimeLayout& out, const Clocks& clocks, const LaneOf& laneOf, const Theme& theme)
{
    for (const auto& [process, clock] : clocks) {
        out.corrected += clock.correctionNs != 0 ? 1 : 0;
        const auto lane = laneOf.find(process);
        if (lane == laneOf.end() || !clock.errorNs || out.lanes[lane->second].process == 0)
            continue;
        const SpaceTimeLayout::Lane& line = out.lanes[lane->second];
        const qreal wide = std::clamp(
                        out.xOf(out.from + 2 * double(*clock.errorNs)) - out.plot.left(), 2.0, out.plot.width()),
                    high = std::min(line.height * 0.35, theme.px(7));
        out.clocks.push_back({ QRectF(out.plot.right() - wide, line.y - high / 2, wide, high), *clock.errorNs,
            clock.correctionNs, clock.correctionNs != 0 });
    }
}

qreal distanceTo(QPointF a, QPointF b, QPointF point)
{
    const QPointF d = b - a;
    const qreal length = QPointF::dotProduct(d, d);
    const qreal t = length > 0 ? std::clamp(QPointF::dotProduct(point - a, d) / length, 0.0, 1.0) : 0.0;
    return QLineF(point, a + t * d).length();
}

} // namespace

bool passes(const SpaceTimeMessage& message, SpaceTimeWish::Filter filter)
{
    switch (filter) {
    case SpaceTimeWish::Filter::Everything: return true;
    case SpaceTimeWish::Filter::WithoutSignsOfLife: return messageClassOf(message.kind).has_value();
    case SpaceTimeWish::Filter::Operations: return message.operation.first != 0;
    }
    return true;
}

double SpaceTimeLayout::valueAt(qreal x) const { return from + (x - plot.left()) / plot.width() * (to - from); }

qreal SpaceTimeLayout::xOf(double value) const { return plot.left() + (value - from) / (to - from) * plot.width(); }

const SpaceTimeLayout::Arrow* SpaceTimeLayout::arrowAt(QPointF point) const
{
    const Arrow* best = nullptr;
    qreal least = kNear;
    for (const Arrow& arrow : arrows)
        if (const qreal distance = distanceTo(arrow.from, arrow.to, point);
            distance < least || (distance == least && best != nullptr && best->isFaint)) {
            best = &arrow;
            least = distance;
        }
    return best;
}

const SpaceTimeLayout::Tick* SpaceTimeLayout::tickAt(QPointF point) const
{
    for (const Tick& tick : ticks)
        if (std::abs(tick.at.x() - point.x()) <= kNear && std::abs(tick.at.y() - point.y()) <= 2 * kNear)
            return &tick;
    return nullptr;
}

const SpaceTimeLayout::Lane* SpaceTimeLayout::laneAt(qreal y) const
{
    for (const Lane& lane : lanes)
        if (y >= lane.y - lane.height / 2 && y < lane.y + lane.height / 2)
            return &lane;
    return nullptr;
}

namespace {

// Gives the messages and events of a diagram their places on the lanes.
struct Placing {
    SpaceTimeLayout& out;
    const SpaceTime& model;
    const SpaceTimeWish& wish;
    const Theme& theme;
    const LaneOf& laneOf;
    const Clocks& clocks;

    double at(std::size_t event) const { return valueOf(model.events[event], wish.order, clocks); }
    QPointF pointOf(std::size_t event, std::size_t lane) const { return { out.xOf(at(event)), out.lanes[lane].y }; }
    bool isAligned() const { return wish.order == SpaceTimeWish::Order::Aligned; }
    // The operation that is followed, or no operation is. `isFound`: the search has found it, if there is one.
    bool isFaint(std::pair<std::uint64_t, std::uint64_t> operation, bool isFound) const
    {
        return (wish.operation.first != 0 && operation != wish.operation) || (!wish.search.isEmpty() && !isFound);
    }
    bool isFound(const std::string& words) const
    {
        return !wish.search.isEmpty() && QString::fromStdString(words).contains(wish.search, Qt::CaseInsensitive);
    }

    void countBackwards() const
    {
        out.backwards = !isAligned()
            ? model.backwards
            : std::size_t(std::count_if(model.events.begin(), model.events.end(), [this](const SpaceTimeEvent& event) {
                  return event.cause != kNoEvent && valueOf(event, wish.order, clocks) < at(event.cause);
              }));
    }

    void placeEnds(SpaceTimeLayout::Arrow& arrow, const SpaceTimeMessage& message) const
    {
        const qreal stub = theme.px(kStub);
        if (message.sent != kNoEvent) {
            arrow.from = pointOf(message.sent, arrow.fromLane);
            // A message that did not arrive ends on its way.
            arrow.to = message.received != kNoEvent
                ? pointOf(message.received, arrow.toLane)
                : QPointF(arrow.from.x() + stub, arrow.from.y() + (out.lanes[arrow.toLane].y - arrow.from.y()) * 0.6);
        } else {
            arrow.to = pointOf(message.received, arrow.toLane);
            arrow.from = QPointF(
                arrow.to.x() - stub, arrow.to.y() + (out.lanes[arrow.fromLane].y - arrow.to.y()) * 0.6);
        }
        // Inside a collapsed group it is a hop on the group's line: still visible and counted.
        arrow.isInside = arrow.fromLane == arrow.toLane;
        if (arrow.isInside && arrow.to.x() - arrow.from.x() < 2)
            arrow.to.rx() = arrow.from.x() + 2;
    }

    void placeMessage(std::size_t number) const
    {
        const SpaceTimeMessage& message = model.messages[number];
        const double begin = at(message.sent != kNoEvent ? message.sent : message.received),
                     end = at(message.received != kNoEvent ? message.received : message.sent);
        if (std::max(begin, end) < out.from || std::min(begin, end) > out.to)
            return;
        const auto from = laneOf.find(message.from), to = laneOf.find(message.to);
        if (!passes(message, wish.filter) || (from == laneOf.end() && to == laneOf.end())) {
            ++out.hidden;
            return;
        }
        SpaceTimeLayout::Arrow arrow;
        arrow.message = number;
        arrow.fate = message.fate;
        arrow.isResent = message.tries > 0;
        arrow.isBackwards = !isAligned()
            ? message.isBackwards
            : message.sent != kNoEvent && message.received != kNoEvent && at(message.received) < at(message.sent);
        arrow.fromLane = (from != laneOf.end() ? from : to)->second;
        arrow.toLane = (to != laneOf.end() ? to : from)->second;
        placeEnds(arrow, message);
        const bool found = isFound(message.kind);
        out.found += found ? 1 : 0;
        arrow.isFaint = isFaint(message.operation, found);
        ++out.messages;
        out.arrows.push_back(arrow);
    }

    void placeEvent(std::size_t number, const ClusterState& state) const
    {
        const RunEvent& run = model.events[number].run;
        const pb::Event& event = *run.event;
        if (event.has_message_sent() || event.has_message_received() || event.has_gauges())
            return;
        const double value = at(number);
        const auto lane = laneOf.find(run.process);
        if (value < out.from || value > out.to || lane == laneOf.end()
            || (wish.filter == SpaceTimeWish::Filter::Operations && event.operation().client() == 0))
            return;
        SpaceTimeLayout::Tick tick { pointOf(number, lane->second), number, changesStructure(event), false };
        const bool found = !wish.search.isEmpty() && isFound(sentence(run, state));
        out.found += found ? 1 : 0;
        tick.isFaint = isFaint({ event.operation().client(), event.operation().number() }, found);
        out.ticks.push_back(tick);
    }
};

} // namespace

SpaceTimeLayout layoutSpaceTime(
    const SpaceTime& model, const ClusterState& state, const SpaceTimeWish& wish, const Theme& theme, QSizeF size)
{
    SpaceTimeLayout out;
    out.from = wish.from;
    out.to = std::max(wish.to, wish.from + 1e-9);
    const LaneOf laneOf = layLanes(out, model, state, wish, theme, size);
    const Clocks clocks = wish.order == SpaceTimeWish::Order::Logical ? Clocks() : alignClocks(model);
    const Placing placing { out, model, wish, theme, laneOf, clocks };
    placing.countBackwards();
    for (std::size_t i = 0; i < model.messages.size(); ++i)
        placing.placeMessage(i);
    for (std::size_t i = 0; i < model.events.size(); ++i)
        placing.placeEvent(i, state);
    if (out.arrows.size() > kArrowsMax)
        bundle(out, model);
    shadeTimes(out, model, state, wish, laneOf, clocks);
    measureClocks(out, clocks, laneOf, theme);
    return out;
}

} // namespace lhrs::gui
