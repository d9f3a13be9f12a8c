// SPDX-License-Identifier: GPL-3.0-or-later
// What is drawn above the canvas picture: what moves, and marks for the object under the mouse, here or in another
// view.
#include "gui/view/canvas/cluster_canvas.h"

#include "gui/lab/words/sentences.h"
#include "gui/view/cluster/hover_words.h"
#include "gui/view/cluster/object_words.h"

#include <QCursor>

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr double kBreath = 1.6;   // seconds of one pulse of the ring around the objects of a caption
constexpr double kHoverStays = 8; // seconds that the hover card stays, so that an idle mouse does not hide the picture

} // namespace

void ClusterCanvas::rebuildMoving()
{
    PictureInput input { m_pacer.state(), m_layout, m_theme, m_cells };
    input.layers = m_layers;
    input.plan = m_plan;
    m_moving.clear();
    m_motion.draw(input, m_pacer.clock(), m_moving);
    m_moving.setObject({});
    drawRecordGroup(input);
    drawOperation();
    for (const Highlight& highlight : m_highlights) {
        const QRectF rect = rectOf(highlight.object);
        if (rect.isNull())
            continue;
        const qreal u = m_theme.px(1);
        m_moving.add(DisplayList::Box { rect.adjusted(-6 * u, -6 * u, 6 * u, 6 * u), Outline::Rounded, 8 * u, {}, m_theme.caution, 4 * u, false, false });
        if (highlight.words.isEmpty())
            continue;
        const TextStyle style { TextSize::Strong, true };
        const qreal textWidth = m_theme.metrics(style).horizontalAdvance(highlight.words) + 16 * u;
        QRectF box(rect.center().x() - textWidth / 2, rect.bottom() + 8 * u, textWidth, m_theme.lineHeight(style) + 6 * u);
        box.moveLeft(std::clamp(box.left(), 0.0, std::max(0.0, width() - textWidth)));
        if (box.bottom() > height())
            box.moveBottom(rect.top() - 8 * u);
        m_moving.add(DisplayList::Box { box, Outline::Rounded, 4 * u, m_theme.caution, m_theme.outline, 1, false, false });
        m_moving.text(box, highlight.words, style, inkOn(m_theme.caution), Qt::AlignCenter);
    }
    drawSpokenOf();
    drawHoverCard();
}

void ClusterCanvas::drawSpokenOf()
{
    if (m_time >= m_spokenUntil)
        return;
    const qreal u = m_theme.px(1);
    const qreal breath = m_isReduced ? 0.5 : 0.5 - 0.5 * std::cos((m_time - m_spokenSince) * 2 * M_PI / kBreath);
    for (const ObjectRef object : m_spokenOf) {
        QRectF rect = rectOf(object);
        if (rect.isNull() && object.kind == ObjectKind::Dummy) // it has become a bucket by now
            rect = rectOf({ ObjectKind::Data, object.a, 0 });
        if (rect.isNull())
            continue;
        // The ring grows into the card, so that it does not cover the group's line above or the split pointer below.
        const qreal out = (1 + breath) * u;
        const bool isRound = object.kind == ObjectKind::Client;
        m_moving.add(DisplayList::Box { rect.adjusted(-out, -out, out, out), isRound ? Outline::Circle : Outline::Rounded, 7 * u,
            {}, m_theme.text, (3 + 1.5 * breath) * u, false, false });
    }
}

// Reports what is at the point to all views; for a bucket also the record.
void ClusterCanvas::pointAt(QPointF at)
{
    const ObjectRef before = m_selection.hovered();
    Pointed pointed { m_resting.hitTest(at) };
    pointed.rank = rankAt(pointed.object, at);
    m_selection.point(pointed);
    m_walkedWith.reset();
    const std::string_view term = m_resting.termAt(at);
    if (m_selection.hovered() != before)
        m_hoverSince = m_time;
    else if (term != m_pointedTerm)
        m_hoverSince = std::max(m_hoverSince, m_time - kHoverDelay); // a visible card stays, with another first line
    m_pointedTerm = term;
}

bool ClusterCanvas::isWalked() const
{
    return m_walkedWith && *m_walkedWith == QCursor::pos();
}

ClusterCanvas::Asked ClusterCanvas::asked() const
{
    if (underMouse() && !isWalked() && (m_selection.hovered() || !m_pointedTerm.empty()))
        return { m_selection.hovered(), m_pointedTerm, m_selection.pointed().rank };
    return { m_selection.selected(), {}, m_selection.chosenRank() };
}

// The rank of the record that is drawn at the point, in the bucket there; 0: none.
std::uint32_t ClusterCanvas::rankAt(ObjectRef object, QPointF point) const
{
    if ((object.kind != ObjectKind::Data && object.kind != ObjectKind::Parity) || !m_layers.ranks)
        return 0;
    const ClusterState& state = m_pacer.state();
    const CellGeometry cells = cellGeometry(m_theme, rectOf(object), m_plan);
    const auto bucket = state.data.find(std::uint32_t(object.a));
    const auto parity = state.parity.find({ std::uint32_t(object.a), std::uint32_t(object.b) });
    const RankMap* ranks = object.kind == ObjectKind::Data ? bucket == state.data.end() ? nullptr : &bucket->second.ranks
        : parity == state.parity.end()                     ? nullptr
                                                           : &parity->second.ranks;
    if (!ranks || !cells.isValid() || !cells.area.contains(point))
        return 0;
    const auto column = std::uint32_t((point.x() - cells.area.left()) / cells.pitchX), row = std::uint32_t((point.y() - cells.area.top()) / cells.pitchY);
    const std::uint32_t first = (row * std::uint32_t(cells.columns) + column) * cells.ratio + 1;
    for (std::uint32_t rank = first; column < std::uint32_t(cells.columns) && rank < first + cells.ratio; ++rank) {
        if (ranks->has(rank))
            return rank;
    }
    return 0;
}

// Marks all records of the rank that is under the mouse in a table: they are one record group.
void ClusterCanvas::drawRecordGroup(const PictureInput& input)
{
    const ObjectRef selected = m_selection.rankBucket();
    const std::uint32_t rank = m_selection.rank(), m = m_pacer.state().m();
    if (rank == 0 || rank > input.plan.ranks || (selected.kind != ObjectKind::Data && selected.kind != ObjectKind::Parity))
        return;
    const std::uint64_t group = selected.kind == ObjectKind::Data ? selected.a / m : selected.a;
    for (const ClusterLayout::Item& item : m_layout.items) {
        const bool isMember = (item.object.kind == ObjectKind::Data && item.object.a / m == group) || (item.object.kind == ObjectKind::Parity && item.object.a == group);
        const CellGeometry cells = cellGeometry(m_theme, item.rect, input.plan);
        if (!isMember || !cells.isValid())
            continue;
        m_moving.add(DisplayList::Box { cells.cellOf(rank).adjusted(-3, -3, 3, 3), Outline::Rectangle, 0, {}, m_theme.text, 2.5, false, false });
    }
}

// The path of the operation that is under the mouse in some view, or that is followed: its client, and the buckets that
// it visited.
void ClusterCanvas::drawOperation()
{
    const OperationId operation = m_selection.shownOperation();
    const ClusterState& state = m_pacer.state();
    const ObjectRef client { ObjectKind::Client, operation.first, 0 };
    const ClusterLayout::Item* from = m_layout.find(client);
    if (operation.first == 0 || !from)
        return;
    const qreal u = m_theme.px(1);
    const auto ring = [&](const QRectF& rect, Outline outline) {
        m_moving.add(DisplayList::Box { rect.adjusted(-5 * u, -5 * u, 5 * u, 5 * u), outline, 7 * u, {}, m_theme.card, 5 * u, false, false });
        m_moving.add(DisplayList::Box { rect.adjusted(-5 * u, -5 * u, 5 * u, 5 * u), outline, 7 * u, {}, m_theme.focus, 2.5 * u, true, false });
    };
    m_moving.setObject(client);
    ring(from->rect, Outline::Circle);
    QString words = QStringLiteral("operation %1").arg(grouped(operation.second));
    const auto known = state.clients.find(operation.first);
    if (known != state.clients.end()) {
        const auto& last = known->second.last;
        const auto told = std::find_if(last.begin(), last.end(), [&](const OperationState& o) { return o.number == operation.second; });
        if (told != last.end()) {
            words = QStringLiteral("%1 key %2").arg(QString::fromStdString(operationWord(told->kind))).arg(told->key);
            std::vector<std::uint32_t> way = told->path;
            if (way.empty())
                way.push_back(told->computedBucket);
            if (told->isDone && way.back() != told->bucket)
                way.push_back(told->bucket);
            QPointF before = from->rect.center();
            for (const std::uint32_t bucket : way) {
                const ClusterLayout::Item* item = m_layout.find({ ObjectKind::Data, bucket, 0 });
                if (!item)
                    continue;
                m_moving.setObject(item->object);
                const QPointF at = m_layout.anchor(item->rect);
                m_moving.add(DisplayList::Line { { before, at }, m_theme.focus, 2 * u, true, 10 * u });
                if (m_layout.groupsArea.intersects(item->rect))
                    ring(item->rect, Outline::Rectangle);
                before = at;
            }
        }
    }
    const TextStyle style { TextSize::Small, true };
    const qreal wide = m_theme.width(style, words) + 10 * u;
    const QRectF box(from->rect.left(), from->rect.bottom() + 4 * u, wide, m_theme.lineHeight(style) + 4 * u);
    m_moving.setObject(client);
    m_moving.add(DisplayList::Box { box, Outline::Rounded, 4 * u, m_theme.card, m_theme.focus, 1.5, false, false });
    m_moving.text(box, words, style, m_theme.text, Qt::AlignCenter);
    m_moving.setObject({});
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
// object, because the other buckets of its group and their parity are in the same row. Without room there, it is to the
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
    if (!object || m_isDragging || m_time - m_hoverSince < kHoverDelay || m_time - m_hoverSince > kHoverStays || !underMouse())
        return;
    const HoverCard words = hoverCard(m_pacer.state(), m_theme, object, m_pointedTerm);
    const QRectF thing = thingOf(object);
    if (words.lines.empty() || thing.isNull()) // it does not exist at the shown instant
        return;
    const qreal u = m_theme.px(1), wide = words.size.width(), high = words.size.height() + 8 * u;
    const QRectF box = besideThing(thing, QSizeF(std::min(wide + 20 * u, width() - 8.0), high));
    m_moving.add(DisplayList::Box { box.translated(2, 3), Outline::Rounded, 5 * u, m_theme.shadow, {}, 1, false, false });
    m_moving.add(DisplayList::Box { box, Outline::Rounded, 5 * u, m_theme.card, m_theme.outline, 1.5, false, false });
    qreal y = box.top() + 4 * u;
    for (std::size_t i = 0; i < words.lines.size(); ++i) {
        const TextStyle style = i == 0 ? words.first : kBody;
        m_moving.text(QRectF(box.left() + 10 * u, y, box.width() - 20 * u, m_theme.lineHeight(style)), words.lines[i], style, i == 0 ? m_theme.text : m_theme.muted);
        y += m_theme.lineHeight(style) + 1 * u;
    }
}

} // namespace lhrs::gui
