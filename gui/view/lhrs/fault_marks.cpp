// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/fault_marks.h"

#include "gui/lab/state/process/fault_sentences.h"
#include "gui/view/lhrs/words/object_words.h"

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr std::size_t kLinksMax = 12; // of one fault; more links are drawn as one

// The islands of one side: cards that are adjacent in one row form one island.
std::vector<QRectF> islandsOf(const ClusterLayout& layout, const std::set<ProcessId>& side)
{
    std::vector<QRectF> rects;
    for (const ClusterLayout::Item& item : layout.items)
        if (side.contains(item.process) && !item.isMoving)
            rects.push_back(item.rect);
    std::sort(rects.begin(), rects.end(),
        [](const QRectF& x, const QRectF& y) { return std::pair(x.top(), x.left()) < std::pair(y.top(), y.left()); });
    // Adjacent cards of a row are closer than a card's width and than 40 pixels: a wider gap may contain a card that is
    // not of this side.
    std::vector<QRectF> islands;
    for (const QRectF& rect : rects) {
        if (!islands.empty()) {
            QRectF& last = islands.back();
            const bool isBeside = std::abs(last.top() - rect.top()) < 1 && std::abs(last.height() - rect.height()) < 1
                && rect.left() - last.right() < std::min(rect.width(), 40.0);
            if (isBeside) {
                last = last.united(rect);
                continue;
            }
        }
        islands.push_back(rect);
    }
    return islands;
}

qreal moatWidth(const PictureInput& in, const QRectF& island)
{
    return std::clamp(island.height() * 0.07, 3.0, 7 * in.theme.px(1));
}

void tape(const PictureInput& in, const QRectF& rect, DisplayList& out)
{
    if (rect.width() <= 0 || rect.height() <= 0)
        return;
    DisplayList::Box box { rect, Outline::Rectangle, 0, in.theme.caution,
        in.theme.isDark() ? QColor(0, 0, 0) : in.theme.text, 1, false, true };
    box.isStronglyHatched = true;
    out.add(std::move(box));
}

// Draws a moat of hatched ground around an island: no message reaches the processes on it.
void drawMoat(const PictureInput& in, const QRectF& island, DisplayList& out)
{
    const qreal w = moatWidth(in, island), gap = 2;
    const QRectF inner = island.adjusted(-gap, -gap, gap, gap), outer = inner.adjusted(-w, -w, w, w);
    tape(in, QRectF(outer.left(), outer.top(), outer.width(), w), out);
    tape(in, QRectF(outer.left(), inner.bottom(), outer.width(), w), out);
    tape(in, QRectF(outer.left(), inner.top(), w, inner.height()), out);
    tape(in, QRectF(inner.right(), inner.top(), w, inner.height()), out);
}

// The line from the edge of one rectangle to the edge of the other.
std::pair<QPointF, QPointF> between(const QRectF& from, const QRectF& to)
{
    const auto edge = [](const QRectF& rect, QPointF towards) {
        const QPointF centre = rect.center(), way = towards - centre;
        const qreal scale = std::max(
            std::abs(way.x()) / std::max(1.0, rect.width() / 2), std::abs(way.y()) / std::max(1.0, rect.height() / 2));
        return scale <= 1 ? centre : centre + way / scale;
    };
    return { edge(from, to.center()), edge(to, from.center()) };
}

struct Link {
    QPointF from, to;
};

// The links between two sides; if there are many, one link that represents all.
std::vector<Link> linksOf(const ClusterLayout& layout, const std::set<ProcessId>& a, const std::set<ProcessId>& b)
{
    std::vector<QRectF> from, to;
    for (const ClusterLayout::Item& item : layout.items) {
        if (layout.isInGroups(item.object) && !layout.groupsArea.intersects(item.rect))
            continue; // scrolled out of sight
        if (a.contains(item.process))
            from.push_back(item.rect);
        else if (b.contains(item.process))
            to.push_back(item.rect);
    }
    if (from.empty() || to.empty())
        return {};
    if (from.size() * to.size() > kLinksMax) {
        const auto united = [](std::vector<QRectF>& rects) {
            QRectF all;
            for (const QRectF& rect : rects)
                all = all.united(rect);
            rects = { QRectF(all.center() - QPointF(10, 10), QSizeF(20, 20)) };
        };
        united(from);
        united(to);
    }
    std::vector<Link> links;
    for (const QRectF& x : from)
        for (const QRectF& y : to) {
            const auto [start, end] = between(x, y);
            links.push_back({ start, end });
        }
    return links;
}

// The rectangle of a wall across the middle of the link.
QRectF wallOf(const PictureInput& in, const Link& link)
{
    const qreal u = in.theme.px(1), thick = 9 * u, length = 44 * u;
    const QPointF middle = (link.from + link.to) / 2, way = link.to - link.from;
    const QSizeF size = std::abs(way.x()) > std::abs(way.y()) ? QSizeF(thick, length) : QSizeF(length, thick);
    return QRectF(middle - QPointF(size.width() / 2, size.height() / 2), size);
}

void drawWalls(const PictureInput& in, const PartitionShown& partition, DisplayList& out)
{
    const qreal u = in.theme.px(1);
    for (const Link& link : linksOf(in.layout, partition.a, partition.b)) {
        const bool isOneWay = partition.way != pb::BOTH_WAYS;
        const auto& [start, end] = partition.way == pb::INCOMING ? Link { link.to, link.from } : link;
        out.add(DisplayList::Line { { start, end }, in.theme.card, 5 * u, false, 0 });
        out.add(DisplayList::Line { { start, end }, in.theme.bad, 2.2 * u, true, isOneWay ? 9 * u : 0 });
        tape(in, wallOf(in, link), out);
    }
}

void drawLinkFault(const PictureInput& in, const LinkFaultShown& fault, DisplayList& out)
{
    if (fault.peers.empty())
        return; // a badge at the process shows it
    const qreal u = in.theme.px(1), side = 13 * u;
    const std::set<ProcessId> at { fault.at }, peers(fault.peers.begin(), fault.peers.end());
    const bool isIncoming = fault.what->network().way() == pb::INCOMING;
    for (const Link& link : linksOf(in.layout, at, peers)) {
        const auto& [start, end] = isIncoming ? Link { link.to, link.from } : link;
        out.add(DisplayList::Line { { start, end }, in.theme.card, 5 * u, false, 0 });
        out.add(DisplayList::Line { { start, end }, in.theme.caution, 2.5 * u, true, 9 * u });
        QStringList wordings;
        for (const std::string& words : faultBadge(*fault.what))
            wordings << QString::fromStdString(words);
        const QString words = wordings.value(0);
        const qreal width = in.theme.metrics(kSmallBold).horizontalAdvance(words) + side + 14 * u,
                    height = in.theme.lineHeight(kSmallBold) + 4 * u;
        QRectF chip(0, 0, width, height);
        chip.moveCenter((start + end) / 2);
        chip.moveLeft(std::clamp(chip.left(), 2.0, std::max(2.0, in.layout.viewport.width() - width - 2)));
        out.add(
            DisplayList::Box { chip, Outline::Rounded, 4 * u, in.theme.caution, in.theme.outline, 1, false, false });
        out.add(DisplayList::Mark { QRectF(chip.left() + 4 * u, chip.center().y() - side / 2, side, side),
            Glyph::Warning, inkOn(in.theme.caution), {} });
        out.text(chip.adjusted(side + 7 * u, 0, -4 * u, 0), wordings, kSmallBold, inkOn(in.theme.caution));
    }
}

// Clients, the coordinator and spares have no card for a text: draws a sign at their corner.
void drawSign(const PictureInput& in, const ClusterLayout::Item& item, DisplayList& out)
{
    const auto process = in.state.processes.find(item.process);
    if (process == in.state.processes.end() || process->second.faults.empty())
        return;
    const bool isCut = !process->second.cuts.empty();
    const bool isHere = isCut
        || std::any_of(process->second.faults.begin(), process->second.faults.end(),
            [](const auto& f) { return !f.second.what->has_partition(); });
    if (!isHere)
        return;
    const qreal u = in.theme.px(1), side = std::min(18 * u, item.rect.height());
    const QRectF sign(item.rect.right() - side * 0.7, item.rect.top() - side * 0.3, side, side);
    out.setObject(item.object);
    out.add(DisplayList::Box { sign, Outline::Circle, 0, in.theme.caution, in.theme.outline, 1.2, false, false });
    out.add(DisplayList::Mark { sign.adjusted(side * 0.24, side * 0.24, -side * 0.24, -side * 0.24),
        isCut ? Glyph::Cut : Glyph::Warning, inkOn(in.theme.caution), {} });
}

// Draws the number of messages that wait at the closed gate of a process.
void drawHeldCount(const PictureInput& in, const ClusterLayout::Item& item, DisplayList& out)
{
    const auto process = in.state.processes.find(item.process);
    if (item.process == 0 || process == in.state.processes.end() || !process->second.isGated
        || process->second.gauges.gate_held() == 0)
        return;
    const qreal u = in.theme.px(1), side = std::min(14 * u, item.rect.height());
    const QString words = QString::number(process->second.gauges.gate_held());
    const qreal width = in.theme.metrics(kSmallBold).horizontalAdvance(words) + side + 12 * u,
                height = std::max(side, in.theme.lineHeight(kSmallBold)) + 2 * u;
    // In the corner of a card, where the label below stays legible; across the edge of a small item, which is full of
    // words.
    const bool isRoomy = item.rect.height() > 3 * height;
    const QRectF chip(item.rect.right() - width + (isRoomy ? -4 : 6) * u,
        item.rect.bottom() - (isRoomy ? height + 4 * u : height * 0.6), width, height);
    const QColor ink = inkOn(in.theme.good);
    out.setObject(item.object);
    out.add(DisplayList::Box { chip, Outline::Rounded, 4 * u, in.theme.good, in.theme.outline, 1.2, false, false });
    out.add(DisplayList::Mark {
        QRectF(chip.left() + 4 * u, chip.center().y() - side / 2, side, side), Glyph::Gate, ink, {} });
    out.text(chip.adjusted(side + 6 * u, 0, -3 * u, 0), words, kSmallBold, ink);
}

} // namespace

void drawFaultMarks(const PictureInput& in, DisplayList& out)
{
    for (const PartitionShown& partition : partitionsOf(in.state)) {
        out.setObject({ ObjectKind::Fault, partition.number, 0 });
        if (!partition.restIsB) {
            drawWalls(in, partition, out);
            continue;
        }
        for (const QRectF& island : islandsOf(in.layout, partition.a)) {
            out.setClip(
                in.layout.groupsArea.intersects(island) ? in.layout.groupsArea.adjusted(-8, -8, 8, 8) : QRectF());
            drawMoat(in, island, out);
        }
        out.setClip({});
    }
    for (const LinkFaultShown& fault : linkFaultsOf(in.state)) {
        out.setObject({ ObjectKind::Fault, fault.number, 0 });
        drawLinkFault(in, fault, out);
    }
    for (const ClusterLayout::Item& item : in.layout.items)
        if (item.object.kind == ObjectKind::Client || item.object.kind == ObjectKind::Coordinator
            || item.object.kind == ObjectKind::Spare)
            drawSign(in, item, out);
    for (const ClusterLayout::Item& item : in.layout.items)
        drawHeldCount(in, item, out);
    out.setObject({});
}

QRectF faultRect(const ClusterState& state, const ClusterLayout& layout, std::uint64_t number)
{
    QRectF all;
    for (const PartitionShown& partition : partitionsOf(state))
        if (partition.number == number)
            for (const QRectF& island : islandsOf(layout, partition.a))
                all = all.united(island.adjusted(-9, -9, 9, 9));
    if (!all.isNull())
        return all;
    for (const auto& [id, process] : state.processes)
        if (process.faults.contains(number))
            if (const ClusterLayout::Item* item = layout.findProcess(id))
                all = all.united(item->rect);
    return all;
}

} // namespace lhrs::gui
