// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/walk/ring_drawing.h"

#include "gui/show/words/quantity_words.h"
#include "gui/view/system/process_order.h"
#include "gui/view/walk/ring_words.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr std::array kOwners { okabe::kSkyBlue, okabe::kOrange, okabe::kGreen, okabe::kPurple, okabe::kBlue };
constexpr std::size_t kBars = 180; // around the circle, of the density of keys
constexpr int kRows = 4; // of dots that lie close together

struct RingDrawing {
    const SystemView::Sight& sight;
    const RingLayout& layout;
    DisplayList& out;
    const ClusterState& state = sight.state;
    const Theme& theme = sight.theme;
    const qreal u = theme.px(1);
    const std::map<std::uint64_t, QColor> colours = ownerColours(state);

    bool isMarked(ObjectRef object) const
    {
        return sight.selection.selected() == object || sight.selection.hovered() == object;
    }
    QColor markColour(ObjectRef object) const
    {
        return sight.selection.selected() == object ? theme.selection : theme.outline;
    }
    NodeLook lookOf(std::uint64_t process) const { return nodeLookOf(state, process, &sight.silent); }
    static bool isCut(NodeLook look) { return look == NodeLook::Lost || look == NodeLook::Gone; }

    void draw();
    void drawOwner(const walk::RingNode& node);
    void drawKeys();
    void drawDots(const std::vector<std::pair<std::uint64_t, QColor>>& keys);
    void drawBars(const std::vector<std::pair<std::uint64_t, QColor>>& keys);
    void drawChange();
    void drawNode(const RingLayout::Item& item);
    void drawLabel(const RingLayout::Item& item, NodeLook look);
    void drawOutside();
    void drawChip(const RingLayout::Item& item);
    void drawClients();
    void drawClient(const RingLayout::Item& item);
    void drawMaster(const RingLayout::Item& item);
    void drawNews();
    void drawFoot();
    void drawFaults(const RingLayout::Item& item);
};

void RingDrawing::draw()
{
    out.setClip(layout.area);
    out.add(DisplayList::Line { layout.arc(0, 0, layout.radius), theme.grid, layout.band, false, 0 });
    if (layout.bits > 0) // where the ids begin
        out.add(DisplayList::Line {
            { layout.at(0, layout.radius - layout.band * 1.3), layout.at(0, layout.radius + layout.band * 1.3) },
            theme.outline, 2 * u, false, 0 });
    for (const walk::RingNode* node : state.ring.inRing())
        drawOwner(*node);
    drawKeys();
    drawChange();
    for (const RingLayout::Item& item : layout.items)
        if (item.isOnRing)
            drawNode(item);
    out.setObject({});
    drawNews();
    out.setClip({});
    drawClients();
    drawOutside();
    drawFoot();
}

// The arc of the ids that the node answers for. It is also the way from its predecessor to it.
void RingDrawing::drawOwner(const walk::RingNode& node)
{
    const ObjectRef object { ObjectKind::Node, node.process, 0 };
    out.setObject(object);
    const qreal from = layout.angleOf(node.from), to = layout.angleOf(node.id);
    std::vector<QPointF> points = layout.arc(from, to, layout.radius);
    const bool isGone = isCut(lookOf(node.process));
    out.add(DisplayList::Line { points, isMarked(object) ? markColour(object) : theme.outline,
        layout.band + (isMarked(object) ? 6 : 2) * u, false, 0 });
    if (isGone) {
        out.add(DisplayList::Line { points, theme.canvas, layout.band, false, 0 });
        out.add(DisplayList::Line { std::move(points), theme.bad, layout.band * 0.6, true, 0 });
    } else {
        out.add(DisplayList::Line { std::move(points), colours.at(node.process), layout.band, false, 0 });
    }
    // Queries pass clockwise; none passes into a node that is gone.
    const qreal whole = clockwiseAngle(from, to), middle = from + whole / 2, length = layout.radius * whole;
    if (isGone) {
        const QPointF at = layout.at(middle, layout.radius);
        const QRectF sign(at - QPointF(11, 11) * u, QSizeF(22, 22) * u);
        out.add(DisplayList::Box { sign, Outline::Circle, 0, theme.canvas, theme.bad, 2 * u, false, false });
        out.add(DisplayList::Mark { sign.adjusted(4 * u, 4 * u, -4 * u, -4 * u), Glyph::Cut, theme.bad, {} });
    } else if (length > 60 * u) {
        const qreal turn = 5 * u / layout.radius;
        out.add(
            DisplayList::Line { { layout.at(middle - turn, layout.radius), layout.at(middle + turn, layout.radius) },
                inkOn(colours.at(node.process)), 1.5 * u, false, 7 * u });
    }
}

void RingDrawing::drawKeys()
{
    if (!sight.layers.parts)
        return;
    out.setObject({});
    std::vector<std::pair<std::uint64_t, QColor>> keys;
    for (const walk::RingNode* node : state.ring.inRing()) {
        const QColor colour = isCut(lookOf(node->process)) ? theme.bad : colours.at(node->process);
        for (const std::uint64_t id : node->ids.all())
            keys.emplace_back(id, colour);
    }
    std::sort(keys.begin(), keys.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    if (keys.size() <= kRingDots)
        drawDots(keys);
    else
        drawBars(keys);
}

// Dots that would cover each other lie in rows, one inside the other.
void RingDrawing::drawDots(const std::vector<std::pair<std::uint64_t, QColor>>& keys)
{
    const qreal side = (keys.size() <= 300 ? 6 : 4) * u, pitch = side + 1.5 * u;
    std::array<qreal, kRows> free; // the angle from which each row has room
    free.fill(-1);
    for (const auto& [id, colour] : keys) {
        const qreal angle = layout.angleOf(id);
        int row = 0;
        while (row + 1 < kRows && free[std::size_t(row)] > angle)
            ++row;
        const qreal distance = layout.radius - layout.band / 2 - 4 * u - pitch * (row + 0.5);
        free[std::size_t(row)] = angle + pitch / distance;
        const QPointF at = layout.at(angle, distance);
        out.add(DisplayList::Box { QRectF(at.x() - side / 2, at.y() - side / 2, side, side), Outline::Circle, 0, colour,
            theme.outline, 0.8, false, false });
    }
}

void RingDrawing::drawBars(const std::vector<std::pair<std::uint64_t, QColor>>& keys)
{
    struct Bar {
        std::size_t count = 0;
        QColor colour;
    };
    std::array<Bar, kBars> bars;
    std::size_t most = 1;
    for (const auto& [id, colour] : keys) {
        Bar& bar = bars[std::min(kBars - 1, std::size_t(layout.angleOf(id) / (2 * M_PI) * kBars))];
        bar.colour = colour;
        most = std::max(most, ++bar.count);
    }
    const qreal turn = 2 * M_PI / kBars, base = layout.radius - layout.band / 2 - 4 * u,
                high = std::min(40 * u, layout.radius * 0.25);
    for (std::size_t i = 0; i < kBars; ++i)
        if (bars[i].count > 0)
            out.add(DisplayList::Line {
                { layout.at((qreal(i) + 0.5) * turn, base),
                    layout.at((qreal(i) + 0.5) * turn, base - high * qreal(bars[i].count) / qreal(most)) },
                bars[i].colour, std::max(1.0, base * turn - 1), false, 0, true });
}

// Draws a join or leave: the range that moves, and a line from its giver to its receiver.
void RingDrawing::drawChange()
{
    if (!state.ring.now)
        return;
    const walk::RingChange& change = *state.ring.now;
    out.setObject({ ObjectKind::Node, change.node, 0 });
    const qreal distance = layout.radius + layout.band / 2 + 4 * u;
    out.add(DisplayList::Line {
        layout.arc(layout.angleOf(change.from), layout.angleOf(change.id), distance), theme.incoming, 4 * u, true, 0 });
    const RingLayout::Item *giver = layout.findProcess(change.giver()),
                           *receiver = layout.findProcess(change.receiver());
    if (giver == nullptr || receiver == nullptr || giver == receiver)
        return;
    std::vector<QPointF> way;
    for (int i = 0; i <= 12; ++i)
        way.push_back(giver->centre + (receiver->centre - giver->centre) * (i / 12.0));
    // The line bends inwards, so that it does not lie on the circle.
    for (int i = 0; i <= 12; ++i)
        way[std::size_t(i)] += (layout.centre - way[std::size_t(i)]) * (0.35 * std::sin(i / 12.0 * M_PI));
    way.pop_back();
    out.add(DisplayList::Line {
        std::move(way), theme.text, 2 * u, state.ring.stage() == walk::RingStage::Ordered, 11 * u });
}

void RingDrawing::drawNode(const RingLayout::Item& item)
{
    out.setObject(item.object);
    const NodeLook look = lookOf(item.process);
    const auto owner = colours.find(item.process);
    const bool isIn = owner != colours.end();
    const QColor fill = isCut(look) ? theme.bad : isIn ? owner->second : theme.card;
    if (!item.label.isNull()) {
        const QPointF end(item.isLeft ? item.label.right() : item.label.left(), item.label.center().y());
        const QPointF way = end - item.centre;
        const qreal length = std::hypot(way.x(), way.y());
        if (length > item.rect.width())
            out.add(DisplayList::Line {
                { item.centre + way * (item.rect.width() / 2 / length), end }, theme.muted, 1 * u, false, 0 });
    }
    if (isMarked(item.object))
        out.add(DisplayList::Box { item.rect.adjusted(-4 * u, -4 * u, 4 * u, 4 * u), Outline::Circle, 0, {},
            markColour(item.object), 3 * u, false, false });
    const bool isUnready = look == NodeLook::Joining || look == NodeLook::Leaving;
    out.add(DisplayList::Box { item.rect, Outline::Circle, 0, fill, theme.outline, (isUnready ? 2.5 : 1.5) * u,
        isUnready, look == NodeLook::Paused });
    const Glyph glyph = look == NodeLook::Gone ? Glyph::Gone
        : look == NodeLook::Lost               ? Glyph::Cross
        : look == NodeLook::Paused             ? Glyph::Hourglass
        : look == NodeLook::Silent             ? Glyph::Clock
                                               : Glyph::None;
    const qreal inset = item.rect.width() * 0.22;
    if (glyph != Glyph::None)
        out.add(DisplayList::Mark { item.rect.adjusted(inset, inset, -inset, -inset), glyph, inkOn(fill), {} });
    drawLabel(item, look);
    drawFaults(item);
}

void RingDrawing::drawLabel(const RingLayout::Item& item, NodeLook look)
{
    if (item.label.isNull() || !sight.layers.labels)
        return;
    const Qt::Alignment align = (item.isLeft ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter;
    const qreal strong = theme.lineHeight(kBodyBold), small = theme.lineHeight(kSmall);
    const QString name = ringNodeName(state, item.process);
    if (layout.labelLines == 1) {
        const QString word = isCut(look) ? QStringLiteral("lost")
            : look == NodeLook::In       ? QString()
                                         : nodeLookWord(look, false);
        const QStringList wordings = word.isEmpty() ? QStringList { name }
                                                    : QStringList { QStringLiteral("%1: %2").arg(name, word), name };
        out.text(item.label, wordings, kSmallBold, isCut(look) ? theme.badText : theme.text, align);
        return;
    }
    QRectF line(item.label.left(), item.label.top(), item.label.width(), strong);
    out.text(line, name, kBodyBold, isCut(look) ? theme.badText : theme.text, align);
    line = QRectF(item.label.left(), line.bottom(), item.label.width(), small);
    const QString id = ringIdText(state, placeOnRing(state, item.process));
    const walk::RingNode* node = state.ring.find(item.process);
    const QString keys = countedWords(node != nullptr ? node->keys : 0, "key", "keys");
    if (isCut(look))
        out.text(line, { QStringLiteral("%1 out of reach").arg(keys), QStringLiteral("out of reach") }, kSmallBold,
            theme.badText, align);
    else if (look == NodeLook::Joining || look == NodeLook::Leaving || look == NodeLook::Paused
        || look == NodeLook::Silent)
        out.text(line, { QStringLiteral("%1 · %2").arg(id, nodeLookWord(look, false)), nodeLookWord(look, false) },
            kSmallBold, theme.text, align);
    else
        out.text(line, { QStringLiteral("%1 · %2").arg(id, keys), id }, kSmall, theme.muted, align);
}

void RingDrawing::drawFaults(const RingLayout::Item& item)
{
    const auto process = state.processes.find(item.process);
    if (!sight.layers.faults || process == state.processes.end() || process->second.faults.empty())
        return;
    const QRectF sign(item.rect.right() - 8 * u, item.rect.top() - 6 * u, 16 * u, 16 * u);
    out.add(DisplayList::Box { sign, Outline::Rounded, 4 * u, theme.caution, theme.outline, 1.2, false, false });
    out.add(
        DisplayList::Mark { sign.adjusted(3 * u, 3 * u, -3 * u, -3 * u), Glyph::Warning, inkOn(theme.caution), {} });
}

void RingDrawing::drawOutside()
{
    if (layout.outside.width() <= 0)
        return;
    out.setObject({});
    const std::size_t all = nodesOutside(state).size();
    const qreal line = theme.lineHeight(kSmallBold);
    out.text(QRectF(layout.outside.left(), layout.outside.top(), layout.outside.width(), line),
        QStringLiteral("outside: %1").arg(all), kSmallBold, theme.text);
    out.text(QRectF(layout.outside.left(), layout.outside.top() + line, layout.outside.width(), line),
        QStringLiteral("wait to join"), kSmall, theme.muted);
    qreal bottom = layout.outside.top() + 2 * line;
    for (const RingLayout::Item& item : layout.items) {
        if (item.object.kind != ObjectKind::Node || item.isOnRing)
            continue;
        drawChip(item);
        bottom = std::max(bottom, item.rect.bottom());
    }
    out.setObject({});
    if (layout.outsideHidden > 0)
        out.text(QRectF(layout.outside.left(), bottom + 3 * u, layout.outside.width(), line),
            QStringLiteral("and %1 more").arg(layout.outsideHidden), kSmall, theme.muted);
}

void RingDrawing::drawChip(const RingLayout::Item& item)
{
    out.setObject(item.object);
    const NodeLook look = lookOf(item.process);
    const bool isGone = look == NodeLook::Gone;
    if (isMarked(item.object))
        out.add(DisplayList::Box { item.rect.adjusted(-3 * u, -3 * u, 3 * u, 3 * u), Outline::Rounded, 6 * u, {},
            markColour(item.object), 3 * u, false, false });
    out.add(DisplayList::Box { item.rect, Outline::Rounded, 5 * u, isGone ? theme.empty : theme.card,
        isGone ? theme.bad : theme.outline, 1.3 * u, true, isGone || look == NodeLook::Paused });
    const QString name = ringNodeName(state, item.process);
    const QStringList wordings = isGone
        ? QStringList { QStringLiteral("%1 has ended").arg(name), QStringLiteral("%1 ended").arg(name), name }
        : look == NodeLook::Paused ? QStringList { QStringLiteral("%1 paused").arg(name), name }
                                   : QStringList { name };
    out.text(item.rect.adjusted(6 * u, 0, -4 * u, 0), wordings, kSmallBold, isGone ? theme.badText : theme.text);
    drawFaults(item);
}

void RingDrawing::drawClients()
{
    bool hasClient = false;
    for (const RingLayout::Item& item : layout.items) {
        hasClient |= item.object.kind == ObjectKind::Client;
        if (item.object.kind == ObjectKind::Client)
            drawClient(item);
        else if (item.object.kind == ObjectKind::Coordinator)
            drawMaster(item);
    }
    out.setObject({});
    const QRectF line(layout.clients.left(), layout.clients.top(), layout.clients.width(), theme.lineHeight(kSmall));
    if (layout.clientsHidden > 0)
        out.text(line, QStringLiteral("and %1 more clients").arg(layout.clientsHidden), kSmall, theme.muted);
    else if (!hasClient && !state.processes.empty())
        out.text(line, QStringLiteral("no client yet"), kSmall, theme.muted);
}

void RingDrawing::drawClient(const RingLayout::Item& item)
{
    out.setObject(item.object);
    const auto process = state.processes.find(item.process);
    const bool isPaused = process != state.processes.end() && process->second.isPaused;
    const LookStyle style = theme.look(kClientShape, isPaused ? Condition::Paused : Condition::Up);
    if (isMarked(item.object))
        out.add(DisplayList::Box {
            item.rect.adjusted(-3, -3, 3, 3), Outline::Circle, 0, {}, markColour(item.object), 3 * u, false, false });
    out.add(
        DisplayList::Box { item.rect, Outline::Circle, 0, style.colour, theme.outline, 1.2, false, style.isHatched });
    const QString name = ringNodeName(state, item.process);
    if (style.glyph != Glyph::None)
        out.add(DisplayList::Mark {
            item.rect.adjusted(10 * u, 10 * u, -10 * u, -10 * u), style.glyph, inkOn(style.colour), {} });
    else
        out.text(item.rect, name.left(1).toUpper(), { TextSize::Title, true }, inkOn(style.colour), Qt::AlignCenter);
    const qreal strong = theme.lineHeight(kBodyBold), small = theme.lineHeight(kSmall),
                left = item.rect.right() + 6 * u;
    QRectF line(left, item.centre.y() - (strong + 2 * small) / 2, layout.clients.right() - left, strong);
    out.text(line, name, kBodyBold, theme.text);
    line = QRectF(left, line.bottom(), line.width(), small);
    const auto found = state.ring.askers.find(item.process);
    const walk::RingAsker asker = found == state.ring.askers.end() ? walk::RingAsker {} : found->second;
    out.text(line, { countedWords(asker.queries, "query", "queries"), grouped(asker.queries) }, kSmall, theme.text);
    line.translate(0, small);
    if (asker.queries > 0) {
        const QString mean = QString::number(double(asker.steps) / double(asker.queries), 'f', 1);
        out.text(line, { QStringLiteral("%1 steps each").arg(mean), mean }, kSmall, theme.muted);
    }
}

void RingDrawing::drawMaster(const RingLayout::Item& item)
{
    out.setObject(item.object);
    const auto process = state.processes.find(item.process);
    const bool isGone = process != state.processes.end() && process->second.hasEnded,
               isPaused = process != state.processes.end() && process->second.isPaused;
    const LookStyle style = theme.look(kCoordinatorShape,
        isGone         ? Condition::Gone
            : isPaused ? Condition::Paused
                       : Condition::Up);
    if (isMarked(item.object))
        out.add(DisplayList::Box {
            item.rect.adjusted(-5, -5, 5, 5), Outline::Diamond, 0, {}, markColour(item.object), 3 * u, false, false });
    out.add(
        DisplayList::Box { item.rect, Outline::Diamond, 0, style.colour, theme.outline, 1.2, false, style.isHatched });
    const qreal inset = item.rect.width() * 0.3;
    if (style.glyph != Glyph::None)
        out.add(DisplayList::Mark {
            item.rect.adjusted(inset, inset, -inset, -inset), style.glyph, inkOn(style.colour), {} });
    const qreal strong = theme.lineHeight(kBodyBold), small = theme.lineHeight(kSmall),
                left = item.rect.right() + 6 * u;
    QRectF line(left, item.centre.y() - (strong + small) / 2, layout.clients.right() - left, strong);
    out.text(line, QStringLiteral("master"), kBodyBold, theme.text);
    line = QRectF(left, line.bottom(), line.width(), small);
    if (isGone)
        out.text(line, QStringLiteral("has ended"), kSmallBold, theme.badText);
    else if (isPaused)
        out.text(line, QStringLiteral("stands still"), kSmallBold, theme.text);
    else
        out.text(line, { QStringLiteral("joins and leaves"), QStringLiteral("orders") }, kSmall, theme.muted);
}

// The words, broken into lines that fit.
QStringList wrapped(const Theme& theme, TextStyle style, const QString& words, qreal width)
{
    QStringList lines;
    for (const QString& word : words.split(QLatin1Char(' '))) {
        const QString longer = lines.isEmpty() ? word : lines.back() + QLatin1Char(' ') + word;
        if (lines.isEmpty() || theme.metrics(style).horizontalAdvance(longer) > width)
            lines << word;
        else
            lines.back() = longer;
    }
    return lines;
}

// Draws the most important news in the middle of the circle.
void RingDrawing::drawNews()
{
    const RingNews news = ringNews(state);
    const qreal width = layout.radius * 1.2;
    struct Line {
        QString words;
        TextStyle style;
        QColor colour;
    };
    std::vector<Line> lines;
    qreal high = 0;
    for (int i = 0; i < news.lines.size(); ++i) {
        const bool isFirst = i == 0;
        const TextStyle style = isFirst ? TextStyle { TextSize::Strong, true } : kBody;
        const QColor colour = isFirst && news.isBad ? theme.badText : isFirst ? theme.text : theme.muted;
        for (const QString& words : wrapped(theme, style, news.lines[i], width)) {
            high += theme.lineHeight(style);
            if (high > layout.radius * 1.3)
                break;
            lines.push_back({ words, style, colour });
        }
    }
    qreal y = layout.centre.y();
    for (const Line& line : lines)
        y -= theme.lineHeight(line.style) / 2;
    for (const Line& line : lines) {
        out.text(QRectF(layout.centre.x() - width / 2, y, width, theme.lineHeight(line.style)), line.words, line.style,
            line.colour, Qt::AlignCenter);
        y += theme.lineHeight(line.style);
    }
}

void RingDrawing::drawFoot()
{
    out.setObject({});
    const qreal line = theme.lineHeight(kSmall);
    const QString between = QStringLiteral("   ·   ");
    std::size_t keys = 0;
    for (const walk::RingNode* node : state.ring.inRing())
        keys += node->ids.all().size();
    QStringList parts;
    if (layout.bits > 0)
        parts << QStringLiteral("2^%1 ids clockwise, 0 at the top").arg(layout.bits);
    if (keys > 0 && sight.layers.parts)
        parts << (keys <= kRingDots ? QStringLiteral("a dot is a key")
                                    : QStringLiteral("bars: how many keys lie there"));
    if (!sight.footNote.isEmpty())
        parts << sight.footNote;
    QStringList wordings { parts.join(between) };
    if (parts.size() > 1)
        wordings << parts.mid(parts.size() - 1).join(between);
    out.text(QRectF(layout.foot.left(), layout.foot.bottom() - line, layout.foot.width(), line), wordings, kSmall,
        theme.muted);
    if (!sight.layers.legend || layout.foot.height() < 2 * line)
        return;
    qreal x = layout.foot.left();
    const qreal y = layout.foot.top() + 1 * u, side = 12 * u;
    for (const auto& [messageClass, words] : ringMessageWords()) {
        const MessageStyle& style = theme.message(messageClass);
        const qreal wide = theme.width(kSmall, words);
        if (x + side + 5 * u + wide > layout.foot.right())
            break;
        const QRectF dot(x, y + (line - side) / 2, side, side);
        out.add(DisplayList::Box { dot, Outline::Circle, 0, style.colour, theme.outline, 1, false, false });
        out.add(DisplayList::Mark { dot.adjusted(3 * u, 3 * u, -3 * u, -3 * u), style.glyph, inkOn(style.colour), {} });
        out.text(QRectF(x + side + 5 * u, y, wide + 2, line), words, kSmall, theme.muted);
        x += side + 5 * u + wide + 16 * u;
    }
}

} // namespace

std::map<std::uint64_t, QColor> ownerColours(const ClusterState& state)
{
    std::map<std::uint64_t, QColor> colours;
    const std::vector<const walk::RingNode*> in = state.ring.inRing();
    std::size_t first = 0, before = kOwners.size();
    for (std::size_t i = 0; i < in.size(); ++i) {
        // The colour follows from the node's own number, so that it stays the same when other nodes join.
        std::size_t own = in[i]->process % kOwners.size();
        while (own == before || (i + 1 == in.size() && i > 0 && own == first))
            own = (own + 1) % kOwners.size();
        first = i == 0 ? own : first;
        before = own;
        colours[in[i]->process] = QColor::fromRgb(kOwners[own]);
    }
    return colours;
}

void drawRing(const SystemView::Sight& sight, const RingLayout& layout, DisplayList& out)
{
    RingDrawing { sight, layout, out }.draw();
}

} // namespace lhrs::gui
