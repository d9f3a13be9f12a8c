// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the space-time diagram: turns its layout into a display list.
#include "gui/view/timeline/space_time_layout.h"

#include "gui/show/show_systems.h"
#include "gui/view/paint/axis_step.h"
#include "gui/show/words/quantity_words.h"

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr TextStyle kText { TextSize::Body, false, false };
constexpr TextStyle kBold { TextSize::Body, true, false };
constexpr std::size_t kGlyphsMax = 250; // arrows that have room for one
constexpr std::size_t kNamesMax = 60;

// Lines need a contrast of 3:1 with the background: the pale colours of the classes are darkened on white.
QColor lineColour(const Theme& theme, const std::string& kind)
{
    const auto messageClass = messageClassOf(kind);
    if (!messageClass)
        return theme.muted;
    const auto pick = [&](QRgb light, QRgb dark) { return QColor::fromRgb(theme.isDark() ? dark : light); };
    switch (*messageClass) {
    case MessageClass::Operation: return pick(okabe::kBlue, okabe::kSkyBlue);
    case MessageClass::Reply: return pick(0xff00805d, 0xff2fd3a4);
    case MessageClass::Image: return pick(0xff8a7a00, okabe::kYellow);
    case MessageClass::Change: return pick(0xff9b4a78, okabe::kPurple);
    case MessageClass::Ack: return theme.muted;
    case MessageClass::Control: return theme.text;
    case MessageClass::Recruit: return pick(0xffa36b00, okabe::kOrange);
    case MessageClass::Bulk: return pick(0xff1d7fb8, okabe::kSkyBlue);
    }
    return theme.text;
}

QColor faint(QColor colour)
{
    colour.setAlphaF(0.18F);
    return colour;
}

void drawAxis(const SpaceTimeLayout& layout, const SpaceTime& model, const SpaceTimeWish& wish, DisplayList& out)
{
    const Theme& theme = out.theme();
    const bool isLogical = wish.order == SpaceTimeWish::Order::Logical;
    const double steps = std::max(2.0, layout.plot.width() / theme.px(130));
    const double step = isLogical ? std::max(1.0, niceStep(layout.to - layout.from, steps))
                                  : niceStep(layout.to - layout.from, steps);
    const double origin = isLogical ? 0 : double(model.firstNs);
    const qreal bottom = layout.plot.bottom();
    for (double value = origin + std::ceil((layout.from - origin) / step) * step; value <= layout.to; value += step) {
        const qreal x = layout.xOf(value);
        out.add(DisplayList::Line { { QPointF(x, layout.plot.top()), QPointF(x, bottom) }, theme.grid, 1, false, 0 });
        const QString words = isLogical
            ? QString::number(qRound64(value))
            : (value - origin < step / 2 ? QStringLiteral("0")
                                         : QStringLiteral("+") + durationWords(std::int64_t(value - origin)));
        const qreal wide = theme.width(kSmall, words) + 2;
        if (x + wide / 2 < layout.plot.right() && x - wide / 2 > layout.plot.left())
            out.text(QRectF(x - wide / 2, bottom, wide, theme.lineHeight(kSmall)), words, kSmall, theme.muted,
                Qt::AlignCenter);
    }
    const QStringList titles = isLogical ? QStringList { QStringLiteral("order of causes"), QStringLiteral("causes") }
        : wish.order == SpaceTimeWish::Order::Aligned
        ? QStringList { QStringLiteral("time, clocks aligned"), QStringLiteral("time") }
        : QStringList { QStringLiteral("time of the clocks"), QStringLiteral("time") };
    out.text(QRectF(theme.px(8), bottom, layout.plot.left() - theme.px(12), theme.lineHeight(kSmall)), titles, kSmall,
        theme.muted);
}

void drawLanes(const SpaceTimeLayout& layout, DisplayList& out)
{
    const Theme& theme = out.theme();
    for (const SpaceTimeLayout::Lane& lane : layout.lanes) {
        out.setObject(lane.object);
        const QRectF row(0, lane.y - lane.height / 2, layout.plot.right(), lane.height);
        if (lane.isSelected) {
            QColor fill = theme.selection;
            fill.setAlphaF(0.28F);
            out.add(DisplayList::Box { row, Outline::Rectangle, 0, fill, {}, 0, false, false });
        }
        if (lane.isHead) {
            const QString sign = QString::fromUtf8(lane.isCollapsed ? "▸ " : "▾ ");
            out.text(QRectF(theme.px(4), row.top(), layout.plot.left() - theme.px(8), row.height()),
                { sign + lane.name + QStringLiteral(" (%1)").arg(lane.members),
                    sign + lane.group + QStringLiteral(" (%1)").arg(lane.members), sign + lane.group },
                kBold, theme.text);
            if (lane.isCollapsed)
                out.add(
                    DisplayList::Line { { QPointF(layout.plot.left(), lane.y), QPointF(layout.plot.right(), lane.y) },
                        theme.outline, theme.px(4), false, 0 });
            continue;
        }
        out.text(QRectF(theme.px(18), row.top(), layout.plot.left() - theme.px(24), row.height()), lane.name, kText,
            lane.hasEnded ? theme.muted : theme.text);
        out.add(DisplayList::Line { { QPointF(layout.plot.left(), lane.y), QPointF(layout.plot.right(), lane.y) },
            theme.outline, 1, lane.hasEnded, 0 });
    }
    out.setObject({});
}

// Draws the end of an arrow by itself: what happened to the message.
void drawFate(const SpaceTimeLayout::Arrow& arrow, DisplayList& out)
{
    const Theme& theme = out.theme();
    const qreal side = theme.px(11);
    const QRectF box(arrow.to.x() - side / 2, arrow.to.y() - side / 2, side, side);
    using Fate = SpaceTimeMessage::Fate;
    switch (arrow.fate) {
    case Fate::Arrived:
    case Fate::UnderWay: break;
    case Fate::Lost:
        out.add(DisplayList::Mark { box, Glyph::Cross, arrow.isFaint ? faint(theme.bad) : theme.bad, {} });
        break;
    case Fate::GivenUp:
        out.add(DisplayList::Mark { box, Glyph::Flag, arrow.isFaint ? faint(theme.bad) : theme.bad, {} });
        break;
    case Fate::Unknown:
        out.add(DisplayList::Mark { box, Glyph::Question, arrow.isFaint ? faint(theme.caution) : theme.caution, {} });
        break;
    }
}

void drawArrow(const SpaceTimeLayout::Arrow& arrow, const SpaceTime& model, std::size_t all, DisplayList& out)
{
    const Theme& theme = out.theme();
    const SpaceTimeMessage& message = model.messages[arrow.message];
    QColor colour = arrow.isBackwards ? theme.bad : lineColour(theme, message.kind);
    if (arrow.isFaint)
        colour = faint(colour);
    const bool isDense = all > kGlyphsMax; // thin lines with small heads, because they would otherwise merge
    const qreal width = arrow.count > 1 ? theme.px(1.2 + std::log2(double(arrow.count))) : theme.px(isDense ? 1 : 1.6);
    std::vector<QPointF> points { arrow.from, arrow.to };
    if (arrow.isInside) {
        const qreal high = std::min(theme.px(9), std::max(theme.px(3), (arrow.to.x() - arrow.from.x()) / 3));
        points = { arrow.from, QPointF(arrow.from.x(), arrow.from.y() - high),
            QPointF(arrow.to.x(), arrow.to.y() - high), arrow.to };
    }
    const bool isDashed = arrow.isResent || arrow.fate != SpaceTimeMessage::Fate::Arrived || message.sent == kNoEvent;
    const bool hasHead = arrow.fate == SpaceTimeMessage::Fate::Arrived
        || arrow.fate == SpaceTimeMessage::Fate::UnderWay;
    out.setObject({ ObjectKind::Message, arrow.message, 0 });
    out.add(DisplayList::Line { points, colour, width, isDashed, hasHead ? theme.px(isDense ? 5 : 8) : 0 });
    drawFate(arrow, out);
    if (arrow.count > 1 || (!isDense && !arrow.isFaint && !arrow.isInside)) {
        const QPointF middle = arrow.from + (arrow.to - arrow.from) * 0.42;
        if (arrow.count > 1) {
            const QString words = QString::fromUtf8("× ") + QString::number(arrow.count);
            const qreal wide = theme.width(kSmall, words) + theme.px(4);
            const QRectF box(
                middle.x() - wide / 2, middle.y() - theme.lineHeight(kSmall) / 2, wide, theme.lineHeight(kSmall));
            out.add(DisplayList::Box { box, Outline::Rounded, 3, theme.card, theme.grid, 1, false, false });
            out.text(box, words, kSmall, theme.text, Qt::AlignCenter);
        } else if (const auto messageClass = messageClassOf(message.kind);
                   messageClass && QLineF(arrow.from, arrow.to).length() > theme.px(30)) {
            const qreal side = theme.px(9);
            out.add(DisplayList::Mark { QRectF(middle.x() - side / 2, middle.y() - side / 2, side, side),
                theme.message(*messageClass).glyph, colour, theme.card });
        }
    }
    out.setObject({});
}

// Names beside arrows, if the arrows are few and each name has room.
void drawNames(const SpaceTimeLayout& layout, const SpaceTime& model, DisplayList& out)
{
    const Theme& theme = out.theme();
    const auto strong = std::count_if(
        layout.arrows.begin(), layout.arrows.end(), [](const auto& arrow) { return !arrow.isFaint; });
    if (strong > std::ptrdiff_t(kNamesMax))
        return;
    std::vector<QRectF> taken;
    for (const SpaceTimeLayout::Arrow& arrow : layout.arrows) {
        if (arrow.isFaint || arrow.count > 1)
            continue;
        const QString words = QString::fromStdString(model.messages[arrow.message].kind).replace('_', ' ');
        const qreal wide = theme.width(kSmall, words), high = theme.lineHeight(kSmall);
        const QPointF at = arrow.from + (arrow.to - arrow.from) * 0.42;
        const QRectF box(at.x() + theme.px(8), at.y() - high / 2, wide, high);
        if (box.right() > layout.plot.right() || box.left() < layout.plot.left() || box.bottom() > layout.plot.bottom()
            || std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(box); }))
            continue;
        taken.push_back(box);
        QColor ground = theme.card;
        ground.setAlphaF(0.82F);
        out.add(DisplayList::Box { box, Outline::Rectangle, 0, ground, {}, 0, false, false });
        out.text(box.adjusted(0, 0, 2, 0), words, kSmall, theme.text);
    }
}

} // namespace

void drawSpaceTime(const SpaceTimeLayout& layout, const SpaceTime& model, const SpaceTimeWish& wish, DisplayList& out)
{
    const Theme& theme = out.theme();
    for (const SpaceTimeLayout::Shade& shade : layout.shades) {
        if (shade.isGate) { // time did not advance for this process
            out.add(DisplayList::Box { shade.box, Outline::Rectangle, 0, {}, theme.muted, 1, false, true });
            out.text(shade.box.adjusted(theme.px(4), 0, -theme.px(2), -shade.box.height() / 2), shade.words, kSmall,
                theme.muted);
            continue;
        }
        QColor fill = theme.caution;
        fill.setAlphaF(0.22F);
        out.add(DisplayList::Box { shade.box, Outline::Rectangle, 0, fill, theme.caution, 1, false, true });
        out.text(
            shade.box.adjusted(theme.px(4), 0, -theme.px(2), -shade.box.height() / 2), shade.words, kSmall, theme.text);
    }
    drawAxis(layout, model, wish, out);
    drawLanes(layout, out);
    out.setClip(layout.plot.adjusted(0, -theme.px(6), theme.px(6), theme.px(4)));
    for (const SpaceTimeLayout::Arrow& arrow : layout.arrows)
        if (arrow.isFaint)
            drawArrow(arrow, model, layout.arrows.size(), out);
    for (const SpaceTimeLayout::Arrow& arrow : layout.arrows)
        if (!arrow.isFaint)
            drawArrow(arrow, model, layout.arrows.size(), out);
    for (const SpaceTimeLayout::Tick& tick : layout.ticks) {
        const bool isDense = layout.ticks.size() > kGlyphsMax;
        const qreal half = theme.px(tick.isStructure ? 6 : 3.5);
        QColor colour = tick.isStructure ? theme.text : theme.muted;
        if (tick.isFaint)
            colour = faint(colour);
        out.add(DisplayList::Line {
            { QPointF(tick.at.x(), tick.at.y() - half), QPointF(tick.at.x(), tick.at.y() + half) }, colour,
            theme.px(isDense           ? 1
                    : tick.isStructure ? 2.5
                                       : 1.5),
            false, 0 });
    }
    if (layout.bundled == 0)
        drawNames(layout, model, out);
    out.setClip({});
    // The uncertainty of each clock, as a length of time at the edge; the bar of a clock that must be off is red.
    for (const SpaceTimeLayout::ClockBar& clock : layout.clocks)
        out.add(DisplayList::Box {
            clock.box, Outline::Rectangle, 0, clock.isWrong ? theme.bad : theme.muted, {}, 0, false, false });
}

} // namespace lhrs::gui
