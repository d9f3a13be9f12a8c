// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/file_picture.h"

#include "gui/view/lhrs/fault_marks.h"
#include "gui/view/lhrs/words/file_words.h"
#include "gui/view/lhrs/words/hover_words.h"
#include "gui/view/lhrs/words/object_words.h"

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

// ---- places

void FilePicture::setArrangement(Arrangement arrangement, bool areColumns)
{
    m_arrangement = arrangement;
    m_areColumns = areColumns;
    arrangeAnew();
}

std::uint64_t FilePicture::placesStamp(const ClusterState& state) const { return gui::placesStamp(state); }

LayoutOptions FilePicture::optionsOf(const Sight& sight) const
{
    LayoutOptions options;
    options.viewport = sight.viewport;
    options.zoom = sight.zoom;
    options.pan = sight.pan;
    options.showSpares = sight.layers.waiting;
    options.showLegend = sight.layers.legend;
    options.arrangement = m_arrangement;
    options.areColumns = m_areColumns;
    const ObjectRef selected = sight.selection.selected();
    options.client = sight.client != 0 ? sight.client : selected.kind == ObjectKind::Client ? selected.a : 0;
    return options;
}

qreal FilePicture::roomScale(const Sight& sight) const
{
    return gui::roomScale(sight.state, sight.theme, optionsOf(sight));
}

QPointF FilePicture::layout(const Sight& sight, bool isAnimated)
{
    const ClusterLayout layout = layoutCluster(sight.state, sight.theme, optionsOf(sight));
    m_layoutMotion.retarget(layout, sight.time, isAnimated);
    return layout.pan;
}

QRectF FilePicture::rectIn(const ClusterState& state, const ClusterLayout& layout, ObjectRef object) const
{
    if (const ClusterLayout::Item* item = layout.find(object))
        return item->rect;
    if (object.kind == ObjectKind::Group) {
        const auto group = std::find_if(
            layout.groups.begin(), layout.groups.end(), [&](const auto& g) { return g.number == object.a; });
        return group != layout.groups.end() ? group->frame : QRectF();
    }
    if (object.kind == ObjectKind::Pool) {
        const auto pool = std::find_if(
            layout.pools.begin(), layout.pools.end(), [&](const auto& p) { return std::uint64_t(p.role) == object.a; });
        return pool != layout.pools.end() ? pool->frame : QRectF();
    }
    if (object.kind == ObjectKind::Fault)
        return faultRect(state, layout, object.a);
    return object.kind == ObjectKind::File ? layout.file : QRectF();
}

SystemView::Mark FilePicture::markOf(const ClusterState& state, ObjectRef object) const
{
    QRectF rect = rectOf(state, object);
    if (rect.isNull() && object.kind == ObjectKind::Dummy) // it has become a bucket by now
        rect = rectOf(state, { ObjectKind::Data, object.a, 0 });
    return { rect, object.kind == ObjectKind::Client };
}

std::uint32_t FilePicture::partAt(const Sight& sight, ObjectRef object, QPointF point) const
{
    if ((object.kind != ObjectKind::Data && object.kind != ObjectKind::Parity) || !sight.layers.parts)
        return 0;
    const CellGeometry cells = cellGeometry(sight.theme, rectOf(sight.state, object), m_plan);
    const auto bucket = sight.state.data.find(std::uint32_t(object.a));
    const auto parity = sight.state.parity.find({ std::uint32_t(object.a), std::uint32_t(object.b) });
    const RankMap* ranks = object.kind == ObjectKind::Data
        ? bucket == sight.state.data.end() ? nullptr : &bucket->second.ranks
        : parity == sight.state.parity.end() ? nullptr
                                             : &parity->second.ranks;
    if (!ranks || !cells.isValid() || !cells.area.contains(point))
        return 0;
    const auto column = std::uint32_t((point.x() - cells.area.left()) / cells.pitchX),
               row = std::uint32_t((point.y() - cells.area.top()) / cells.pitchY);
    const std::uint32_t first = (row * std::uint32_t(cells.columns) + column) * cells.ratio + 1;
    for (std::uint32_t rank = first; column < std::uint32_t(cells.columns) && rank < first + cells.ratio; ++rank) {
        if (ranks->has(rank))
            return rank;
    }
    return 0;
}

// ---- motion

void FilePicture::forget()
{
    m_layoutMotion.forget();
    m_motion.clear();
    m_motion.setReduced(m_isReduced);
}

void FilePicture::setReduced(bool on)
{
    m_isReduced = on;
    m_motion.clear();
    m_motion.setReduced(on);
}

// ---- pictures

// Offers expire without an event.
bool FilePicture::isAging(const ClusterState& state) const
{
    return std::any_of(
        state.processes.begin(), state.processes.end(), [](const auto& p) { return p.second.offer.invitation != 0; });
}

PictureInput FilePicture::inputOf(const Sight& sight)
{
    PictureInput input { sight.state, m_layout, sight.theme, m_cells };
    input.layers = sight.layers;
    input.selected = sight.selection.selected();
    input.hovered = sight.selection.hovered();
    input.nowNs = sight.nowNs;
    input.silent = &sight.silent;
    input.hasFocus = sight.hasFocus;
    input.isRecorded = sight.isRecorded;
    input.plan = m_plan;
    input.footNote = sight.footNote;
    return input;
}

bool FilePicture::drawResting(const Sight& sight, DisplayList& out)
{
    m_layout = m_layoutMotion.at(sight.time);
    m_plan = cellPlanOf(sight.state, m_layout.detail);
    m_cells.beginFrame();
    drawCluster(inputOf(sight), out);
    return !m_cells.isLate();
}

QString FilePicture::drawFlow(const Sight& sight, DisplayList& out)
{
    return Motion::ribbonNote(m_motion.drawRibbons(inputOf(sight), out));
}

void FilePicture::drawMoving(const Sight& sight, double clock, DisplayList& out)
{
    const PictureInput input = inputOf(sight);
    m_motion.draw(input, clock, out);
    out.setObject({});
    drawRecordGroup(sight, input, out);
    drawOperation(sight, out);
}

// ---- words

QString FilePicture::sentenceOf(const ClusterState& state, ObjectRef object) const
{
    return gui::sentenceOf(state, object);
}

QStringList FilePicture::detailsOf(const ClusterState& state, ObjectRef object) const
{
    return gui::detailsOf(state, object);
}

HoverCard FilePicture::hoverCard(
    const ClusterState& state, const Theme& theme, ObjectRef object, std::string_view term) const
{
    return gui::hoverCard(state, theme, object, term);
}

SystemView::Found FilePicture::find(const ClusterState& state, const QString& words) const
{
    bool isNumber = false;
    const qulonglong number = words.toULongLong(&isNumber);
    if (isNumber && state.data.contains(std::uint32_t(number)))
        return { { ObjectKind::Data, number, 0 } };
    if (const ObjectRef object = fileWords().named(state, words))
        return { object };
    // A key: the bucket that holds its record, as far as events have reported it.
    bool isKey = false;
    const qulonglong key = (words.startsWith(QLatin1String("key ")) ? words.mid(4).trimmed() : words)
                               .toULongLong(&isKey);
    for (const auto& [bucket, known] : state.data) {
        for (const std::uint32_t page : isKey ? known.ranks.pages() : std::vector<std::uint32_t>()) {
            for (const auto& [rank, held] : known.ranks.inPage(page)) {
                if (held == key)
                    return { { ObjectKind::Data, bucket, 0 }, rank,
                        QStringLiteral("key %1 has rank %2").arg(key).arg(rank) };
            }
        }
    }
    return {};
}

ObjectRef FilePicture::next(const ClusterState&, ObjectRef from, int dx, int dy) const
{
    const auto& items = m_layout.items;
    if (items.empty())
        return {};
    const ClusterLayout::Item* here = m_layout.find(from);
    if (!here) {
        const auto first = std::find_if(
            items.begin(), items.end(), [](const auto& i) { return i.object.kind == ObjectKind::Data; });
        return first != items.end() ? first->object : items.front().object;
    }
    // What stands in the same row or column comes before what is nearer but beside it.
    const auto isInLine = [&](const QRectF& rect) {
        return dx != 0 ? rect.top() < here->rect.bottom() && here->rect.top() < rect.bottom()
                       : rect.left() < here->rect.right() && here->rect.left() < rect.right();
    };
    const QPointF start = here->rect.center();
    const ClusterLayout::Item* best = nullptr;
    std::pair<bool, qreal> bestCost;
    for (const ClusterLayout::Item& item : items) {
        const QPointF way = item.rect.center() - start;
        const qreal ahead = way.x() * dx + way.y() * dy, aside = std::abs(way.x() * dy) + std::abs(way.y() * dx);
        if (&item == here || ahead <= 1)
            continue;
        const std::pair cost(!isInLine(item.rect), ahead + 2 * aside);
        if (!best || cost < bestCost) {
            best = &item;
            bestCost = cost;
        }
    }
    return best ? best->object : ObjectRef {};
}

} // namespace lhrs::gui
