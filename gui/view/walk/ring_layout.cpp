// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/walk/ring_layout.h"

#include "gui/view/system/process_order.h"
#include "gui/view/walk/ring_words.h"

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr qreal kTurn = 2 * M_PI;
constexpr qreal kClientPitch = 58, kChipPitch = 26, kNodeRadius = 13, kBand = 11; // pixels at 100 %
constexpr qreal kScaleMost = 2.2, kScaleStep = 0.1;
constexpr qreal kLeastRadius = 130; // pixels at 100 %: below it text does not become larger
constexpr qreal kArcStep = 0.035; // radians between two points of an arc

// What a layout needs to know of the text, in pixels.
struct Measures {
    qreal u = 1, name = 0, small = 0, labelWidth = 0;
    // A label of one line has small letters, because there are many labels.
    qreal labelHeight(int lines) const { return lines == 1 ? small + 1 : name + small + 3 * u; }
};

Measures measuresOf(const ClusterState& state, const Theme& theme, const std::vector<std::uint64_t>& nodes)
{
    Measures m { theme.px(1), theme.lineHeight(kBodyBold), theme.lineHeight(kSmall), 0 };
    for (const std::uint64_t node : nodes)
        m.labelWidth = std::max({ m.labelWidth, theme.width(kBodyBold, ringNodeName(state, node)),
            theme.width(kSmall, ringIdText(state, placeOnRing(state, node)) + QStringLiteral(" · 0,000 keys")) });
    m.labelWidth += 6 * m.u;
    return m;
}

// The columns at the edges, and what they leave for the circle.
struct Columns {
    QRectF clients, outside, area, foot;
};

Columns columnsOf(const Theme& theme, const CircleOptions& options, bool hasOutside, qreal scale)
{
    const qreal u = theme.px(1) * scale, margin = 10 * u, line = theme.lineHeight(kSmall) * scale;
    const qreal foot = line * (options.showLegend ? 2 : 1) + 6 * u;
    const QSizeF size = options.viewport;
    Columns c;
    c.foot = QRectF(margin, size.height() - foot - 2 * u, std::max(0.0, size.width() - 2 * margin), foot);
    const qreal top = 6 * u, high = std::max(0.0, c.foot.top() - top), left = 158 * u,
                right = hasOutside ? 116 * u : margin;
    c.clients = QRectF(margin, top, left - margin, high);
    c.outside = QRectF(size.width() - right, top, hasOutside ? right - margin : 0, high);
    c.area = QRectF(left, top, std::max(1.0, size.width() - left - right), std::max(1.0, high));
    return c;
}

qreal radiusIn(QSizeF area, const Measures& m, qreal scale)
{
    const qreal around = (kNodeRadius + kBand) * m.u * scale;
    return std::min(area.height() / 2 - around - m.name * scale,
        area.width() / 2 - around - m.labelWidth * scale - 10 * m.u * scale);
}

void placeClients(const ClusterState& state, const Theme& theme, const CircleOptions& options, RingLayout& layout)
{
    const qreal u = theme.px(1), side = 40 * u;
    std::vector<ProcessId> clients = clientsOf(state);
    const ProcessId master = coordinatorOf(state);
    const qreal masterHeight = master != 0 ? 74 * u : 0;
    const auto fits = std::size_t(std::max(1.0, (layout.clients.height() - masterHeight) / (kClientPitch * u)));
    const std::size_t shown = std::min(fits, clients.size());
    layout.clientsHidden = clients.size() - shown;
    if (const auto chosen = std::find(clients.begin(), clients.end(), options.client);
        chosen != clients.end() && chosen - clients.begin() >= std::ptrdiff_t(shown))
        std::iter_swap(chosen, clients.begin() + std::ptrdiff_t(shown) - 1);
    const qreal room = layout.clients.height() - masterHeight,
                pitch = std::min(kClientPitch * 1.6 * u, room / qreal(std::max<std::size_t>(1, shown)));
    const qreal top = layout.clients.top() + std::max(0.0, (room - pitch * qreal(shown)) / 2);
    for (std::size_t i = 0; i < shown; ++i) {
        const QPointF centre(layout.clients.left() + side / 2 + 2 * u, top + pitch * (qreal(i) + 0.5));
        layout.items.push_back({ { ObjectKind::Client, clients[i], 0 }, clients[i], centre,
            QRectF(centre.x() - side / 2, centre.y() - side / 2, side, side), {} });
    }
    if (master == 0)
        return;
    const QPointF centre(layout.clients.left() + side / 2 + 2 * u, layout.clients.bottom() - masterHeight / 2);
    layout.items.push_back({ { ObjectKind::Coordinator, master, 0 }, master, centre,
        QRectF(centre.x() - side / 2, centre.y() - side / 2, side, side), {} });
}

void placeNodes(
    const ClusterState& state, const Theme& theme, const std::vector<std::uint64_t>& nodes, RingLayout& layout)
{
    // With many nodes the discs are smaller, so that few of them cover each other.
    const qreal r = std::clamp(kTurn * layout.radius / qreal(std::max<std::size_t>(1, nodes.size())) * 0.36,
        5 * theme.px(1), kNodeRadius * theme.px(1));
    for (const std::uint64_t node : nodes) {
        const qreal angle = layout.angleOf(placeOnRing(state, node));
        const QPointF centre = layout.at(angle, layout.radius);
        layout.items.push_back({ { ObjectKind::Node, node, 0 }, node, centre,
            QRectF(centre.x() - r, centre.y() - r, 2 * r, 2 * r), {}, true, false, angle });
    }
}

// Puts the labels of one side beside the circle, each as near to its node as the other labels allow.
void placeLabels(std::vector<RingLayout::Item*>& side, bool isLeft, const Theme& theme, const Measures& m, qreal least,
    qreal most, RingLayout& layout)
{
    const qreal high = m.labelHeight(layout.labelLines), out = layout.radius + (kNodeRadius + 5) * theme.px(1);
    std::sort(side.begin(), side.end(), [](const auto* a, const auto* b) { return a->centre.y() < b->centre.y(); });
    std::vector<qreal> wanted;
    for (const RingLayout::Item* item : side)
        wanted.push_back(layout.centre.y() - std::cos(item->angle) * (out + high / 2));
    const std::vector<qreal> middle = pushedApart(wanted, high, least + high / 2, most - high / 2);
    for (std::size_t i = 0; i < side.size(); ++i) {
        const qreal top = middle[i] - high / 2, dy = std::clamp(layout.centre.y(), top, top + high) - layout.centre.y();
        const qreal away = std::sqrt(std::max(0.0, out * out - dy * dy)) + 5 * m.u;
        side[i]->isLeft = isLeft;
        side[i]->label = QRectF(
            isLeft ? layout.centre.x() - away - m.labelWidth : layout.centre.x() + away, top, m.labelWidth, high);
    }
}

// Divides the labels between both sides by the positions of their nodes. If one side has too many and the other has
// room, the labels nearest to the vertical middle line change sides.
void layLabels(const Theme& theme, const Measures& m, RingLayout& layout)
{
    const qreal least = layout.centre.y() - layout.radius - (kNodeRadius + kBand) * m.u - m.name,
                most = 2 * layout.centre.y() - least;
    const auto room = std::size_t(std::max(1.0, std::floor((most - least) / m.labelHeight(layout.labelLines))));
    std::vector<RingLayout::Item*> left, right;
    for (RingLayout::Item& item : layout.items)
        if (item.isOnRing)
            (item.angle > M_PI ? left : right).push_back(&item);
    const auto nearMiddle = [](const auto* a, const auto* b) {
        return std::abs(std::sin(a->angle)) > std::abs(std::sin(b->angle));
    };
    for (const auto& [full, other] : { std::pair(&left, &right), std::pair(&right, &left) }) {
        std::sort(full->begin(), full->end(), nearMiddle);
        while (full->size() > room && other->size() < room) {
            other->push_back(full->back());
            full->pop_back();
        }
        if (full->size() > room)
            full->resize(room); // the nodes of the others have a disc without a label
    }
    placeLabels(left, true, theme, m, least, most, layout);
    placeLabels(right, false, theme, m, least, most, layout);
}

void placeOutside(const ClusterState& state, const Theme& theme, RingLayout& layout)
{
    const std::vector<std::uint64_t> all = nodesOutside(state);
    const qreal u = theme.px(1), pitch = kChipPitch * u, head = theme.lineHeight(kSmallBold) * 2 + 6 * u;
    const auto fits = std::size_t(std::max(0.0, (layout.outside.height() - head - theme.lineHeight(kSmall)) / pitch));
    const std::size_t shown = std::min(fits, all.size());
    layout.outsideHidden = all.size() - shown;
    for (std::size_t i = 0; i < shown; ++i) {
        const QRectF chip(layout.outside.left(), layout.outside.top() + head + pitch * qreal(i), layout.outside.width(),
            pitch - 5 * u);
        layout.items.push_back({ { ObjectKind::Node, all[i], 0 }, all[i], chip.center(), chip, {} });
    }
}

} // namespace

const RingLayout::Item* RingLayout::find(ObjectRef object) const
{
    const auto found = m_byObject.find(object);
    return found == m_byObject.end() ? nullptr : &items[found->second];
}

const RingLayout::Item* RingLayout::findProcess(std::uint64_t process) const
{
    const auto found = m_byProcess.find(process);
    return found == m_byProcess.end() ? nullptr : &items[found->second];
}

void RingLayout::index()
{
    for (std::size_t i = 0; i < items.size(); ++i) {
        m_byObject[items[i].object] = i;
        m_byProcess[items[i].process] = i;
    }
}

qreal RingLayout::angleOf(std::uint64_t id) const { return bits == 0 ? 0 : std::ldexp(double(id), -int(bits)) * kTurn; }

QPointF RingLayout::at(qreal angle, qreal distance) const
{
    return centre + QPointF(std::sin(angle), -std::cos(angle)) * distance;
}

std::vector<QPointF> RingLayout::arc(qreal from, qreal to, qreal distance) const
{
    const qreal whole = clockwiseAngle(from, to);
    const int steps = std::max(2, int(std::ceil(whole / kArcStep)));
    std::vector<QPointF> points;
    for (int i = 0; i <= steps; ++i)
        points.push_back(at(from + whole * i / steps, distance));
    return points;
}

qreal clockwiseAngle(qreal from, qreal to)
{
    const qreal way = std::fmod(to - from, kTurn);
    return way <= 0 ? way + kTurn : way;
}

// Each run of labels that would overlap is placed around the mean of the wanted positions, which is nearest to all of
// them (pool adjacent violators).
std::vector<qreal> pushedApart(std::vector<qreal> wanted, qreal apart, qreal least, qreal most)
{
    struct Run {
        qreal sum = 0;
        std::size_t count = 0;
        qreal mean() const { return sum / qreal(count); }
    };
    std::vector<Run> runs;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        runs.push_back({ wanted[i] - apart * qreal(i), 1 });
        while (runs.size() > 1 && runs[runs.size() - 2].mean() >= runs.back().mean()) {
            const Run last = runs.back();
            runs.pop_back();
            runs.back().sum += last.sum;
            runs.back().count += last.count;
        }
    }
    const qreal highest = std::max(least, most - apart * qreal(wanted.empty() ? 0 : wanted.size() - 1));
    std::size_t i = 0;
    for (const Run& run : runs)
        for (std::size_t j = 0; j < run.count; ++j, ++i)
            wanted[i] = std::clamp(run.mean(), least, highest) + apart * qreal(i);
    return wanted;
}

std::vector<std::uint64_t> ringNodes(const ClusterState& state)
{
    std::vector<std::uint64_t> nodes;
    for (const auto& [process, node] : state.ring.nodes)
        if (node.hasRange || (state.ring.now && state.ring.now->node == process))
            nodes.push_back(process);
    std::sort(nodes.begin(), nodes.end(),
        [&](std::uint64_t x, std::uint64_t y) { return placeOnRing(state, x) < placeOnRing(state, y); });
    return nodes;
}

std::vector<std::uint64_t> nodesOutside(const ClusterState& state)
{
    // A process that has ended is forgotten when its program is started again.
    const auto hasSuccessor = [&](const ProcessState& ended) {
        return std::any_of(state.processes.begin(), state.processes.end(),
            [&](const auto& p) { return !p.second.hasEnded && p.second.name == ended.name; });
    };
    return sortedByName(state, [&](const ProcessState& p) {
        const walk::RingNode* node = state.ring.find(p.id);
        const bool isOn = node != nullptr && (node->hasRange || (state.ring.now && state.ring.now->node == p.id));
        return p.kind == pb::NODE && !isOn && !(p.hasEnded && hasSuccessor(p));
    });
}

std::uint64_t placeOnRing(const ClusterState& state, std::uint64_t process)
{
    const walk::RingNode* node = state.ring.find(process);
    if (node != nullptr && node->hasRange)
        return node->id;
    return state.ring.now && state.ring.now->node == process ? state.ring.now->id : node != nullptr ? node->id : 0;
}

qreal ringRoomScale(const ClusterState& state, const Theme& theme, const CircleOptions& options)
{
    const std::vector<std::uint64_t> nodes = ringNodes(state);
    const Measures m = measuresOf(state, theme, nodes);
    const qreal perSide = std::ceil(qreal(nodes.size()) / 2) + 1;
    const bool hasOutside = options.showOutside && !nodesOutside(state).empty();
    for (qreal scale = kScaleMost; scale > 1; scale -= kScaleStep) {
        const Columns c = columnsOf(theme, options, hasOutside, scale);
        if (radiusIn(c.area.size(), m, scale) >= kLeastRadius * m.u * scale
            && perSide * m.labelHeight(2) * scale <= c.area.height())
            return scale;
    }
    return 1;
}

RingLayout layoutRing(const ClusterState& state, const Theme& theme, const CircleOptions& options)
{
    RingLayout layout;
    const std::vector<std::uint64_t> nodes = ringNodes(state);
    const Measures m = measuresOf(state, theme, nodes);
    const Columns c = columnsOf(theme, options, options.showOutside && !nodesOutside(state).empty(), 1);
    layout.viewport = options.viewport;
    layout.clients = c.clients;
    layout.outside = c.outside;
    layout.area = c.area;
    layout.foot = c.foot;
    layout.bits = state.ring.bits;
    layout.band = kBand * m.u;
    const QSizeF more = c.area.size() * (options.zoom - 1);
    layout.pan = QPointF(std::clamp(options.pan.x(), 0.0, std::max(0.0, more.width())),
        std::clamp(options.pan.y(), 0.0, std::max(0.0, more.height())));
    layout.radius = std::max(20.0, radiusIn(c.area.size(), m, 1)) * options.zoom;
    layout.centre = c.area.topLeft() + QPointF(c.area.width(), c.area.height()) * options.zoom / 2 - layout.pan;
    placeClients(state, theme, options, layout);
    placeNodes(state, theme, nodes, layout);
    const qreal high = 2 * (layout.radius + (kNodeRadius + kBand) * m.u + m.name);
    layout.labelLines = (std::ceil(qreal(nodes.size()) / 2) + 1) * m.labelHeight(2) <= high ? 2 : 1;
    layLabels(theme, m, layout);
    if (options.showOutside)
        placeOutside(state, theme, layout);
    layout.index();
    return layout;
}

std::uint64_t ringPlacesStamp(const ClusterState& state)
{
    std::uint64_t stamp = 0xcbf29ce484222325;
    const auto mix = [&stamp](std::uint64_t value) { stamp = (stamp ^ value) * 0x100000001b3; };
    mix(state.ring.bits);
    for (const std::uint64_t node : ringNodes(state)) {
        mix(node);
        mix(placeOnRing(state, node));
    }
    mix(0);
    for (const std::uint64_t node : nodesOutside(state))
        mix(node);
    mix(0);
    for (const ProcessId client : clientsOf(state))
        mix(client);
    mix(coordinatorOf(state));
    return stamp;
}

} // namespace lhrs::gui
