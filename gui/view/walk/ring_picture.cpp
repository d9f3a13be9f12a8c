// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/walk/ring_picture.h"

#include "common/sha1.h"
#include "gui/view/system/process_order.h"
#include "gui/view/walk/ring_drawing.h"
#include "gui/view/walk/ring_words.h"

#include <algorithm>
#include <string_view>

namespace lhrs::gui {

namespace {

// The id of a key, as the nodes compute it: the last bits of the SHA-1 of its eight bytes, the highest byte first.
std::uint64_t idOfKey(std::uint64_t key, unsigned bits)
{
    char bytes[8];
    for (unsigned i = 0; i < 8; ++i)
        bytes[i] = char(std::uint8_t(key >> (56 - 8 * i)));
    const auto digest = sha1(std::string_view(bytes, sizeof bytes));
    std::uint64_t id = 0;
    for (std::size_t i = digest.size() - 8; i < digest.size(); ++i)
        id = id << 8 | digest[i];
    return bits >= 64 ? id : id & ((1ULL << bits) - 1);
}

} // namespace

// ---- places

CircleOptions RingPicture::optionsOf(const Sight& sight) const
{
    CircleOptions options { sight.viewport, sight.zoom, sight.pan, sight.layers.waiting, sight.layers.legend };
    const ObjectRef selected = sight.selection.selected();
    options.client = sight.client != 0 ? sight.client : selected.kind == ObjectKind::Client ? selected.a : 0;
    return options;
}

qreal RingPicture::roomScale(const Sight& sight) const
{
    return ringRoomScale(sight.state, sight.theme, optionsOf(sight));
}

QPointF RingPicture::layout(const Sight& sight, bool isAnimated)
{
    RingLayout layout = layoutRing(sight.state, sight.theme, optionsOf(sight));
    const RingLayout before = isAnimated ? layoutAt(sight.time) : RingLayout {};
    m_journeys.clear();
    m_slidesUntil = 0;
    if (isAnimated && !m_isFirst) {
        for (const RingLayout::Item& item : layout.items) {
            const RingLayout::Item* was = before.find(item.object);
            if (was == nullptr || was->centre == item.centre)
                continue;
            m_journeys[item.object] = { was->centre, sight.time };
            m_slidesUntil = sight.time + kTravel;
        }
    }
    m_isFirst = layout.items.empty();
    m_target = std::move(layout);
    return m_target.pan;
}

RingLayout RingPicture::layoutAt(double time) const
{
    RingLayout layout = m_target;
    if (!isSliding(time))
        return layout;
    for (RingLayout::Item& item : layout.items) {
        const auto journey = m_journeys.find(item.object);
        if (journey == m_journeys.end())
            continue;
        const QPointF away = (journey->second.from - item.centre)
            * (1 - eased(journey->second.start, journey->second.start + kTravel, time));
        item.centre += away;
        item.rect.translate(away);
        if (!item.label.isNull())
            item.label.translate(away);
    }
    return layout;
}

QRectF RingPicture::rectIn(const RingLayout& layout, ObjectRef object) const
{
    if (object.kind == ObjectKind::File)
        return QRectF(
            layout.centre.x() - layout.radius, layout.centre.y() - layout.radius, 2 * layout.radius, 2 * layout.radius);
    const RingLayout::Item* item = layout.find(object);
    return item == nullptr ? QRectF() : item->rect;
}

bool RingPicture::isInArea(ObjectRef object) const
{
    const RingLayout::Item* item = m_target.find(object);
    return item != nullptr && item->isOnRing;
}

SystemView::Mark RingPicture::markOf(const ClusterState&, ObjectRef object) const
{
    const RingLayout::Item* item = m_layout.find(object);
    return { rectIn(m_layout, object),
        object.kind == ObjectKind::Client || object.kind == ObjectKind::File || (item != nullptr && item->isOnRing) };
}

// ---- motion

void RingPicture::forget()
{
    m_journeys.clear();
    m_slidesUntil = 0;
    m_isFirst = true;
    m_motion.clear();
    m_motion.setReduced(m_isReduced);
}

void RingPicture::setReduced(bool on)
{
    m_isReduced = on;
    m_motion.clear();
    m_motion.setReduced(on);
}

bool RingPicture::drawResting(const Sight& sight, DisplayList& out)
{
    m_layout = layoutAt(sight.time);
    drawRing(sight, m_layout, out);
    return true;
}

// ---- words

QString RingPicture::sentenceOf(const ClusterState& state, ObjectRef object) const
{
    return ringObjectSentence(state, object);
}

QStringList RingPicture::detailsOf(const ClusterState& state, ObjectRef object) const
{
    return ringObjectDetails(state, object);
}

HoverCard RingPicture::hoverCard(
    const ClusterState& state, const Theme& theme, ObjectRef object, std::string_view) const
{
    HoverCard card;
    for (const QString& line : ringObjectDetails(state, object))
        card.lines.push_back(line);
    card.measure(theme);
    return card;
}

SystemView::Found RingPicture::find(const ClusterState& state, const QString& words) const
{
    if (const ObjectRef object = ringWords().named(state, words))
        return { object };
    bool isKey = false;
    const qulonglong key = (words.startsWith(QLatin1String("key ")) ? words.mid(4).trimmed() : words)
                               .toULongLong(&isKey);
    if (!isKey || state.ring.bits == 0)
        return {};
    const std::uint64_t id = idOfKey(key, state.ring.bits);
    const walk::RingNode* owner = state.ring.ownerOf(id);
    if (owner == nullptr)
        return {};
    return { { ObjectKind::Node, owner->process, 0 }, 0,
        QStringLiteral("key %1 has %2").arg(key).arg(ringIdText(state, id)) };
}

ObjectRef RingPicture::next(const ClusterState& state, ObjectRef from, int dx, int dy) const
{
    std::vector<ObjectRef> order;
    for (const auto& nodes : { ringNodes(state), nodesOutside(state) })
        for (const std::uint64_t node : nodes)
            order.push_back({ ObjectKind::Node, node, 0 });
    for (const ObjectRef object : ringWords().objectsOf(state))
        if (object.kind != ObjectKind::Node)
            order.push_back(object);
    if (order.empty())
        return {};
    const auto here = std::find(order.begin(), order.end(), from);
    if (here == order.end())
        return order.front();
    const std::size_t step = dx + dy > 0 ? 1 : order.size() - 1;
    return order[(std::size_t(here - order.begin()) + step) % order.size()];
}

} // namespace lhrs::gui
