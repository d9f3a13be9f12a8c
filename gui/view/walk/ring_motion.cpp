// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/walk/ring_motion.h"

#include "gui/lab/words/process/process_words.h"
#include "gui/show/words/quantity_words.h"
#include "gui/view/walk/ring_words.h"

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr std::size_t kPulses = 60;
constexpr double kWayStays = 16; // hops that the path of a query stays visible while no other query is shown

} // namespace

void RingMotion::clear() { *this = RingMotion(); }

void RingMotion::setReduced(bool on)
{
    m_isReduced = on;
    m_messages.setReduced(on);
}

bool RingMotion::isMoving(double clock) const
{
    const auto isThere = [clock](const auto& thing) { return thing.end > clock; };
    return m_messages.isMoving() || !m_keys.empty() || std::any_of(m_pulses.begin(), m_pulses.end(), isThere);
}

const RingMotion::Query* RingMotion::query(QueryKey key) const
{
    const auto found = m_queries.find(key);
    return found == m_queries.end() ? nullptr : &found->second;
}

void RingMotion::take(const Pacer& pacer, double seconds)
{
    const double clock = pacer.clock();
    m_messages.begin(pacer.state());
    for (const ShownEvent& event : pacer.scheduled())
        plan(event, clock);
    for (const ShownEvent& event : pacer.shown()) {
        if (event.run.isGap())
            continue;
        if (pacer.isLive())
            plan(event, clock);
        m_messages.take(event, pacer, [this](const ShownEvent& sender, const pb::MessageSent& sent, MessageClass) {
            return follow(sender, sent);
        });
        if (!m_isReduced)
            pulse(event, clock);
    }
    const auto isOver = [clock](const auto& thing) { return thing.end <= clock; };
    std::erase_if(m_keys, isOver);
    std::erase_if(m_pulses, isOver);
    m_messages.finish(clock, seconds);
    forgetOld();
}

void RingMotion::forgetOld()
{
    while (m_queries.size() > kQueries) {
        const auto done = std::find_if(
            m_queries.begin(), m_queries.end(), [](const auto& q) { return q.second.isDone; });
        m_queries.erase(done != m_queries.end() ? done : m_queries.begin());
    }
}

// Plans what moves until an event is shown later: the keys that another node will then answer for.
void RingMotion::plan(const ShownEvent& event, double clock)
{
    if (event.run.isGap())
        return;
    const pb::Event& body = *event.run.event;
    m_messages.plan(body);
    if (body.has_operation_started()) {
        const pb::OperationStarted& started = body.operation_started();
        Query& query = m_queries[{ body.operation().client(), body.operation().number() }];
        query.words
            = QStringLiteral("%1 key %2").arg(QString::fromStdString(operationWord(started.kind()))).arg(started.key());
        query.client = event.run.process;
    }
    if (m_isReduced || !body.walk().has_range_taken())
        return;
    const pb::RangeTaken& taken = body.walk().range_taken();
    const std::size_t count = std::min<std::size_t>(taken.keys(), kKeys);
    const double start = std::max(clock, event.at - 2 * event.hop), length = std::max(0.8, event.at - start);
    for (std::size_t i = 0; i < count; ++i) {
        Keys keys { taken.giver(), event.run.process, 0, 0, (double(i % 5) - 2) / 2 };
        keys.start = start + length * 0.5 * double(i) / double(count);
        keys.end = keys.start + length * 0.5;
        m_keys.push_back(keys);
    }
}

// A query was sent or passed on: its path becomes longer.
MessageMotion::Look RingMotion::follow(const ShownEvent& event, const pb::MessageSent& sent)
{
    MessageMotion::Look look;
    const pb::RequestId& id = event.run.event->operation();
    const bool isQuery = sent.kind() == "query";
    look.isDrawn = sent.kind() != "keys" || sent.tries() > 0; // the squares of the keys represent it
    const auto known = m_queries.find({ id.client(), id.number() });
    if (known == m_queries.end() || (!isQuery && sent.kind() != "answer"))
        return look;
    Query& query = known->second;
    if (isQuery) {
        if (event.run.process == query.client) { // the first copy, or a further copy on another path
            for (auto& [number, other] : m_queries)
                if (event.hop >= 0.5 && other.isDone)
                    other.until = std::min(other.until, event.at);
            query.way.clear();
            query.steps = 0;
        } else {
            ++query.steps;
        }
        if (sent.to() != 0)
            query.way.push_back(sent.to());
        query.isShown = event.hop >= 0.5;
    }
    query.until = event.at + event.hop + kWayStays;
    const QString steps = countedWords(query.steps, "step", "steps");
    look.label = !isQuery  ? QStringLiteral("answer after %1").arg(steps)
        : query.steps == 0 ? query.words
                           : QStringLiteral("%1 · %2").arg(query.words, steps);
    return look;
}

void RingMotion::pulse(const ShownEvent& event, double clock)
{
    const pb::Event& body = *event.run.event;
    Pulse pulse;
    pulse.start = clock;
    pulse.end = clock + 0.8;
    const auto atKey = [&](std::uint64_t id, QRgb colour) {
        pulse.id = id;
        pulse.colour = QColor::fromRgb(colour);
    };
    const auto say = [&](std::uint64_t node, QRgb colour, const QString& text) {
        pulse.node = node;
        pulse.colour = QColor::fromRgb(colour);
        pulse.text = text;
        pulse.end = clock + 3;
    };
    const pb::WalkEvent& walk = body.walk();
    const auto keys = [](std::uint32_t count) { return countedWords(count, "key", "keys"); };
    if (body.has_operation_done()) {
        if (const auto query = m_queries.find({ body.operation().client(), body.operation().number() });
            query != m_queries.end())
            query->second.isDone = true;
        if (event.hop < 0.5)
            return;
        say(event.run.process, okabe::kGreen,
            QStringLiteral("%1 after %2")
                .arg(QString::fromStdString(resultWord(body.operation_done().result())),
                    countedWords(body.operation_done().forwards(), "step", "steps")));
    } else if (walk.has_key_stored()) {
        atKey(walk.key_stored().id(), walk.key_stored().is_new() ? okabe::kGreen : okabe::kOrange);
    } else if (walk.has_key_read()) {
        atKey(walk.key_read().id(), okabe::kSkyBlue);
    } else if (walk.has_key_removed()) {
        atKey(walk.key_removed().id(), okabe::kVermillion);
    } else if (walk.has_node_joined()) {
        say(walk.node_joined().node().node(), okabe::kGreen,
            QStringLiteral("in the ring: %1").arg(keys(walk.node_joined().keys())));
    } else if (walk.has_node_left()) {
        say(walk.node_left().node().node(), okabe::kGreen,
            QStringLiteral("out of the ring: %1 given").arg(keys(walk.node_left().keys())));
    } else if (walk.has_keys_given()) {
        say(event.run.process, okabe::kYellow,
            QStringLiteral("no longer answers for %1").arg(keys(walk.keys_given().keys())));
    } else if (walk.has_range_taken()) {
        say(event.run.process, okabe::kGreen,
            QStringLiteral("answers for %1 from now on").arg(keys(walk.range_taken().keys())));
    } else if (walk.has_ring_node_lost()) {
        say(walk.ring_node_lost().node().node(), okabe::kVermillion, QStringLiteral("silent: the ring is broken here"));
    } else if (walk.has_ring_node_back()) {
        say(walk.ring_node_back().node().node(), okabe::kGreen, QStringLiteral("heard again"));
    } else if (walk.has_query_adrift()) {
        say(event.run.process, okabe::kVermillion, QStringLiteral("a query is adrift: dropped"));
    } else {
        return;
    }
    if (m_pulses.size() >= kPulses && pulse.text.isEmpty())
        return;
    if (!pulse.text.isEmpty()) // only the newest words stand at a node
        std::erase_if(m_pulses, [&](const Pulse& older) { return !older.text.isEmpty() && older.node == pulse.node; });
    m_pulses.push_back(std::move(pulse));
}

// ---- pictures

bool RingMotion::wayOf(const RingLayout& layout, const MessageMotion::Flight& flight,
    const std::array<double, 3>& shares, MessageMotion::Points& points)
{
    const RingLayout::Item *a = layout.findProcess(flight.from), *b = layout.findProcess(flight.to);
    if (a == nullptr || b == nullptr || a == b)
        return false;
    // A query travels along the circle; everything else takes the shortest path.
    const bool isRound = a->isOnRing && b->isOnRing && flight.messageClass == MessageClass::Operation;
    const qreal whole = clockwiseAngle(a->angle, b->angle);
    for (std::size_t i = 0; i < shares.size(); ++i)
        points[i] = isRound ? layout.at(a->angle + whole * shares[i], layout.radius)
                            : onBow(a->centre, b->centre, shares[i]);
    return true;
}

void RingMotion::draw(const SystemView::Sight& sight, const RingLayout& layout, double clock, DisplayList& out) const
{
    out.setObject({});
    drawWays(sight, layout, clock, out);
    std::vector<QRectF> taken;
    for (const RingLayout::Item& item : layout.items)
        if (!item.label.isNull())
            taken.push_back(item.label);
    taken.emplace_back(layout.centre - QPointF(layout.radius, layout.radius) * 0.4,
        QSizeF(layout.radius, layout.radius) * 0.8); // the news
    DisplayList pulses(sight.theme);
    drawPulses(sight, layout, clock, taken, pulses);
    if (sight.layers.messages) {
        drawKeys(sight, layout, clock, out);
        const auto way = [&layout](const auto& flight, const auto& shares, auto& points) {
            return wayOf(layout, flight, shares, points);
        };
        m_messages.draw(sight.theme, layout.viewport, clock, sight.layers.changes, way, taken, out);
    }
    out.append(pulses);
}

// Draws the paths of the queries that are shown, and of the query that is under the mouse in some view or is followed.
void RingMotion::drawWays(
    const SystemView::Sight& sight, const RingLayout& layout, double clock, DisplayList& out) const
{
    const Query* followed = query(sight.selection.shownOperation());
    if (sight.layers.messages)
        for (const auto& [key, query] : m_queries)
            if (query.isShown && query.until > clock && &query != followed && !m_isReduced) {
                QColor colour = sight.theme.message(MessageClass::Operation).colour;
                colour.setAlpha(190);
                drawQuery(sight, layout, query, colour, 6, false, out);
            }
    if (followed == nullptr || followed->way.empty())
        return;
    drawQuery(sight, layout, *followed, sight.theme.focus, 3, true, out);
    const RingLayout::Item* client = layout.findProcess(followed->client);
    if (client == nullptr)
        return;
    std::vector<QRectF> taken;
    drawLabel(sight.theme, layout.viewport, client->centre + QPointF(0, client->rect.height()),
        QStringLiteral("%1 · %2").arg(followed->words, countedWords(followed->steps, "step", "steps")),
        sight.theme.card, taken, out);
}

void RingMotion::drawQuery(const SystemView::Sight& sight, const RingLayout& layout, const Query& query, QColor colour,
    qreal width, bool isDashed, DisplayList& out) const
{
    const qreal u = sight.theme.px(1), distance = layout.radius + layout.band / 2 + 3 * u;
    const RingLayout::Item* before = nullptr;
    for (const ProcessId node : query.way) {
        const RingLayout::Item* item = layout.findProcess(node);
        if (before != nullptr && item != nullptr && before->isOnRing && item->isOnRing)
            out.add(
                DisplayList::Line { layout.arc(before->angle, item->angle, distance), colour, width * u, isDashed, 0 });
        before = item;
    }
}

void RingMotion::drawKeys(
    const SystemView::Sight& sight, const RingLayout& layout, double clock, DisplayList& out) const
{
    const qreal side = 7 * sight.theme.px(1);
    for (const Keys& keys : m_keys) {
        const RingLayout::Item *from = layout.findProcess(keys.from), *to = layout.findProcess(keys.to);
        if (clock < keys.start || from == nullptr || to == nullptr)
            continue;
        const double t = eased(keys.start, keys.end, clock);
        // Bent inwards like the arrow of the change, and side by side.
        QPointF at = from->centre + (to->centre - from->centre) * t;
        at += (layout.centre - at) * ((0.35 + 0.05 * keys.aside) * std::sin(t * M_PI));
        out.add(DisplayList::Box { QRectF(at.x() - side / 2, at.y() - side / 2, side, side), Outline::Rectangle, 0,
            sight.theme.incoming, sight.theme.text, 1, false, false });
    }
}

void RingMotion::drawPulses(const SystemView::Sight& sight, const RingLayout& layout, double clock,
    std::vector<QRectF>& taken, DisplayList& out) const
{
    const qreal u = sight.theme.px(1);
    for (auto entry = m_pulses.rbegin(); entry != m_pulses.rend(); ++entry) {
        const Pulse& pulse = *entry;
        const RingLayout::Item* item = pulse.node != 0 ? layout.findProcess(pulse.node) : nullptr;
        if (clock >= pulse.end || (pulse.node != 0 && item == nullptr))
            continue;
        const QPointF at = item != nullptr
            ? item->centre
            : layout.at(layout.angleOf(pulse.id), layout.radius - layout.band / 2 - 8 * u);
        const double t = eased(pulse.start, std::min(pulse.end, pulse.start + 0.8), clock);
        if (t < 1) {
            QColor colour = pulse.colour;
            colour.setAlphaF(float(1 - t));
            const qreal radius = (item != nullptr ? item->rect.height() / 2 : 4 * u) + t * 10 * u;
            // Marks at keys have sharp corners: a busy ring has dozens of them in each frame, and Qt smooths round
            // corners.
            out.add(DisplayList::Box { QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius),
                item != nullptr ? Outline::Circle : Outline::Rectangle, 0, {}, colour, 2.5 * u, false, false });
        }
        if (pulse.text.isEmpty())
            continue;
        const qreal below = item->rect.height() / 2 + 12 * u;
        const QPointF place = item->isOnRing
            ? item->centre + (layout.centre - item->centre) * (below * 2 / std::max(1.0, layout.radius))
            : item->centre + QPointF(0, below);
        drawLabel(sight.theme, layout.viewport, place, pulse.text, pulse.colour, taken, out);
    }
}

QString RingMotion::drawFlow(const SystemView::Sight& sight, const RingLayout& layout, DisplayList& out) const
{
    std::vector<Ribbon> ribbons;
    for (const auto& [key, band] : m_messages.bands()) {
        const auto& [from, to, messageClass] = key;
        const RingLayout::Item *a = layout.findProcess(from), *b = layout.findProcess(to);
        if (sight.layers.messages && a != nullptr && b != nullptr && a != b)
            ribbons.push_back({ a->centre, b->centre, messageClass, band.perSecond, from, to });
    }
    const RibbonsDrawn told = keepBusiest(ribbons);
    out.setObject({});
    for (const Ribbon& ribbon : ribbons) {
        MessageMotion::Flight flight;
        flight.messageClass = ribbon.messageClass;
        flight.from = ribbon.fromProcess;
        flight.to = ribbon.toProcess;
        std::vector<QPointF> line;
        for (int i = 0; i <= 6; i += 3) { // nine points: each segment is painted by itself
            MessageMotion::Points points;
            if (wayOf(layout, flight, { i / 8.0, (i + 1) / 8.0, (i + 2) / 8.0 }, points))
                line.insert(line.end(), points.begin(), points.end());
        }
        out.add(ribbonLine(sight.theme, ribbon, std::move(line)));
    }
    return ribbonNote(told);
}

} // namespace lhrs::gui
