// SPDX-License-Identifier: GPL-3.0-or-later
// What is drawn above the canvas picture: what moves, and marks for the object under the mouse, here or in another
// view.
#include "gui/view/canvas/cluster_canvas.h"

#include <QCursor>

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr double kBreath = 1.6; // seconds of one pulse of the ring around the objects of a caption
constexpr double kHoverStays = 8; // seconds that the hover card stays, so that an idle mouse does not hide the picture

} // namespace

void ClusterCanvas::rebuildMoving()
{
    m_moving.clear();
    drawSpokenOf(); // below what moves: a ring hides no letter of a label
    m_view->drawMoving(sight(m_theme), m_pacer.clock(), m_moving);
    m_moving.setObject({});
    for (const Highlight& highlight : m_highlights) {
        const QRectF rect = rectOf(highlight.object);
        if (rect.isNull())
            continue;
        const qreal u = m_theme.px(1);
        m_moving.add(DisplayList::Box { rect.adjusted(-6 * u, -6 * u, 6 * u, 6 * u), Outline::Rounded, 8 * u, {},
            m_theme.caution, 4 * u, false, false });
        if (highlight.words.isEmpty())
            continue;
        const TextStyle style { TextSize::Strong, true };
        const qreal textWidth = m_theme.metrics(style).horizontalAdvance(highlight.words) + 16 * u;
        QRectF box(
            rect.center().x() - textWidth / 2, rect.bottom() + 8 * u, textWidth, m_theme.lineHeight(style) + 6 * u);
        box.moveLeft(std::clamp(box.left(), 0.0, std::max(0.0, width() - textWidth)));
        if (box.bottom() > height())
            box.moveBottom(rect.top() - 8 * u);
        m_moving.add(
            DisplayList::Box { box, Outline::Rounded, 4 * u, m_theme.caution, m_theme.outline, 1, false, false });
        m_moving.text(box, highlight.words, style, inkOn(m_theme.caution), Qt::AlignCenter);
    }
    drawHoverCard();
}

void ClusterCanvas::drawSpokenOf()
{
    if (m_time >= m_spokenUntil)
        return;
    const qreal u = m_theme.px(1);
    const qreal breath = m_isReduced ? 0.5 : 0.5 - 0.5 * std::cos((m_time - m_spokenSince) * 2 * M_PI / kBreath);
    for (const ObjectRef object : m_spokenOf) {
        const auto [rect, isRound] = m_view->markOf(state(), object);
        if (rect.isNull())
            continue;
        // The ring grows into the card, so that it does not cover what is above or below.
        const qreal out = (1 + breath) * u;
        m_moving.add(
            DisplayList::Box { rect.adjusted(-out, -out, out, out), isRound ? Outline::Circle : Outline::Rounded, 7 * u,
                {}, m_theme.text, (3 + 1.5 * breath) * u, false, false });
    }
}

// Reports what is at the point to all views, and which part of it.
void ClusterCanvas::pointAt(QPointF at)
{
    const ObjectRef before = m_selection.hovered();
    Pointed pointed { m_resting.hitTest(at) };
    pointed.part = partAt(pointed.object, at);
    m_selection.point(pointed);
    m_walkedWith.reset();
    const std::string_view term = m_resting.termAt(at);
    if (m_selection.hovered() != before)
        m_hoverSince = m_time;
    else if (term != m_pointedTerm)
        m_hoverSince = std::max(m_hoverSince, m_time - kHoverDelay); // a visible card stays, with another first line
    m_pointedTerm = term;
}

bool ClusterCanvas::isWalked() const { return m_walkedWith && *m_walkedWith == QCursor::pos(); }

ClusterCanvas::Asked ClusterCanvas::asked() const
{
    if (underMouse() && !isWalked() && (m_selection.hovered() || !m_pointedTerm.empty()))
        return { m_selection.hovered(), m_pointedTerm, m_selection.pointed().part };
    return { m_selection.selected(), {}, m_selection.chosenPart() };
}

// The rectangle of everything that is drawn for an object: a client is a disc with words beside it.
QRectF ClusterCanvas::thingOf(ObjectRef object) const
{
    QRectF thing = rectOf(object);
    for (const DisplayList::Part& part : m_resting.parts())
        if (part.object == object)
            thing = thing.united(part.rect);
    return thing;
}

// The place for a card of that size where it does not cover the object that it explains. It is below or above the
// object, because things that belong together are in the same row. Without room there, it is to the
// right or left. If the object is too large to avoid, the card covers as little of it as possible.
QRectF ClusterCanvas::besideThing(const QRectF& thing, QSizeF size) const
{
    const qreal gap = m_theme.px(6);
    const QRectF room = QRectF(rect()).adjusted(4, 2, -4, -4);
    const QPointF aside = m_mouse + QPointF(16, -size.height() / 2);
    QRectF best;
    qreal leastCovered = 0;
    for (const QPointF at :
        { QPointF(aside.x(), thing.bottom() + gap), QPointF(aside.x(), thing.top() - gap - size.height()),
            QPointF(thing.right() + gap, aside.y()), QPointF(thing.left() - gap - size.width(), aside.y()) }) {
        QRectF box(at, size);
        box.moveRight(std::min(box.right(), room.right()));
        box.moveBottom(std::min(box.bottom(), room.bottom()));
        box.moveLeft(std::max(box.left(), room.left()));
        box.moveTop(std::max(box.top(), room.top()));
        const QRectF common = box.intersected(thing);
        const qreal atMouse = box.contains(m_mouse) ? size.width() * size.height() : 0;
        const qreal covered = common.width() * common.height() + atMouse;
        if (best.isNull() || covered < leastCovered) {
            best = box;
            leastCovered = covered;
        }
    }
    return best;
}

void ClusterCanvas::drawHoverCard()
{
    const ObjectRef object = m_selection.hovered();
    if (!object || m_isDragging || m_time - m_hoverSince < kHoverDelay || m_time - m_hoverSince > kHoverStays
        || !underMouse())
        return;
    const HoverCard words = m_view->hoverCard(state(), m_theme, object, m_pointedTerm);
    const QRectF thing = thingOf(object);
    if (words.lines.empty() || thing.isNull()) // it does not exist at the shown instant
        return;
    const qreal u = m_theme.px(1), wide = words.size.width(), high = words.size.height() + 8 * u;
    const QRectF box = besideThing(thing, QSizeF(std::min(wide + 20 * u, width() - 8.0), high));
    m_moving.add(
        DisplayList::Box { box.translated(2, 3), Outline::Rounded, 5 * u, m_theme.shadow, {}, 1, false, false });
    m_moving.add(DisplayList::Box { box, Outline::Rounded, 5 * u, m_theme.card, m_theme.outline, 1.5, false, false });
    qreal y = box.top() + 4 * u;
    for (std::size_t i = 0; i < words.lines.size(); ++i) {
        const TextStyle style = words.styleOf(i);
        m_moving.text(QRectF(box.left() + 10 * u, y, box.width() - 20 * u, m_theme.lineHeight(style)), words.lines[i],
            style, i == 0 ? m_theme.text : m_theme.muted);
        y += m_theme.lineHeight(style) + 1 * u;
    }
}

} // namespace lhrs::gui
