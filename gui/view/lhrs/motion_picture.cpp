// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/motion.h"

#include "gui/lab/words/process/process_words.h"
#include "gui/view/lhrs/words/object_words.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace lhrs::gui {

void Motion::draw(const PictureInput& in, double clock, DisplayList& out) const
{
    out.setObject({});
    if (in.layers.messages)
        drawRecords(in, clock, out);
    const qreal u = in.theme.px(1);
    std::vector<QRectF> taken;
    // The text of a card stays legible under the label for an event there.
    for (const Pulse& pulse : m_pulses)
        if (const ClusterLayout::Item* item = pulse.text.isEmpty() ? nullptr : in.layout.find(pulse.object))
            for (const QRectF& words : wordsOfCard(in, *item))
                taken.push_back(words);
    for (const Invitation& invitation : m_invitations) {
        const double t = eased(invitation.start, invitation.end, clock);
        const auto pool = std::find_if(
            in.layout.pools.begin(), in.layout.pools.end(), [&](const auto& p) { return p.role == invitation.pool; });
        if (pool == in.layout.pools.end())
            continue;
        QColor colour = in.theme.caution;
        if (const ClusterLayout::Item* from = in.layout.findProcess(invitation.from)) {
            const QPointF a = from->rect.center(), b(pool->frame.center().x(), pool->frame.top());
            out.add(DisplayList::Line { { a, a + (b - a) * std::min(1.0, t * 1.6) }, colour, 2 * u, true, 9 * u });
        }
        const qreal grow = (1 - t) * 14 * u;
        colour.setAlphaF(float(0.3 + 0.7 * t));
        out.add(DisplayList::Box { pool->frame.adjusted(-grow, -grow, grow, grow), Outline::Rounded, 6 * u + grow, {},
            colour, 3 * u, false, false });
        // Several invitations of one pool share one label.
        const bool isLast = std::none_of(&invitation + 1, m_invitations.data() + m_invitations.size(),
            [&](const Invitation& later) { return later.pool == invitation.pool; });
        if (isLast)
            drawLabel(in.theme, in.layout.viewport, QPointF(pool->frame.center().x(), pool->frame.top() - 10 * u),
                QStringLiteral("invitation: %1 wanted").arg(invitation.count), in.theme.caution, taken, out);
    }
    // Events get their labels first; labels of messages use the room that is left.
    DisplayList pulses(in.theme);
    drawPulses(in, clock, taken, pulses);
    drawBundle(in, pulses);
    if (in.layers.messages)
        drawMessages(in, clock, taken, out);
    out.append(pulses);
}

namespace {

// The end of a ribbon: a card; for tiles their group; for objects out of sight the edge, so that ribbons join there.
struct RibbonEnd {
    ObjectRef key;
    QPointF at;
    bool isInSight = true;
};

RibbonEnd ribbonEnd(const ClusterLayout& layout, const ClusterLayout::Item& item, std::uint32_t m)
{
    const QRectF area = layout.groupsArea;
    if (!layout.isInGroups(item.object))
        return { item.object, item.rect.center() };
    if (!area.contains(item.rect.center())) {
        const QPointF edge = layout.anchor(item.rect);
        const auto step = [](qreal value, qreal from, qreal length) {
            return std::uint64_t(std::clamp((value - from) / std::max(1.0, length) * 4, 0.0, 4.0));
        };
        const std::uint64_t x = step(edge.x(), area.left(), area.width()),
                            y = step(edge.y(), area.top(), area.height());
        return { { ObjectKind::None, x, y },
            area.topLeft() + QPointF(area.width() * qreal(x) / 4, area.height() * qreal(y) / 4), false };
    }
    if (layout.detail < CardDetail::Tile || layout.arrangement == Arrangement::Hosts)
        return { item.object, item.rect.center() };
    const std::uint64_t number = item.object.kind == ObjectKind::Parity ? item.object.a : item.object.a / m;
    const auto group = std::lower_bound(layout.groups.begin(), layout.groups.end(), number,
        [](const ClusterLayout::Group& g, std::uint64_t n) { return g.number < n; });
    return { { ObjectKind::Group, number, 0 },
        group == layout.groups.end() ? item.rect.center() : group->frame.center() };
}

} // namespace

Motion::Ribbons Motion::drawRibbons(const PictureInput& in, DisplayList& out) const
{
    std::map<std::tuple<ObjectRef, ObjectRef, MessageClass>, Ribbon> joined;
    for (const auto& [key, band] : m_messages.bands()) {
        const auto& [from, to, messageClass] = key;
        if (!in.layers.messages || (!in.layers.changes && isOfChange(messageClass)))
            continue;
        const ClusterLayout::Item *a = in.layout.findProcess(from), *b = in.layout.findProcess(to);
        const auto isGone = [&in](ProcessId id) {
            const auto process = in.state.processes.find(id);
            return process != in.state.processes.end() && process->second.hasEnded;
        };
        if (!a || !b || isGone(from) || isGone(to))
            continue;
        const RibbonEnd start = ribbonEnd(in.layout, *a, in.state.m()), end = ribbonEnd(in.layout, *b, in.state.m());
        if (start.key == end.key || (!start.isInSight && !end.isInSight))
            continue; // inside one group, or out of sight
        Ribbon& ribbon = joined[{ start.key, end.key, messageClass }];
        ribbon.from = start.at;
        ribbon.to = end.at;
        ribbon.messageClass = messageClass;
        ribbon.perSecond += band.perSecond;
    }
    std::vector<Ribbon> ribbons;
    for (const auto& [key, ribbon] : joined)
        ribbons.push_back(ribbon);
    const Ribbons told = keepBusiest(ribbons);
    out.setObject({});
    out.setClip(QRectF(QPointF(0, 0), in.layout.viewport));
    for (const Ribbon& ribbon : ribbons) {
        std::vector<QPointF> points;
        for (int i = 0; i <= 10; ++i)
            points.push_back(onBow(ribbon.from, ribbon.to, i / 10.0));
        out.add(ribbonLine(in.theme, ribbon, std::move(points)));
    }
    out.setClip({});
    return told;
}

void Motion::drawRecords(const PictureInput& in, double clock, DisplayList& out) const
{
    const auto placeOf = [&](ObjectRef bucket, std::uint32_t rank) -> std::optional<QRectF> {
        const ClusterLayout::Item* item = in.layout.find(bucket);
        if (!item && bucket.kind == ObjectKind::Data)
            item = in.layout.find({ ObjectKind::Dummy, bucket.a, 0 });
        if (!item)
            return std::nullopt;
        const CellGeometry cells = cellGeometry(in.theme, item->rect, in.plan);
        if (cells.isValid() && rank >= 1 && rank <= in.plan.ranks)
            return cells.cellOf(rank);
        return QRectF(item->rect.center() - QPointF(4, 4), QSizeF(8, 8));
    };
    for (const Record& record : m_records) {
        if (clock < record.start)
            continue;
        const auto from = placeOf(record.from, record.fromRank), to = placeOf(record.to, record.toRank);
        if (!from || !to)
            continue;
        const double t = eased(record.start, record.end, clock);
        const QPointF centre = onBow(from->center(), to->center(), t);
        const qreal side = std::clamp(std::max(from->width(), to->width()), 6.0, 14.0)
            * (1 + 0.5 * std::sin(t * 3.14159));
        out.add(DisplayList::Box { QRectF(centre.x() - side / 2, centre.y() - side / 2, side, side), Outline::Rectangle,
            0, in.theme.incoming, in.theme.text, 1, false, false });
    }
}

void Motion::drawMessages(const PictureInput& in, double clock, std::vector<QRectF>& taken, DisplayList& out) const
{
    const auto way = [&in](const MessageMotion::Flight& flight, const auto& shares, MessageMotion::Points& points) {
        const ClusterLayout::Item *a = in.layout.findProcess(flight.from), *b = in.layout.findProcess(flight.to);
        if (!a || !b || a == b)
            return false;
        const QPointF from = in.layout.anchor(a->rect), to = in.layout.anchor(b->rect);
        for (std::size_t i = 0; i < shares.size(); ++i)
            points[i] = onBow(from, to, shares[i]);
        return true;
    };
    m_messages.draw(in.theme, in.layout.viewport, clock, in.layers.changes, way, taken, out);
}

// Many similar operations are shown together: how many their client has begun in this step, beside it.
void Motion::drawBundle(const PictureInput& in, DisplayList& out) const
{
    const ClusterLayout::Item* client = m_bundle ? in.layout.findProcess(m_bundle->client) : nullptr;
    if (client == nullptr)
        return;
    QStringList parts;
    std::size_t all = 0;
    for (const auto& [kind, count] : m_bundle->operations) {
        all += count;
        const QString word = QString::fromStdString(operationWord(kind));
        parts << QStringLiteral("%1 %2").arg(grouped(count),
            count == 1                               ? word
                : word.endsWith(QLatin1String("ch")) ? word + QStringLiteral("es")
                                                     : word + QLatin1Char('s'));
    }
    if (all == 0)
        return; // a repetition: nothing is counted twice
    // Replaces the client's last line, which counts its operations, so that nothing else is covered.
    const qreal u = in.theme.px(1), strong = in.theme.lineHeight(kStrong), line = in.theme.lineHeight(kSmall);
    const qreal top = in.layout.clients.center().y() - (strong + 2 * line) / 2 + strong + line;
    const ClusterLayout::Item* next = nullptr;
    for (const ClusterLayout::Item& item : in.layout.items)
        if (item.object.kind == ObjectKind::Client && item.rect.left() > client->rect.right()
            && (!next || item.rect.left() < next->rect.left()))
            next = &item;
    const qreal left = client->rect.right() + 7 * u;
    const qreal right = std::min(
        next ? next->rect.left() - 4 * u : in.layout.clients.right(), client->rect.left() + 240 * u);
    const QString counts = parts.join(QStringLiteral(", "));
    QString words;
    const auto widthOf = [&] { return in.theme.width(kSmallBold, words) + 10 * u; };
    for (const QString& shorter : { counts + QStringLiteral(" so far"), counts, grouped(all) }) {
        words = shorter;
        if ((m_bundle->isOfWholeStep || words == counts) && widthOf() <= right - left)
            break;
    }
    const QRectF box(left, top, std::min(widthOf(), right - left), line);
    out.add(DisplayList::Box {
        QRectF(left, top, right - left, line), Outline::Rectangle, 0, in.theme.canvas, {}, 1, false, false });
    out.add(DisplayList::Box { box, Outline::Rounded, 4 * u, in.theme.text, {}, 1, false, false });
    out.text(box.adjusted(5 * u, 0, -5 * u, 0), words, kSmallBold, inkOn(in.theme.text), Qt::AlignCenter);
}

// `now`: of the card beside which it would be said.
bool Motion::holds(Holds words, Condition now)
{
    using enum Condition;
    const auto is = [now](std::initializer_list<Condition> all) {
        return std::find(all.begin(), all.end(), now) != all.end();
    };
    const bool isDown = is({ Gone, Failed, Lost });
    switch (words) {
    case Holds::Always: return true;
    case Holds::WhileHere: return !isDown;
    case Holds::WhileDown: return isDown || is({ Silent, Paused, Suspect });
    case Holds::WhenBack: return !isDown && !is({ Starting, Rebuilding });
    }
    return true;
}

QString Motion::wordsWithin(const Theme& theme, qreal width, const Pulse& pulse)
{
    const QStringList all = QStringList { pulse.text, pulse.text.section(QLatin1Char(','), 0, 0) } + pulse.shorter;
    const auto fits = [&](const QString& words) { return theme.metrics(kSmallBold).horizontalAdvance(words) <= width; };
    const auto found = std::find_if(all.begin(), all.end(), fits);
    return found == all.end() ? all.back() : *found;
}

void Motion::drawPulses(const PictureInput& in, double clock, std::vector<QRectF>& taken, DisplayList& out) const
{
    const qreal u = in.theme.px(1);
    // Only the newest words of each place are read; in a fast picture the older ones make room.
    std::map<ObjectRef, const Pulse*> newest;
    for (const Pulse& pulse : m_pulses)
        if (!pulse.text.isEmpty())
            newest[pulse.object] = &pulse;
    for (auto entry = m_pulses.rbegin(); entry != m_pulses.rend(); ++entry) {
        const Pulse& pulse = *entry;
        const ClusterLayout::Item* item = in.layout.find(pulse.object);
        if (!item || clock >= pulse.end)
            continue;
        // A bucket that is scrolled out of sight must not put words over other objects.
        const bool isInGroups = pulse.object.kind == ObjectKind::Data || pulse.object.kind == ObjectKind::Parity;
        if (isInGroups && !in.layout.groupsArea.intersects(item->rect))
            continue;
        // Words hold while the card shows what they say: events of two processes may be shown in another order.
        if (isInGroups && !pulse.text.isEmpty()
            && !holds(pulse.holds, lookOf(in.state, pulse.object, in.silent).condition))
            continue;
        // An item that is wholly in sight may have its words below its card, where the spares begin.
        const bool isCut = isInGroups && !in.layout.groupsArea.adjusted(-1, -1, 1, 1).contains(item->rect);
        out.setClip(isCut ? in.layout.groupsArea.adjusted(-10 * u, -10 * u, 10 * u, 10 * u) : QRectF());
        const double t = eased(pulse.start, std::min(pulse.end, pulse.start + 0.8), clock);
        QRectF target = item->rect;
        Outline outline = pulse.object.kind == ObjectKind::Client ? Outline::Circle : Outline::Rectangle;
        if (pulse.rank > 0) {
            const CellGeometry cells = cellGeometry(in.theme, item->rect, in.plan);
            // With sharp corners, as a cell has: in a busy cluster there are dozens of rings in each frame, and Qt
            // smooths round corners.
            if (cells.isValid() && pulse.rank <= in.plan.ranks)
                target = cells.cellOf(pulse.rank);
        }
        QColor colour = pulse.colour;
        colour.setAlphaF(float(1 - t));
        const qreal grow = t * 9 * u;
        if (t < 1)
            out.add(DisplayList::Box {
                target.adjusted(-grow, -grow, grow, grow), outline, 3 * u, {}, colour, 2.5 * u, false, false });
        if (!pulse.text.isEmpty() && newest[pulse.object] == &pulse) {
            const bool isOnTop = pulse.object.kind == ObjectKind::Client;
            // No wider than the card, because events beside it have their own words. (Above the chip that shows a
            // member's role in a recovery, if there is room.)
            const QString words = isOnTop ? pulse.text : wordsWithin(in.theme, item->rect.width(), pulse);
            drawLabel(in.theme, in.layout.viewport,
                isOnTop ? QPointF(item->rect.center().x() + 60 * u, item->rect.bottom() + 8 * u)
                        : QPointF(item->rect.center().x(),
                            item->rect.bottom() - (item->rect.height() > 110 * u ? 36 : 12) * u),
                words, pulse.colour, taken, out);
        }
    }
    out.setClip({});
}

} // namespace lhrs::gui
